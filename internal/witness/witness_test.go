package witness

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/internal/generate"
	"github.com/loopstone/loopstone/internal/profile"
	"github.com/loopstone/loopstone/spec"
)

// alphabet is what the exhaustive search plays.
var alphabet = []string{
	`{"type":"tool_call","tool":"t","args":{"n":0}}`, `{"type":"tool_call","tool":"u","args":{"n":0}}`,
	`{"type":"tool_result","content":"ok"}`, `{"type":"tool_result","content":"ok","ok":false}`,
	`{"type":"reply"}`, `{"type":"message","role":"assistant","content":"hm"}`, `{"type":"message","role":"user","content":"hm"}`,
}

// letters are the same, read.
var letters = func() (list []spec.Value) {
	for _, text := range alphabet {
		list = append(list, spec.MustParse(text))
	}
	return list
}()

// deepest is how many events the exhaustive search plays.
const deepest = 5

// TestNothingSpeaksSooner plays every short trace: none makes a rung speak before its witness, and none a rung that is
// said never to speak.
func TestNothingSpeaksSooner(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		reason, config string
		want           []string // of each rung
	}{
		{"a run", `{"rules":[{"rungs":[{"at":2},{"at":3}]}]}`, []string{"2 shortest", "3 shortest"}},
		{"a run of results", `{"rules":[{"same":{"results":"text"},"rungs":[{"at":2}]}]}`, []string{"4 shortest"}},
		{"a run that is judged before", `{"rules":[{"judged":"before","rungs":[{"at":2}]}]}`, []string{"3 shortest"}},
		{"failures", `{"rules":[{"same":{"outcome":"failed"},"rungs":[{"at":2}]}]}`, []string{"4 shortest"}},
		{"a cycle", `{"rules":[{"pattern":{"sort":"cycle"},"rungs":[{"at":1}]}]}`, []string{"4 shortest"}},
		{"a cycle that is judged before", `{"rules":[{"pattern":{"sort":"cycle"},"judged":"before","rungs":[{"at":2}]}]}`, []string{"4 shortest"}},
		{"steps", `{"rules":[{"same":{"by":"step"},"rungs":[{"at":2}]}]}`, []string{"5 shortest"}},
		{"steps in a full window", `{"rules":[{"same":{"by":"step","results":"text"},"pattern":{"sort":"among","last":3,"full":true,"counts":"highest"},"rungs":[{"at":1}]}]}`, []string{"5 shortest"}},
		{"messages", `{"rules":[{"same":{"by":"message"},"rungs":[{"at":3}]}]}`, []string{"3 shortest"}},
		{"interleaved", `{"rules":[{"pattern":{"sort":"interleaved","last":5},"rungs":[{"at":2},{"at":3}]}]}`, []string{"3 shortest", "5 shortest"}},
		{"interleaved, judged before", `{"rules":[{"pattern":{"sort":"interleaved"},"judged":"before","rungs":[{"at":2}]}]}`, []string{"4 shortest"}},
		{"a count that the window cannot reach", `{"rules":[{"pattern":{"sort":"among","last":2},"rungs":[{"at":2},{"at":3}]}]}`, []string{"2 shortest", "never"}},
		{"returns that the window cannot hold", `{"rules":[{"pattern":{"sort":"interleaved","last":2},"rungs":[{"at":2}]}]}`, []string{"never"}},
		{"a rung behind a restart", `{"rules":[{"rungs":[{"at":2,"speaks":"restart"},{"at":3}]}]}`, []string{"2 shortest", "never"}},
		{"a rung behind what stays", `{"rules":[{"rungs":[{"at":2,"speaks":"stays"},{"at":3}]}]}`, []string{"2 shortest", "never"}},
		{"a rule behind one that hears more", `{"rules":[{"rungs":[{"at":2}]},{"fresh":["user"],"rungs":[{"at":3}]}]}`, []string{"2 shortest", "never"}},
		{"a rule behind one that forgets", `{"rules":[{"fresh":["user"],"rungs":[{"at":2}]},{"rungs":[{"at":3}]}]}`, []string{"2 shortest", "5"}},
		{"a tool that is not seen", `{"rules":[{"tools":{"only":["t"],"except":["t"]}}]}`, []string{"never"}},
		{"steps without a call", `{"rules":[{"same":{"by":"step"},"tools":{"except":["*"]},"rungs":[{"at":2}]}]}`, []string{"never"}},
		{"a tool that all lists but one leave out", `{"rules":[{"fresh":["change"],"changes":["*"],"rungs":[{"at":2}]}]}`, []string{"2 shortest"}},
		{"speech that takes no turns", `{"rules":[{"same":{"by":"speech"},"pattern":{"sort":"cycle"},"rungs":[{"at":2}]}]}`, []string{"never"}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			config := spec.MustParse(tt.config)
			answers, err := Of(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			for i, a := range answers {
				if got := said(a); got != tt.want[i] {
					t.Errorf("rung %d: %s, want %s (%+v)", i+1, got, tt.want[i], a)
				}
			}
			if !testing.Short() {
				exhaust(t, config, answers, nil)
			}
		})
	}
}

