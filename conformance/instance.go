package conformance

import (
	"context"
	"crypto/rand"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// instance is a process of the port beside the first.
type instance struct {
	spec.Port
	close func()
}

// instance returns the instance of that number, which is started when it is first asked.
func (j *judge) instance(ctx context.Context, number int) (spec.Port, error) {
	if number <= 1 {
		return j.port, nil
	}
	if other, started := j.others[number]; started {
		return other, nil
	}
	spawner, can := j.port.(stdio.Spawner)
	if !can {
		return j.port, nil
	}
	port, end, err := spawner.Spawn(ctx)
	if err == nil {
		j.others[number] = instance{port, end}
	}
	return port, err
}

// ownSwarm returns the configuration of a case, in which the swarm of several instances has a name that no other run
// has: a store remembers what earlier ones reported.
func ownSwarm(c cases.Case) spec.Value {
	name, named := c.Config.Get("swarm").Str()
	if c.Instances == 0 || !named {
		return c.Config
	}
	return c.Config.With("swarm", spec.StringValue(name+" "+rand.Text()))
}
