package cases

import (
	"errors"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

// Contrast is the change of one step or one setting after which a silent case reports a loop. A port that reports
// nothing, whatever it is told, passes a silent case; it does not pass its contrast.
type Contrast struct {
	Config  spec.Value // of the sessions: the case's, but for one setting; absent where a step is changed
	Again   int        // this step, from 1, is taken once more
	Without int        // this step is left out, or taken once less
	Change  int        // this step has another event: that of step Like, or Event
	Like    int
	Event   spec.Value

	Until  int         // the contrast ends after this step of its own; 0 for the last
	Expect Expectation // of the last verdict; no other is compared
}

// IsSilent reports whether the case demands verdicts, none of which is a loop, and nothing else that a port could fail
// which never reports one: no state, and no refusal.
func (c Case) IsSilent() bool {
	silent := false
	for _, step := range c.Steps {
		if step.Fault != nil || step.Action != Observe && len(step.Expect) > 0 {
			return false
		}
		for _, expect := range step.Expect {
			loop, said := expect.Want("loop")
			kind, named := expect.Want("kind")
			if loop.Equal.IsTrue() || named && !kind.Absent {
				return false
			}
			silent = silent || said
		}
	}
	return silent
}

// Half is a case without its contrast, or the contrast as a case of the same name.
type Half struct {
	Case
	Change string // in what the contrast differs from its case; empty for the case itself
}

// Halves returns what is carried out: the case and, if it has one, its contrast.
func (c Case) Halves() []Half {
	contrast := c.Contrast
	c.Contrast = nil
	if contrast == nil {
		return []Half{{Case: c}}
	}
	return []Half{{Case: c}, {contrast.of(c), contrast.String()}}
}

// of returns the contrast of a case.
func (t Contrast) of(c Case) Case {
	if !t.Config.IsAbsent() {
		c.Config = t.Config
	}
	c.Steps = t.steps(c.Steps)
	for i := range c.Steps {
		c.Steps[i].Expect = nil
	}
	last := &c.Steps[len(c.Steps)-1]
	last.Events, last.Times, last.Pad = last.Observed(), 1, 0
	last.Expect = make([]Expectation, len(last.Events))
	last.Expect[len(last.Expect)-1] = t.Expect
	return c
}

// steps returns the steps of a case after the change, up to the last of the contrast.
func (t Contrast) steps(steps []Step) []Step {
	steps = slices.Clone(steps)
	switch {
	case t.Again > 0:
		steps[t.Again-1].Times++
	case t.Without > 0 && steps[t.Without-1].Times > 1:
		steps[t.Without-1].Times--
	case t.Without > 0:
		steps = slices.Delete(steps, t.Without-1, t.Without)
	case t.Like > 0:
		steps[t.Change-1].Events = steps[t.Like-1].Events
	case t.Change > 0:
		steps[t.Change-1].Events = []spec.Value{t.Event}
	}
	if t.Until > 0 {
		steps = steps[:t.Until]
	}
	return steps
}

// String says in what the contrast differs from its case.
func (t Contrast) String() string {
	switch {
	case t.Again > 0:
		return fmt.Sprintf("step %d once more", t.Again)
	case t.Without > 0:
		return fmt.Sprintf("step %d left out", t.Without)
	case t.Like > 0:
		return fmt.Sprintf("step %d like step %d", t.Change, t.Like)
	case t.Change > 0:
		return fmt.Sprintf("step %d with the event %s", t.Change, t.Event)
	default:
		return fmt.Sprintf("the configuration %s", t.Config)
	}
}

// readContrast reads a contrast.
func readContrast(n *strictyaml.Node) (*Contrast, error) {
	t := &Contrast{}
	return t, n.Read(map[string]strictyaml.Reader{
		"config":  strictyaml.Mapping(&t.Config),
		"again":   strictyaml.Int(1, &t.Again),
		"without": strictyaml.Int(1, &t.Without),
		"change":  strictyaml.Int(1, &t.Change),
		"like":    strictyaml.Int(1, &t.Like),
		"to":      strictyaml.By(&t.Event, readChanged),
		"until":   strictyaml.Int(1, &t.Until),
		"expect": func(n *strictyaml.Node) (err error) {
			t.Expect, err = readExpectation(n, true)
			return errors.Join(err, checkVerdictMembers(n))
		},
	}, "expect")
}

// readChanged reads the event that a changed step has, under the name of its type.
func readChanged(n *strictyaml.Node) (spec.Value, error) {
	step, err := readStep(n)
	if err != nil {
		return spec.Value{}, err
	}
	if len(n.Pairs) != 1 || step.Action != Observe || step.Batch {
		return spec.Value{}, n.Problemf("to: want one event under the name of its type")
	}
	return step.Events[0], nil
}

// checkContrast checks that a contrast stands beside a silent case, differs from it in one step or one setting, and
// ends with a loop.
func checkContrast(n *strictyaml.Node, c Case) error {
	t := c.Contrast
	if t == nil && c.NoContrast == "" {
		return nil
	}
	if !c.IsSilent() {
		return n.Problemf("only a case that demands silence and nothing else has a contrast, or a reason to have none")
	}
	if t == nil {
		return nil
	}
	at := n.Get("contrast")
	loop, _ := t.Expect.Want("loop")
	switch {
	case c.NoContrast != "":
		return at.Problemf("a case with a contrast has no reason to have none")
	case at.Count("config", "again", "without", "change") != 1 || at.Count("change") != at.Count("like", "to"):
		return at.Problemf("a contrast has one change: config, again, without, or change with like or to")
	case !loop.Equal.IsTrue():
		return at.Problemf("expect: a contrast ends with a loop; want loop: true")
	case !t.Config.IsAbsent() && c.IsOfProfile():
		return at.Problemf("config: a port with the profile alone takes no configuration; change an event")
	case !t.Config.IsAbsent():
		if count := differences(c.Config, t.Config); count != 1 {
			return at.Problemf("config: want the case's with another value of one setting, got %d differences", count)
		}
	}
	return t.checkSteps(at, c.Steps)
}

// checkSteps checks that the steps that the contrast names are there and can be changed so.
func (t Contrast) checkSteps(at *strictyaml.Node, steps []Step) error {
	if last := max(t.Again, t.Without, t.Change, t.Like); last > len(steps) {
		return at.Problemf("there is no step %d; the case has %d", last, len(steps))
	}
	if t.Again > 0 && steps[t.Again-1].Action != Observe {
		return at.Problemf("again: step %d is no event", t.Again)
	}
	if t.Change > 0 {
		if err := t.checkChange(at, steps); err != nil {
			return err
		}
	}
	until := t.Until
	t.Until = 0
	left := t.steps(steps)
	switch {
	case until > 0 && until >= len(left):
		return at.Problemf("until: want a step before the last of the contrast, which has %d", len(left))
	case until > 0:
		left = left[:until]
	}
	if len(left) == 0 || left[len(left)-1].Action != Observe {
		return at.Problemf("a contrast ends with an event")
	}
	return nil
}

// checkChange checks that a changed step is one event, and becomes another.
func (t Contrast) checkChange(at *strictyaml.Node, steps []Step) error {
	changed, event := steps[t.Change-1], t.Event
	if changed.Action != Observe || changed.Batch || changed.Times > 1 {
		return at.Problemf("change: step %d is not one event", t.Change)
	}
	if t.Like > 0 {
		like := steps[t.Like-1]
		if like.Action != Observe || like.Batch {
			return at.Problemf("like: step %d is not one event", t.Like)
		}
		event = like.Events[0]
	}
	// in their spelling: the order of members may be what a case is about
	if changed.Events[0].String() == event.String() {
		return at.Problemf("step %d has that event already", t.Change)
	}
	return nil
}

// differences counts in how many settings two configurations differ, at every depth.
func differences(a, b spec.Value) int {
	switch {
	case a.Kind() == spec.Object && b.Kind() == spec.Object:
		count := 0
		for _, m := range a.Members() {
			count += differences(m.Value, b.Get(m.Name))
		}
		for _, m := range b.Members() {
			if a.Get(m.Name).IsAbsent() {
				count++
			}
		}
		return count
	case a.Kind() == spec.Array && b.Kind() == spec.Array && len(a.Items()) == len(b.Items()):
		count := 0
		for i, item := range a.Items() {
			count += differences(item, b.Items()[i])
		}
		return count
	case a.IsAbsent() && b.Kind() == spec.Object:
		return len(b.Members())
	case a.IsAbsent() != b.IsAbsent() || !a.Equal(b):
		return 1
	default:
		return 0
	}
}

// LintContrasts finds silent cases that have neither a contrast nor a reason to have none, one problem a line.
func LintContrasts(all []Case) error {
	var problems []error
	for _, c := range all {
		if c.IsSilent() && c.Contrast == nil && c.NoContrast == "" {
			problem := c.Place.Problemf("%s is silent: want its contrast, or no_contrast with the reason", c.ID)
			problems = append(problems, problem)
		}
	}
	return errors.Join(problems...)
}

// value returns the contrast in the format of a case file.
func (t Contrast) value() spec.Value {
	o := object{}
	o.set("config", t.Config)
	o.number("again", t.Again)
	o.number("without", t.Without)
	o.number("change", t.Change)
	o.number("like", t.Like)
	if !t.Event.IsAbsent() {
		to := object{}
		Step{Events: []spec.Value{t.Event}}.writeEvents(&to)
		o.set("to", to.value())
	}
	o.number("until", t.Until)
	o.set("expect", t.Expect.value())
	return o.value()
}
