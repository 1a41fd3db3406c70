package crow_test

import (
	"context"
	"slices"
	"testing"

	"github.com/loopstone/loopstone/spec"
	"pgregory.net/rapid"
)

// check fails where two lists of verdicts differ.
func check(t *rapid.T, what string, got, want []spec.Value) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: got %d verdicts, want %d", what, len(got), len(want))
	}
	for i := range want {
		if !got[i].Equal(want[i]) {
			t.Fatalf("%s: verdict %d is %s, want %s", what, i, got[i], want[i])
		}
	}
}

// withoutEvidence returns the verdicts as a session that does not know the earlier events gives them.
func withoutEvidence(verdicts []spec.Value) []spec.Value {
	list := make([]spec.Value, len(verdicts))
	for i, v := range verdicts {
		list[i] = v.Without("evidence")
	}
	return list
}

// cut divides a trace at a place of rapid's choice.
func cut(t *rapid.T, trace []spec.Value) (before, after []spec.Value) {
	i := rapid.IntRange(0, len(trace)).Draw(t, "cut")
	return trace[:i], trace[i:]
}

func TestMemberOrderOfArgumentsDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, trace := drawSettings(t), drawTrace(t)
		turned := make([]spec.Value, len(trace))
		for i, e := range trace {
			if turned[i] = e; !e.Get("args").IsAbsent() && rapid.Bool().Draw(t, "turn") {
				turned[i] = e.With("args", turn(e.Get("args")))
			}
		}
		check(t, "turned", observe(t, open(t, s), turned), observe(t, open(t, s), trace))
	})
}

// turn reverses the order of members at every depth.
func turn(v spec.Value) spec.Value {
	switch v.Kind() {
	case spec.Object:
		members := slices.Clone(v.Members())
		slices.Reverse(members)
		for i := range members {
			members[i].Value = turn(members[i].Value)
		}
		return spec.ObjectValue(members...)
	case spec.Array:
		items := make([]spec.Value, len(v.Items()))
		for i, item := range v.Items() {
			items[i] = turn(item)
		}
		return spec.ArrayValue(items...)
	default:
		return v
	}
}

func TestResetSessionIsAsGoodAsNew(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawSettings(t)
		used := open(t, s)
		observe(t, used, drawTrace(t))
		if err := used.Reset(context.Background()); err != nil {
			t.Fatalf("reset: %v", err)
		}
		trace := drawTrace(t)
		check(t, "after reset", withoutEvidence(observe(t, used, trace)), withoutEvidence(observe(t, open(t, s), trace)))
	})
}

func TestWindowForgetsAllThatLeftIt(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := drawSettings(t)
		s.recent, s.checkEvery = rapid.IntRange(1, 30).Draw(t, "recent"), 1
		trace := slices.DeleteFunc(drawTrace(t), func(e spec.Value) bool {
			typ, _ := e.Get("type").Str()
			return typ == string(spec.Output)
		})
		if len(trace) == 0 {
			return
		}
		all := observe(t, open(t, s), trace)
		tail := observe(t, open(t, s), trace[max(0, len(trace)-s.recent):])
		check(t, "tail", withoutEvidence(tail[len(tail)-1:]), withoutEvidence(all[len(all)-1:]))
	})
}

func TestLaterEventsDoNotChangeEarlierVerdicts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, trace := drawSettings(t), drawTrace(t)
		before, _ := cut(t, trace)
		all := observe(t, open(t, s), trace)
		check(t, "prefix", observe(t, open(t, s), before), all[:len(before)])
	})
}

func TestBatchesMakeNoDifference(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, trace := drawSettings(t), drawTrace(t)
		before, after := cut(t, trace)
		split := open(t, s)
		got := append(observe(t, split, before), observe(t, split, after)...)
		check(t, "split", got, observe(t, open(t, s), trace))
	})
}

func TestSessionsDoNotInfluenceOneAnother(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, one, two := drawSettings(t), drawTrace(t), drawTrace(t)
		a, b := open(t, s), open(t, s)
		var got []spec.Value
		for i := range max(len(one), len(two)) {
			if i < len(two) {
				observe(t, b, two[i:i+1])
			}
			if i < len(one) {
				got = append(got, observe(t, a, one[i:i+1])...)
			}
		}
		check(t, "interleaved", got, observe(t, open(t, s), one))
	})
}

func TestCountsStayWithinTheWindow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, trace := drawSettings(t), drawTrace(t)
		bound := len(trace)
		if s.recent > 0 {
			bound = min(bound, s.recent)
		}
		for i, v := range observe(t, open(t, s), trace) {
			if n, ok := v.Get("count").Int(); ok && (n < 1 || n > bound) {
				t.Fatalf("verdict %d counts %d of %d events", i, n, bound)
			}
		}
	})
}

func TestRestoredSessionGoesOnAsTheOriginal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, trace := drawSettings(t), drawTrace(t)
		before, after := cut(t, trace)
		original, restored := open(t, s), open(t, s)
		other := drawTrace(t)
		observe(t, original, before)
		observe(t, restored, other)
		state, err := original.Snapshot(context.Background())
		if err != nil {
			t.Fatalf("snapshot: %v", err)
		}
		if err := restored.Restore(context.Background(), spec.MustParse(state.String())); err != nil {
			t.Fatalf("restore %s: %v", state, err)
		}
		got, want := observe(t, restored, after), observe(t, original, after)
		check(t, "restored", withoutEvidence(got), withoutEvidence(want))
		for i := range want {
			if g, w := got[i].Get("evidence"), sinceRestore(want[i].Get("evidence"), len(before), len(other)); !g.Equal(w) {
				t.Fatalf("restored: evidence of verdict %d is %s, want %s", i, g, w)
			}
		}
	})
}

// sinceRestore returns what a restored session must name of the original's evidence: the events since the snapshot, which
// the one had taken after so many events, and the other had seen so many of its own by then. Without any it is absent.
func sinceRestore(evidence spec.Value, taken, seen int) spec.Value {
	var indices []int
	for _, item := range evidence.Items() {
		if i, _ := item.Int(); i >= taken {
			indices = append(indices, i-taken+seen)
		}
	}
	if indices == nil {
		return spec.Value{}
	}
	return spec.IntsValue(indices)
}
