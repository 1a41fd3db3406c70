package profile

import (
	"context"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/spec"
)

// casesOfRungs returns a case for each rung that a trace is known to reach, and for each rule this trace with each
// disturbance.
func casesOfRungs(ctx context.Context, offer spec.Offer) ([]cases.Case, error) {
	witnesses, err := Witnesses(ctx, offer.Detector, offer.Fixed)
	if err != nil {
		return nil, err
	}
	var list []cases.Case
	rule := "" // of the rung before
	for i, w := range witnesses {
		if len(w.Trace) == 0 {
			continue
		}
		plain, err := expecting(ctx, offer, cases.Case{
			ID:    fmt.Sprintf("%s-reaches-%d", offer.Detector, i+1),
			Title: fmt.Sprintf("%s after %d events", w.reached(), len(w.Trace)),
			Why:   "A threshold that is off by one stops an agent at work, or lets a loop go on.",
		}, w.Trace)
		if err != nil {
			return nil, err
		}
		if list = append(list, plain); w.Rule == rule {
			continue
		}
		rule = w.Rule
		disturbed, err := disturb(ctx, offer, plain.ID, w.Trace)
		if err != nil {
			return nil, err
		}
		list = append(list, disturbed...)
	}
	return list, nil
}

// disturb returns the trace of a case with each disturbance that changes it and that the port takes.
func disturb(ctx context.Context, offer spec.Offer, id string, trace []spec.Value) ([]cases.Case, error) {
	var list []cases.Case
	for _, d := range disturbances {
		changed := d.make(trace)
		if slices.EqualFunc(changed, trace, spec.Value.Equal) || !takes(offer, changed) {
			continue
		}
		c, err := expecting(ctx, offer, cases.Case{
			ID: id + "-" + d.word, Title: fmt.Sprintf("The trace of %s with %s", id, d.title), Why: d.why,
		}, changed)
		if err != nil {
			return nil, err
		}
		c.Clauses = append([]string{d.clauses[offer.Detector.Row()]}, c.Clauses...)
		list = append(list, c)
	}
	return list, nil
}

// expecting returns a profile's case with a trace, and with the verdicts of the reference on it.
func expecting(ctx context.Context, offer spec.Offer, c cases.Case, trace []spec.Value) (cases.Case, error) {
	c.Detector, c.Readings = offer.Detector, []spec.Reading{spec.Code}
	c.Tags, c.Place = []string{cases.ProfileTag}, placeOf(offer)
	if !takes(offer.Without(spec.Replies), trace) {
		c.Needs = []spec.Feature{spec.Replies}
	}
	_, err := expect(ctx, &c, offer, stepsOf(trace))
	return c, err
}

// takes reports whether a port knows all events of a trace, with all their members.
func takes(offer spec.Offer, trace []spec.Value) bool {
	return !slices.ContainsFunc(trace, func(event spec.Value) bool {
		understood, ok := offer.Understood(event)
		return !ok || !understood.Equal(event)
	})
}

func stepsOf(trace []spec.Value) []laws.Step {
	steps := make([]laws.Step, len(trace))
	for i, event := range trace {
		steps[i] = laws.Step{Event: event}
	}
	return steps
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
		"One port counts on, another counts from the message; one of them stops an agent that does as it was told.",
		map[spec.DetectorID]string{spec.Composed: "CO-23", spec.Stream: "ST-4"},
		interruptedBy(event("message", "role", "user", "content", "go on")),
	},
	{
		"reply", "a new reply near its end",
		"One port counts on, another counts from the reply; one of them misses a loop that spans replies.",
		map[spec.DetectorID]string{spec.Composed: "CO-23", spec.Stream: "ST-4"},
		interruptedBy(event("reply")),
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

// interruptedBy returns a function that puts an event before the last call, message or piece; before the reply, if one
// begins with it.
func interruptedBy(by spec.Value) func(trace []spec.Value) []spec.Value {
	return func(trace []spec.Value) []spec.Value {
		is := func(i int, types ...spec.EventType) bool {
			typ, _ := trace[i].Get("type").Str()
			return slices.Contains(types, spec.EventType(typ))
		}
		for i := len(trace) - 1; i >= 0; i-- {
			if !is(i, spec.ToolCall, spec.Message, spec.Delta) {
				continue
			}
			if i > 0 && is(i-1, spec.Reply) {
				i--
			}
			return slices.Insert(slices.Clone(trace), i, by)
		}
		return trace
	}
}