func said(a Answer) string {
	switch {
	case a.Never != "":
		return "never"
	case a.Shortest:
		return fmt.Sprintf("%d shortest", len(a.Trace))
	default:
		return fmt.Sprint(len(a.Trace))
	}
}

// exhaust plays every trace that begins with some events, and compares what speaks in it with the answers.
func exhaust(t *testing.T, config spec.Value, answers []Answer, events []spec.Value) {
	t.Helper()
	if len(events) < deepest {
		for _, e := range letters {
			exhaust(t, config, answers, append(events[:len(events):len(events)], e))
		}
		return
	}
	verdicts, err := play(t.Context(), config, events)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range answers {
		n := spoken(verdicts, a.Rule, a.Rung)
		if n > 0 && (a.Never != "" || a.Shortest && n < len(a.Trace)) {
			t.Fatalf("%s: %s, %s speaks after %v, which is not as said: %+v", config, a.Rule, a.Rung, events[:n], a)
		}
		for _, s := range a.After {
			if gap, n := closest(verdicts, a, s.Rung); gap > 0 && gap < s.Events {
				t.Fatalf("%s: %s, %s speaks %d events after %s, not %d: %v", config, a.Rule, a.Rung, gap, s.Rung, s.Events, events[:n])
			}
		}
	}
}

// closest returns in how few events a rung speaks after another of its rule, and after how many events it does so; 0 where
// it never does.
func closest(verdicts []spec.Value, upper Answer, lower string) (gap, n int) {
	last := -1
	for i := range verdicts {
		one := verdicts[i : i+1]
		switch {
		case spoken(one, upper.Rule, lower) > 0:
			last = i
		case last >= 0 && spoken(one, upper.Rule, upper.Rung) > 0 && (gap == 0 || i-last < gap):
			gap, n = i-last, i+1
		}
	}
	return gap, n
}

// TestNothingSpeaksSoonerInDrawnConfigurations asks the same of configurations that the generator draws: what is said of
// the shortest trace, of the way between two rungs, and of what never speaks is true of every short trace.
func TestNothingSpeaksSoonerInDrawnConfigurations(t *testing.T) {
	t.Parallel()
	definition, _ := spec.DefinitionOf(spec.Composed)
	subjects := generate.For(definition.Offer(), spec.Code)
	drawn := 6
	if os.Getenv("LOOPSTONE_SLOW") != "" {
		drawn = 40
	}
	if testing.Short() {
		drawn = 1
	}
	heard, shortest, never, pairs := 0, 0, 0, 0
	for seed := 0; heard < drawn; seed++ {
		config := rapid.Custom(subjects).Example(seed).Config
		answers, err := Of(t.Context(), config)
		if err != nil {
			continue // one subject in a few has a faulty configuration
		}
		if slices.ContainsFunc(answers, func(a Answer) bool { return len(a.Trace) > 0 && len(a.Trace) <= deepest || a.Never != "" }) {
			heard++
			exhaust(t, config, answers, nil)
		}
		for _, a := range answers {
			pairs += len(a.After)
			if a.Never != "" {
				never++
			}
			if a.Shortest {
				shortest++
			}
		}
	}
	t.Logf("%d configurations: %d rungs with a shortest trace, %d that never speak, %d pairs of rungs", drawn, shortest, never, pairs)
}

// TestEveryProfileCanBeHeard finds a witness of every rung of every profile.
func TestEveryProfileCanBeHeard(t *testing.T) {
	t.Parallel()
	all, err := profile.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		answers, err := Of(t.Context(), p.Config())
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range answers {
			if len(a.Trace) == 0 {
				t.Errorf("@%s: %s, %s: %s", p.Name, a.Rule, a.Rung, said(a))
			}
		}
	}
}

func TestARungThatNeverSpeaksIsNamed(t *testing.T) {
	t.Parallel()
	const config = `{"rules":[{"name":"r","pattern":{"sort":"among","last":2},"rungs":[{"at":2},{"name":"far","at":3}]}]}`
	err := EverySpeaks(t.Context(), "@x", spec.MustParse(config))
	if err == nil || err.Error() != "@x: rule r, rung far: the window holds 2 items, and the count must be 3" {
		t.Errorf("got %v", err)
	}
	if err := EverySpeaks(t.Context(), "@x", spec.MustParse(`{}`)); err != nil {
		t.Error(err)
	}
}
