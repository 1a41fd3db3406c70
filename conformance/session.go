package conformance

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"slices"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// session is a session that a case has opened.
type session struct {
	spec.Session
	seen laws.Observed
}

// sessionOf returns the session that a step is for, which is opened when it is first named.
func (j *judge) sessionOf(ctx context.Context, step cases.Step) (*session, error) {
	if s, open := j.sessions[step.Session]; open {
		return s, nil
	}
	port, err := j.instance(ctx, step.Instance)
	if err != nil {
		return nil, err
	}
	opened, err := port.Open(ctx, j.c.Detector, j.reading, j.c.ConfigOf(step.Session))
	if err != nil {
		return nil, err
	}
	s := &session{Session: opened}
	if j.c.Instances > 0 {
		s.seen.Restore() // SW-39: what others report counts, and has no index
	}
	j.sessions[step.Session] = s
	return s, nil
}

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

// closeAll closes the sessions and ends the other processes.
func (j *judge) closeAll(ctx context.Context) error {
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(j.sessions)) {
		if err := j.sessions[name].Close(ctx); err != nil {
			problems = append(problems, j.unexpected(0, "session/close", err))
		}
	}
	for _, other := range j.others {
		other.close()
	}
	return errors.Join(problems...)
}
