package rulecases

import (
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/spec"
)

// casesOfRungs returns a case for each rung that a trace is known to reach, and for each rule this trace with each
// disturbance. Rungs that the budget does not reach get no trace.
func (d *Declaration) casesOfRungs(b *budget) (list []cases.Case) {
	rule := "" // of the rung before
	for i := range d.witnesses {
		w := &d.witnesses[i]
		if len(w.Trace) > 0 && b.isSpent() {
			w.Trace, w.Beyond = nil, ended
		}
		if len(w.Trace) == 0 {
			continue
		}
		b.ask(w.Trace, d.weight)
		plain := d.expecting(cases.Case{
			ID:    fmt.Sprintf("%s-reaches-%d", d.Detector, i+1),
			Title: fmt.Sprintf("%s after %d events", w.reached(), len(w.Trace)),
			Why:   "A threshold that is off by one stops an agent at work, or lets a loop go on.",
		}, laws.Observing(w.Trace))
		if list = append(list, plain); w.Rule == rule {
			continue
		}
		rule = w.Rule
		b.ask(w.Trace, len(disturbances)*d.weight)
		list = append(list, d.disturb(plain.ID, w.Trace)...)
	}
	return list
}

// disturb returns the trace of a case with each disturbance that changes it and that the port takes.
func (d *Declaration) disturb(id string, trace []spec.Value) (list []cases.Case) {
	for _, by := range disturbances {
		changed := by.make(trace)
		if slices.EqualFunc(changed, trace, spec.Value.Equal) || !takes(d.Offer, changed) {
			continue
		}
		list = append(list, d.expecting(cases.Case{
			ID: id + "-" + by.word, Title: fmt.Sprintf("The trace of %s with %s", id, by.title), Why: by.why,
			Clauses: []string{by.clauses[d.Detector.Row()]},
		}, laws.Observing(changed)))
	}
	return list
}

// expecting returns a profile's case with steps, and with the verdicts of the reference on them. Behind the case's own
// clauses come those of the first rule that reports: if it is wrong, the case fails, too.
func (d *Declaration) expecting(c cases.Case, steps []laws.Step) cases.Case {
	c = d.own(c, laws.Trace{Steps: steps}.Events())
	d.expect(&c, steps)
	return c
}

// own returns a case of a trace as one of the profile.
func (d *Declaration) own(c cases.Case, trace []spec.Value) cases.Case {
	c.Detector, c.Readings = d.Detector, []spec.Reading{spec.Code}
	c.Tags, c.Place = []string{cases.ProfileTag}, placeOf(d.Offer)
	if !takes(d.Without(spec.Replies), trace) {
		c.Needs = []spec.Feature{spec.Replies}
	}
	return c
}

// bundle makes a case of traces, with resets between them: one, unless they are long.
func (d *Declaration) bundle(c cases.Case, traces [][]spec.Value) (list []cases.Case) {
	for n, steps := range bundled(traces) {
		one := c
		if n > 0 {
			one.ID = fmt.Sprintf("%s-%d", c.ID, n+1)
		}
		list = append(list, d.expecting(one, steps))
	}
	return list
}

// bundled joins traces, with resets between them, to as few as the bounds of a trace allow.
func bundled(traces [][]spec.Value) (list [][]laws.Step) {
	for _, trace := range traces {
		steps := laws.Observing(trace)
		if n := len(list) - 1; n >= 0 {
			joined := slices.Concat(list[n], []laws.Step{{}}, steps)
			if fits((laws.Trace{Steps: joined}).Events()) {
				list[n] = joined
				continue
			}
		}
		list = append(list, steps)
	}
	return list
}

// takes reports whether a port knows all events of a trace, with all their members.
func takes(offer spec.Offer, trace []spec.Value) bool {
	return !slices.ContainsFunc(trace, func(event spec.Value) bool {
		understood, ok := offer.Understood(event)
		return !ok || !understood.Equal(event)
	})
}

// disturbances are changes of a trace that one detector ignores and another does not.
var disturbances = []struct {
	word, title, why string
	clauses          map[spec.DetectorID]string
	make             func(trace []spec.Value) []spec.Value
}{
	{
		"keys", "the members of arguments in two orders",
		"One port sorts members before it compares calls, another compares the text; one of them misses the loop.",
		map[spec.DetectorID]string{spec.Composed: "CO-9"},
		inTwoOrders,
	},
	{
		"user", "a message of the user near its end",
		"One port counts on, another counts from the message; one of them stops an agent that does what the user wants.",
		map[spec.DetectorID]string{spec.Composed: "CO-23", spec.Stream: "ST-4"},
		func(trace []spec.Value) []spec.Value {
			return interrupted(trace, event("message", "role", "user", "content", "go on"))
		},
	},
	{
		"reply", "a new reply near its end",
		"One port counts on, another counts from the reply; one of them misses a loop that spans replies.",
		map[spec.DetectorID]string{spec.Composed: "CO-23", spec.Stream: "ST-4"},
		func(trace []spec.Value) []spec.Value { return interrupted(trace, event("reply")) },
	},
}

// inTwoOrders adds two members, of two members each, to the arguments of every call, and reverses the order of members,
// at every depth, in the second half of the calls.
func inTwoOrders(trace []spec.Value) []spec.Value {
	var calls []int
	for i, event := range trace {
		if event.Get("args").Kind() == spec.Object {
			calls = append(calls, i)
		}
	}
	pair := spec.MustParse(`{"a":1,"b":2}`)
	changed := slices.Clone(trace)
	for n, i := range calls {
		args := trace[i].Get("args").With("first", pair).With("second", pair)
		if n >= len(calls)/2 {
			args = reversed(args)
		}
		changed[i] = trace[i].With("args", args)
	}
	return changed
}

// reversed reverses the order of members at every depth.
func reversed(v spec.Value) spec.Value {
	if v.Kind() == spec.Object {
		members := slices.Clone(v.Members())
		slices.Reverse(members)
		v = spec.ObjectValue(members...)
	}
	return v.Map(reversed)
}

// interrupted returns the trace with an event before the last call, message or piece; before the reply, if one begins
// with it.
func interrupted(trace []spec.Value, by spec.Value) []spec.Value {
	for i := len(trace) - 1; i >= 0; i-- {
		switch spec.TypeOf(trace[i]) {
		case spec.ToolCall, spec.Message, spec.Delta:
			if i > 0 && spec.TypeOf(trace[i-1]) == spec.Reply {
				i--
			}
			return slices.Insert(slices.Clone(trace), i, by)
		}
	}
	return trace
}
