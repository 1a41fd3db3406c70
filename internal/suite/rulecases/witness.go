package rulecases

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// Witness is what is known of one rung, or of a rule of stream, which has none.
type Witness struct {
	Rule, Rung string
	Trace      []spec.Value // it speaks after the last of these; empty where no trace is known
	Shortest   bool         // no trace with fewer events makes it speak
	Never      string       // why it never speaks; empty where it does, or nobody knows
	Beyond     string       // why no trace was looked for, or not for longer; empty where the search was whole

	told variation // how the trace is told
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
		return fmt.Sprintf("The rule %q reports a loop", w.Rule)
	}
	return fmt.Sprintf("The rule %q reaches its rung %q", w.Rule, w.Rung)
}

// Witnesses returns, for each rung of a configuration and in their order, the shortest trace that makes it speak, which
// the reference has confirmed, or why none does; id is the profile, or the detector, that has the configuration. The
// error is the configuration's fault, or the context's.
func Witnesses(ctx context.Context, id spec.DetectorID, config spec.Value) ([]Witness, error) {
	if _, err := open(id, config); err != nil {
		return nil, err
	}
	return witnesses(id, config, &budget{ctx, stepsOfConfig}), ctx.Err()
}

func witnesses(id spec.DetectorID, config spec.Value, b *budget) (answers []Witness) {
	if id.Row() == spec.Stream {
		return streamWitnesses(config, b)
	}
	rules, rungs := rulesOf(config), 0
	for _, r := range rules {
		rungs += len(r.Rungs)
	}
	for _, r := range rules {
		for k := range r.Rungs {
			b.share(b.left/(rungs-len(answers)), func(part *budget) {
				answers = append(answers, answer(config, r, k, part))
			})
		}
	}
	return answers
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
			why := cmp.Or(a.Never, "no trace was found on which it reports")
			problems = append(problems, fmt.Errorf("%s: %s: %s", id, a, why))
		}
	}
	return errors.Join(problems...)
}

// answer tries the traces that are shortest for the rule alone, then variations that earlier rules do not see.
func answer(config spec.Value, r rule, k int, b *budget) Witness {
	a := Witness{Rule: r.Name, Rung: r.Rungs[k].Name}
	if a.Never = r.unreachable(k); a.Never != "" || r.ofCalls() && r.tool(0) == nil {
		return a
	}
	if n := r.length(k); n > MostEvents {
		a.Beyond = fmt.Sprintf("it takes %d events or more, and a trace has at most %d", n, MostEvents)
		return a
	}
	a.search(config, r, k, b)
	return a
}

// search plays the variations of a trace until the rung speaks in the plainest, or all were tried.
func (w *Witness) search(config spec.Value, r rule, k int, b *budget) {
	shortest := len(r.trace(k, 0))
	for v := 0; v < variations && !w.Shortest; v++ {
		if b.isSpent() {
			if len(w.Trace) == 0 {
				w.Beyond = ended
			}
			return
		}
		steps := r.trace(k, v)
		if len(steps) == 0 || len(w.Trace) > 0 && len(steps) >= len(w.Trace) || len(steps) > MostEvents {
			continue
		}
		b.spend(opening+len(steps), weightOfRules(config))
		verdicts := play(spec.Composed, config, laws.Observing(steps))
		speaks := func(v spec.Verdict) bool { return v.Rule == w.Rule && v.Rung == w.Rung }
		if n := 1 + slices.IndexFunc(verdicts, speaks); n > 0 && (len(w.Trace) == 0 || n < len(w.Trace)) {
			w.Trace, w.told, w.Shortest = steps[:n], v, n == shortest
		}
	}
}

// play returns the reference's verdict after each step, without evidence; no loop after a reset. The reference accepts
// the configuration.
func play(id spec.DetectorID, config spec.Value, steps []laws.Step) []spec.Verdict {
	detector, _ := open(id, config)
	return lists.Map(steps, func(s laws.Step) (verdict spec.Verdict) {
		if s.IsReset() {
			detector.Reset()
			return verdict
		}
		event, _ := spec.DecodeEvent(s.Event) // it is one
		verdict = detector.Observe(event)
		verdict.Evidence = nil
		return verdict
	})
}

func reportsLoop(v spec.Verdict) bool { return v.Loop }

// unreachable returns why a rung cannot be reached by the rule alone, or nothing.
func (r rule) unreachable(k int) string {
	at := r.Rungs[k].At
	switch {
	case r.ofCalls() && r.hasNoCall():
		return "the rule sees no call that it may report"
	case slices.Contains([]string{"among", "streak", "revisit"}, r.Pattern.Sort) && at > r.Pattern.Last:
		return fmt.Sprintf("the window holds %d items, and the count must be %d", r.Pattern.Last, at)
	}
	if r.Same.By == "speech" && r.hasPeriods() && r.Pattern.From > 1 {
		return "all messages are equal by speech, so that nothing comes between them"
	}
	if len(r.Tools.Silent)+len(r.Tools.Watched) > 0 { // what is counted in silence may pass a rung that would end it
		return ""
	}
	for _, g := range r.Rungs[:k] {
		if g.Speaks == "restart" || g.Speaks == "stays" {
			return fmt.Sprintf("the rung %s is reached before, and %s", g.Name,
				map[string]string{"restart": "the count starts again", "stays": "its verdict stays"}[g.Speaks])
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
