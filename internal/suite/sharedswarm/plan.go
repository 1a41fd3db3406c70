package sharedswarm

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// action is what an instance is asked to do.
type action string

const (
	report   action = "report"
	clear    action = "reset"
	snapshot action = "snapshot"
	restore  action = "restore"
)

// operation is one request to one instance.
type operation struct {
	instance int
	action   action
	tool     string // of a report; fingerprints differ as tools do
	worker   string
	id       string // of a report; two of a worker with the same are one. Empty where it is sent once
}

// String tells the operation as a line of a failure does.
func (o operation) String() string {
	switch o.action {
	case report:
		text := fmt.Sprintf("worker %s reports a call of %s", o.worker, o.tool)
		if o.id != "" {
			text += ", id " + o.id
		}
		return text
	case restore:
		return "restores 3 calls of t by a, b"
	default:
		return string(o.action)
	}
}

// event is the report as a session observes it.
func (o operation) event() spec.Value {
	e := spec.ObjectValue(
		spec.Member{Name: "type", Value: spec.StringValue(string(spec.ToolCall))},
		spec.Member{Name: "tool", Value: spec.StringValue(o.tool)},
		spec.Member{Name: "worker", Value: spec.StringValue(o.worker)},
	)
	if o.id != "" {
		e = e.With("id", spec.StringValue(o.id))
	}
	return e
}

// plan is what is asked of a swarm: the operations of a wave are asked at the same time, of different instances; the
// next wave begins when all answers of the one before are there.
type plan [][]operation

// The sizes of plans: large enough for any two operations to meet, small enough to be judged in a moment.
const (
	mostWaves = 6
	// The orders of a wave are tried one by one: of more operations at once there would be too many.
	mostAtOnce = 5
	// One report in three has an id that was used before, or will be.
	ids = 3
)

// draw makes a plan for so many instances.
func draw(r *rand.Rand, instances int) plan {
	p := make(plan, 2+r.IntN(mostWaves-1))
	for i := range p {
		for _, instance := range r.Perm(instances)[:1+r.IntN(min(instances, mostAtOnce))] {
			p[i] = append(p[i], drawOperation(r, instance))
		}
	}
	return p
}

// instances returns which instances the plan asks.
func (p plan) instances() []int {
	var list []int
	for _, wave := range p {
		for _, o := range wave {
			list = append(list, o.instance)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func drawOperation(r *rand.Rand, instance int) operation {
	o := operation{instance: instance, action: report}
	switch r.IntN(12) {
	case 0:
		o.action = clear
	case 1:
		o.action = restore
	case 2, 3:
		o.action = snapshot
	default:
		o.tool = []string{"t", "t", "u"}[r.IntN(3)]
		o.worker = []string{"a", "b"}[r.IntN(2)]
		if r.IntN(3) == 0 {
			o.id = fmt.Sprint(r.IntN(ids))
		}
	}
	return o
}

// simpler returns the plans that are one step simpler: an operation less, two waves in one's place, an operation that
// means less. The simplest come first.
func (p plan) simpler() []plan {
	var list []plan
	for i, wave := range p {
		list = append(list, slices.Delete(slices.Clone(p), i, i+1))
		for k := range wave {
			list = append(list, p.with(i, slices.Delete(slices.Clone(wave), k, k+1)))
		}
	}
	for i, wave := range p {
		for k, o := range wave {
			for _, plainer := range o.simpler() {
				changed := slices.Clone(wave)
				changed[k] = plainer
				list = append(list, p.with(i, changed))
			}
		}
	}
	return list
}

// with returns the plan with another wave in the place of one; without it where the wave is empty.
func (p plan) with(i int, wave []operation) plan {
	changed := slices.Clone(p)
	if len(wave) == 0 {
		return slices.Delete(changed, i, i+1)
	}
	changed[i] = wave
	return changed
}

// simpler returns what a report would be without its id, of the first tool, by the first worker, as far as it differs.
func (o operation) simpler() []operation {
	var list []operation
	for _, plainer := range []operation{
		{o.instance, o.action, o.tool, o.worker, ""},
		{o.instance, o.action, "t", o.worker, o.id},
		{o.instance, o.action, o.tool, "a", o.id},
	} {
		if o.action == report && plainer != o {
			list = append(list, plainer)
		}
	}
	return list
}
