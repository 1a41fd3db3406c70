package cases

import (
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

func readSteps(n *strictyaml.Node) ([]Step, error) {
	if n.Kind != spec.Array || len(n.Items) == 0 {
		return nil, n.Problemf("steps: want a list that is not empty")
	}
	var steps []Step
	snapshots := map[string]bool{}
	for _, item := range n.Items {
		step, err := readStep(item)
		if err != nil {
			return nil, err
		}
		if step.Action == Restore && step.Name != "" && !snapshots[step.Name] {
			return nil, item.Problemf("no step before this takes a snapshot %q", step.Name)
		}
		if step.Action == Snapshot {
			snapshots[step.Name] = true
		}
		steps = append(steps, step)
	}
	return steps, nil
}

func readStep(n *strictyaml.Node) (Step, error) {
	step := Step{Session: MainSession, Times: 1, Place: n.Place}
	var expect *strictyaml.Node
	actions := 0
	act := func(action Action, read strictyaml.Reader) strictyaml.Reader {
		return func(n *strictyaml.Node) error {
			actions++
			step.Action = action
			return read(n)
		}
	}
	readers := stepReaders(&step, act)
	readers["expect"] = func(n *strictyaml.Node) error { expect = n; return nil }
	for _, typ := range spec.EventTypes() {
		if n.Get(string(typ)) != nil { // of so many types a step has one
			readers[string(typ)] = act(Observe, readEvent(&step, typ))
		}
	}
	err := n.Read(readers)
	if err != nil && actions == 0 { // a type of event may be misspelt
		for _, typ := range spec.EventTypes() {
			readers[string(typ)] = act(Observe, readEvent(&step, typ))
		}
		err = n.Read(readers)
	}
	if err != nil {
		return step, err
	}
	if actions != 1 {
		return step, n.Problemf("a step does one thing; this does %d", actions)
	}
	if err := checkStep(n, step, expect); err != nil {
		return step, err
	}
	return step, readExpect(&step, expect)
}

// stepReaders reads the members of a step but the events by their types and what is expected; act reads what it does.
func stepReaders(step *Step, act func(Action, strictyaml.Reader) strictyaml.Reader) map[string]strictyaml.Reader {
	return map[string]strictyaml.Reader{
		"event":    act(Observe, readEvent(step, "")),
		"batch":    act(Observe, readBatch(step)),
		"reset":    act(Reset, readTrue),
		"state":    act(State, readStateWant(step)),
		"snapshot": act(Snapshot, strictyaml.Str(&step.Name)),
		"restore":  act(Restore, readRestore(step)),
		"fault":    strictyaml.By(&step.Fault, readFault),
		"times":    strictyaml.Int(1, &step.Times),
		"pad":      strictyaml.Int(1, &step.Pad),
		"session":  strictyaml.Str(&step.Session),
		"instance": readInstance(step),
	}
}

// readInstance reads which instance a step is for. Its session has a name of its own.
func readInstance(step *Step) strictyaml.Reader {
	return func(n *strictyaml.Node) error {
		err := strictyaml.Int(1, &step.Instance)(n)
		step.Session = fmt.Sprintf("instance %d", step.Instance)
		return err
	}
}

// checkStep checks what stands beside the action, and that only events that must be refused are malformed.
func checkStep(n *strictyaml.Node, step Step, expect *strictyaml.Node) error {
	if step.Fault != nil && expect != nil {
		return n.Problemf("a step that is refused has no expect")
	}
	if n.Count("session", "instance") > 1 {
		return n.Problemf("an instance has one session")
	}
	for _, name := range []string{"times", "pad"} {
		if step.Action != Observe && n.Get(name) != nil {
			return n.Problemf("%s is for events only", name)
		}
	}
	if step.Times*step.Pad > MostPadding {
		return n.Problemf("times × pad is more than %d letters: write several steps", MostPadding)
	}
	if expect != nil && step.Action != Observe && step.Action != Snapshot {
		return n.Problemf("expect is for events and snapshots only")
	}
	if step.Action != Observe || step.Fault != nil {
		return nil
	}
	for _, event := range step.Events {
		if _, err := spec.DecodeEvent(event); err != nil {
			return n.Problemf("the event is malformed, and no fault is expected: %v", err)
		}
	}
	return nil
}

func readTrue(n *strictyaml.Node) error {
	if n.Kind != spec.Bool || n.Text != "true" {
		return n.Problemf("want true")
	}
	return nil
}

// readEvent reads one event; its type is added where the step's name is the type.
func readEvent(step *Step, typ spec.EventType) strictyaml.Reader {
	return func(n *strictyaml.Node) error {
		event := n.Value()
		if typ != "" {
			if n.Kind != spec.Object {
				return n.Problemf("want a mapping, got %s", n.Kind)
			}
			if n.Get("type") != nil {
				return n.Problemf("the step's name is the event's type")
			}
			member := spec.Member{Name: "type", Value: spec.StringValue(string(typ))}
			event = spec.ObjectValue(append([]spec.Member{member}, event.Members()...)...)
		}
		step.Events = []spec.Value{event}
		return nil
	}
}

func readBatch(step *Step) strictyaml.Reader {
	return func(n *strictyaml.Node) error {
		if n.Kind != spec.Array {
			return n.Problemf("want a list of events, got %s", n.Kind)
		}
		step.Batch = true
		step.Events = n.Value().Items()
		return nil
	}
}

func readStateWant(step *Step) strictyaml.Reader {
	return func(n *strictyaml.Node) error {
		e, err := readExpectation(n, false)
		step.Expect = []Expectation{e}
		return err
	}
}

func readRestore(step *Step) strictyaml.Reader {
	return func(n *strictyaml.Node) error {
		if n.Kind == spec.String {
			return strictyaml.Str(&step.Name)(n)
		}
		step.State = n.Value()
		return nil
	}
}

// readExpect reads what a step expects: a mapping, or for a batch a list of them.
func readExpect(step *Step, n *strictyaml.Node) error {
	if n == nil {
		return nil
	}
	nodes := []*strictyaml.Node{n}
	if step.Batch {
		nodes = n.Items
		if n.Kind != spec.Array || len(nodes) != len(step.Events) {
			return n.Problemf("expect: want a list of one mapping for each of the %d events", len(step.Events))
		}
	}
	for _, node := range nodes {
		e, err := readExpectation(node, step.Action == Observe)
		if err != nil {
			return err
		}
		e.Whole = step.Action == Snapshot
		if step.Action == Observe {
			if err := checkVerdictMembers(node); err != nil {
				return err
			}
		}
		step.Expect = append(step.Expect, e)
	}
	return nil
}

func checkVerdictMembers(n *strictyaml.Node) error {
	for _, p := range n.Pairs {
		if !slices.Contains(spec.VerdictMembers(), p.Name) {
			return n.Problemf("a verdict has no member %q", p.Name)
		}
	}
	return nil
}

// readExpectation reads what is demanded of a verdict, or of a state. In a verdict, null means that the member is
// absent; in a state, it is the value null.
func readExpectation(n *strictyaml.Node, verdict bool) (Expectation, error) {
	e := Expectation{Place: n.Place}
	if n.Kind != spec.Object || len(n.Pairs) == 0 {
		return e, n.Problemf("want a mapping of the members to compare, not empty")
	}
	for _, p := range n.Pairs {
		want, err := readWant(p.Value, verdict)
		if err != nil {
			return e, err
		}
		e.Members = append(e.Members, MemberWant{Name: p.Name, Want: want})
	}
	return e, nil
}

// readWant reads a demand on one value; null may mean that it is absent.
func readWant(n *strictyaml.Node, nullIsAbsent bool) (Want, error) {
	if n.Kind == spec.Null && nullIsAbsent {
		return Want{Absent: true}, nil
	}
	if n.Kind != spec.Object || len(n.Pairs) != 1 {
		return Want{Equal: n.Value()}, nil
	}
	var want Want
	read, isDemand := map[string]strictyaml.Reader{
		"contains":    strictyaml.Strs(&want.Contains),
		"lacks":       strictyaml.Strs(&want.Lacks),
		"differs":     strictyaml.Any(&want.Differs),
		"same_as":     strictyaml.Mapping(&want.SameAs),
		"not_same_as": strictyaml.Mapping(&want.NotSameAs),
	}[n.Pairs[0].Name]
	if !isDemand {
		return Want{Equal: n.Value()}, nil
	}
	err := read(n.Pairs[0].Value)
	return want, err
}

func readResult(n *strictyaml.Node) (*Want, error) {
	want, err := readWant(n, false)
	return &want, err
}

func readCall(into **Call, definition spec.Definition) strictyaml.Reader {
	return func(n *strictyaml.Node) error {
		call := &Call{}
		*into = call
		return n.Read(map[string]strictyaml.Reader{
			"function": func(n *strictyaml.Node) error {
				if _, known := definition.Functions[n.Text]; !known {
					return n.Problemf("%s has no function %q", definition.ID, n.Text)
				}
				return strictyaml.Str(&call.Function)(n)
			},
			"args": strictyaml.Any(&call.Args),
		}, "function", "args")
	}
}

func readFault(n *strictyaml.Node) (*Fault, error) {
	fault := &Fault{}
	return fault, n.Read(map[string]strictyaml.Reader{
		"kind": func(n *strictyaml.Node) error {
			if !slices.Contains(spec.FaultKinds, spec.FaultKind(n.Text)) {
				return n.Problemf("unknown kind of fault %q; known are %v", n.Text, spec.FaultKinds)
			}
			return strictyaml.Str(&fault.Kind)(n)
		},
		"field":   strictyaml.Str(&fault.Field),
		"feature": strictyaml.Str(&fault.Feature),
	}, "kind")
}
