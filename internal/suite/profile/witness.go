package profile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// Witness is what is known of one rung, or of a rule of stream, which has none.
type Witness struct {
	Rule, Rung string
	Trace      []spec.Value // it speaks after the last of these; empty where no trace is known
	Shortest   bool         // no trace with fewer events makes it speak
	Never      string       // why it never speaks; empty where it does, or nobody knows
}

// String names the rung.
func (w Witness) String() string {
	if w.Rung == "" {
		return "rule " + w.Rule
	}
	return "rule " + w.Rule + ", rung " + w.Rung
}

// reached says what happens at the end of the trace.
func (w Witness) reached() string {
	if w.Rung == "" {
		return fmt.Sprintf("The rule %s reports a loop", w.Rule)
	}
	return fmt.Sprintf("The rule %s reaches its rung %s", w.Rule, w.Rung)
}

// Witnesses returns, for each rung of a configuration and in their order, the shortest trace that makes it speak, which
// the reference has confirmed, or why none does; id is the profile, or the detector, that has the configuration. The
// error is the configuration's fault.
func Witnesses(ctx context.Context, id spec.DetectorID, config spec.Value) ([]Witness, error) {
	if id.Row() == spec.Stream {
		return streamWitnesses(ctx, config)
	}
	rules, err := rulesOf(config)
	if err != nil {
		return nil, err
	}
	var answers []Witness
	for _, r := range rules {
		for k := range r.Rungs {
			a, err := answer(ctx, config, r, k)
			if err != nil {
				return nil, err
			}
			answers = append(answers, a)
		}
	}
	return answers, nil
}

// EverySpeaks returns an error that names the rungs of a configuration of which no trace is known that makes them
// speak; id is whose they are.
func EverySpeaks(ctx context.Context, id spec.DetectorID, config spec.Value) error {
	answers, err := Witnesses(ctx, id, config)
	if err != nil {
		return fmt.Errorf("%s: %w", id, err)
	}
	var problems []error
	for _, a := range answers {
		if len(a.Trace) == 0 {
			why := a.Never
			if why == "" {
				why = "no trace was found that makes it speak"
			}
			problems = append(problems, fmt.Errorf("%s: %s: %s", id, a, why))
		}
	}
	return errors.Join(problems...)
}

// answer tries the traces that are shortest for the rule alone, then variations that earlier rules do not see.
func answer(ctx context.Context, config spec.Value, r rule, k int) (Witness, error) {
	a := Witness{Rule: r.Name, Rung: r.Rungs[k].Name}
	if a.Never = r.unreachable(k); a.Never != "" || r.ofCalls() && r.tool(0) == nil {
		return a, nil
	}
	for v := range variations {
		steps := r.trace(k, v)
		if len(a.Trace) > 0 && len(steps) >= len(a.Trace) {
			continue
		}
		verdicts, err := play(ctx, spec.Composed, config, steps)
		if err != nil {
			return a, err
		}
		if n := spoken(verdicts, a.Rule, a.Rung); n > 0 && (len(a.Trace) == 0 || n < len(a.Trace)) {
			a.Trace = steps[:n]
			a.Shortest = n == len(r.trace(k, 0))
		}
	}
	return a, nil
}

// spoken returns how many events it takes until a rung speaks; 0 where it does not.
func spoken(verdicts []spec.Value, rule, rung string) int {
	return 1 + slices.IndexFunc(verdicts, func(v spec.Value) bool {
		name, _ := v.Get("rule").Str()
		step, _ := v.Get("rung").Str()
		return name == rule && step == rung
	})
}

// play returns the reference's verdicts.
func play(ctx context.Context, id spec.DetectorID, config spec.Value, events []spec.Value) ([]spec.Value, error) {
	s, err := reference.Port().Open(ctx, id.Row(), spec.Code, config)
	if err != nil {
		return nil, err
	}
	defer s.Close(ctx)
	return s.Observe(ctx, events)
}

// unreachable returns why a rung cannot be reached by the rule alone, or nothing.
func (r rule) unreachable(k int) string {
	at := r.Rungs[k].At
	switch {
	case r.ofCalls() && r.hasNoCall():
		return "no call is seen by the rule that it may speak of"
	case slices.Contains([]string{"among", "streak"}, r.Pattern.Sort) && at > r.Pattern.Last:
		return fmt.Sprintf("the window holds %d items, and the count must be %d", r.Pattern.Last, at)
	}
	if r.Same.By == "speech" && r.Pattern.Sort == "cycle" && r.Pattern.From > 1 {
		return "all messages are equal by speech, so that nothing comes between them"
	}
	if len(r.Tools.Silent)+len(r.Tools.Watched) > 0 { // what is counted in silence may pass a rung that would end it
		return ""
	}
	for _, g := range r.Rungs[:k] {
		if g.Speaks == "restart" || g.Speaks == "stays" {
			return fmt.Sprintf("the rung %s is reached before, and %s", g.Name,
				map[string]string{"restart": "the count starts anew", "stays": "what it says stays"}[g.Speaks])
		}
	}
	return ""
}

// EventLine writes an event in a few words.
func EventLine(event spec.Value) string {
	var words []string
	for _, m := range event.Members() {
		text, isText := m.Value.Str()
		if !isText || strings.ContainsAny(text, "\r\n") {
			text = m.Value.String()
		}
		words = append(words, text)
	}
	return strings.Join(words, " ")
}
