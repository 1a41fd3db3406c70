package witness

import (
	"context"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// Way is how a rung comes to speak after one of another rule has.
type Way struct {
	From, To Rung
	Events   int    // in how many events, in the best of the traces that were tried; 0 where none of them shows it
	Never    string // why it never does; empty where it does, or nobody knows
}

// Rung names a rung of a rule.
type Rung struct{ Rule, Rung string }

// Between looks for ways between the rungs of different rules, of those that the answers have a trace for. One event is
// the shortest way that there can be; of a longer one, nobody knows that none is shorter.
func Between(ctx context.Context, config spec.Value, answers []Answer) ([]Way, error) {
	rules := read(config)
	var ways []Way
	for _, to := range answers {
		for _, from := range answers {
			if from.Rule == to.Rule || len(from.Trace) == 0 || len(to.Trace) == 0 {
				continue
			}
			w := Way{From: Rung{from.Rule, from.Rung}, To: Rung{to.Rule, to.Rung}}
			if w.Never = silenced(rules, w); w.Never == "" {
				if err := w.shorten(ctx, config, from.Trace, to.Trace); err != nil {
					return nil, err
				}
			}
			ways = append(ways, w)
		}
	}
	return ways, nil
}

// silenced proves that a rule is not heard once the rung has spoken: what that says stays for good, and is said
// wherever the rule could speak. It returns why, or nothing where that is not so.
func silenced(rules []rule, w Way) string {
	i := slices.IndexFunc(rules, func(r rule) bool { return r.name == w.From.Rule })
	k := slices.IndexFunc(rules, func(r rule) bool { return r.name == w.To.Rule })
	from, to := rules[i], rules[k]
	g := from.rungs[slices.IndexFunc(from.rungs, func(g rung) bool { return g.name == w.From.Rung })]
	sameItems := from.by == to.by && from.results == to.results && from.before == to.before &&
		from.text("tools") == to.text("tools")
	if i < k && g.speaks == "stays" && len(from.fresh) == 0 && sameItems {
		return fmt.Sprintf("what %s has said stays, and is said first", from.name)
	}
	return ""
}

// mostSplits bounds how many ends of a trace are tried as the last steps of a way.
const mostSplits = 12

// shorten tries to tell the one trace within the other: all of it but for its last events, then that of the first rung,
// then the rest, perhaps after something that starts rules afresh.
func (w *Way) shorten(ctx context.Context, config spec.Value, from, to []spec.Value) error {
	for rest := 1; rest <= len(to); rest++ {
		if rest > mostSplits && rest < len(to) {
			continue
		}
		for _, told := range [][]spec.Value{to, ofOthers(to)} {
			begin, end := told[:len(told)-rest], told[len(told)-rest:]
			for _, pause := range pauses() {
				verdicts, err := play(ctx, config, slices.Concat(begin, from, pause, end))
				if err != nil {
					return err
				}
				if n := w.gap(verdicts); n > 0 && (w.Events == 0 || n < w.Events) {
					w.Events = n
				}
				if w.Events == 1 {
					return nil
				}
			}
		}
	}
	return nil
}

// pauses are what may stand between two rungs: nothing, what starts rules afresh, or the answer to a call that was
// judged before, which would else take the next one.
func pauses() [][]spec.Value {
	user, answer := event("message", "role", "user", "content", "go on"), event("tool_result", "content", "ok")
	return [][]spec.Value{nil, {answer}, {user}, {event("reply")}, {answer, user}}
}

// ofOthers tells a trace of other calls of the same tools.
func ofOthers(events []spec.Value) []spec.Value {
	others := slices.Clone(events)
	for i, e := range others {
		if args := e.Get("args"); !args.IsAbsent() {
			others[i] = e.With("args", args.With("n", spec.StringValue("other "+args.Get("n").String())))
		}
	}
	return others
}

// gap returns in how few events the one rung speaks after the other; 0 where it never does.
func (w *Way) gap(verdicts []spec.Value) (least int) {
	last := -1
	for i, v := range verdicts {
		if spoken([]spec.Value{v}, w.To.Rule, w.To.Rung) > 0 && last >= 0 && (least == 0 || i-last < least) {
			least = i - last
		}
		if spoken([]spec.Value{v}, w.From.Rule, w.From.Rung) > 0 {
			last = i
		}
	}
	return least
}
