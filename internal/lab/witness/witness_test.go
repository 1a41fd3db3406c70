package witness

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/internal/suite/generate"
	"github.com/loopstone/loopstone/reference/fast/composed"
	"github.com/loopstone/loopstone/spec"
)

// alphabet is what the exhaustive search plays.
var alphabet = []string{
	`{"type":"tool_call","tool":"t","args":{"n":0}}`, `{"type":"tool_call","tool":"u","args":{"n":0}}`,
	`{"type":"tool_result","content":"ok"}`, `{"type":"tool_result","content":"ok","ok":false}`,
	`{"type":"reply"}`, `{"type":"message","role":"assistant","content":"hm"}`, `{"type":"message","role":"user","content":"hm"}`,
}

// symbols are the same, as a detector is given them.
var symbols = func() (list []spec.Event) {
	for _, text := range alphabet {
		symbol, err := spec.DecodeEvent(spec.MustParse(text))
		if err != nil {
			panic(err)
		}
		list = append(list, symbol)
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
		{"messages", `{"rules":[{"same":{"by":"speech"},"rungs":[{"at":3}]}]}`, []string{"3 shortest"}},
		{"a count that the window cannot reach", `{"rules":[{"pattern":{"sort":"among","last":2},"rungs":[{"at":2},{"at":3}]}]}`, []string{"2 shortest", "never"}},
		{
			"a rung behind a restart", `{"rules":[{"rungs":[{"at":2,"speaks":"restart"},{"at":3}]}]}`,
			[]string{"2 shortest", "never"},
		},
		{
			"a rung behind what stays", `{"rules":[{"rungs":[{"at":2,"speaks":"stays"},{"at":3}]}]}`,
			[]string{"2 shortest", "never"},
		},
		{"a rule behind one that hears more", `{"rules":[{"rungs":[{"at":2}]},{"fresh":["user"],"rungs":[{"at":3}]}]}`, []string{"2 shortest", "never"}},
		{
			"a rule behind one that forgets", `{"rules":[{"fresh":["user"],"rungs":[{"at":2}]},{"rungs":[{"at":3}]}]}`,
			[]string{"2 shortest", "5"},
		},
		{"a tool that is not seen", `{"rules":[{"tools":{"only":["t"],"except":["t"]}}]}`, []string{"never"}},
		{
			"steps without a call", `{"rules":[{"same":{"by":"step"},"tools":{"except":["*"]},"rungs":[{"at":2}]}]}`,
			[]string{"never"},
		},
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
			exhaust(t, config, answers, waysOf(t, config, answers))
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

// exhaust plays every trace of the alphabet, and compares what speaks with the answers. Detectors are asked without a
// port between: it is a third of a million traces.
func exhaust(t *testing.T, config spec.Value, answers []Answer, ways []Way) {
	t.Helper()
	detector, err := composed.Implementation().New(spec.Code, config)
	if err != nil {
		t.Fatal(err)
	}
	traces := 1
	for range deepest {
		traces *= len(symbols)
	}
	verdicts := make([]spec.Verdict, deepest)
	for number := range traces {
		detector.Reset()
		for n, rest := 0, number; n < deepest; n, rest = n+1, rest/len(symbols) {
			event := symbols[rest%len(symbols)]
			event.Index = n
			verdicts[n] = detector.Observe(event)
		}
		for _, a := range answers {
			contradict(t, config, a, verdicts, number)
		}
		for _, w := range ways {
			if w.Never != "" && w.gap(values(verdicts)) > 0 {
				t.Fatalf("%s: %+v, but the trace %d in base %d shows it", config, w, number, len(symbols))
			}
		}
	}
}

func waysOf(t *testing.T, config spec.Value, answers []Answer) []Way {
	t.Helper()
	ways, err := Between(t.Context(), config, answers)
	if err != nil {
		t.Fatal(err)
	}
	return ways
}

func values(verdicts []spec.Verdict) (list []spec.Value) {
	for _, v := range verdicts {
		list = append(list, v.Value())
	}
	return list
}

// TestWaysBetweenRules names how soon a rung speaks after one of another rule.
func TestWaysBetweenRules(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		reason, first, second string
		want, back            string // to the second rule, and from it
	}{
		{
			"another call may be one step short", `{"rungs":[{"at":2}]}`,
			`{"pattern":{"sort":"among"},"rungs":[{"at":2}]}`, "1", "1",
		},
		{
			"the last call of a run begins a cycle", `{"rungs":[{"at":2}]}`,
			`{"pattern":{"sort":"cycle"},"rungs":[{"at":2}]}`, "3", "1",
		},
		{
			"a call that is judged before still waits", `{"judged":"before","rungs":[{"at":1}]}`,
			`{"same":{"outcome":"failed"},"rungs":[{"at":2}]}`, "1", "1",
		},
		{
			"what stays is said instead", `{"rungs":[{"at":2,"speaks":"stays"}]}`,
			`{"pattern":{"sort":"among"},"rungs":[{"at":2}]}`, "never", "1",
		},
		{
			"what stays ends with a fresh start", `{"fresh":["user"],"rungs":[{"at":2,"speaks":"stays"}]}`,
			`{"pattern":{"sort":"among"},"rungs":[{"at":2}]}`, "2", "1",
		},
		{
			"what stays is silent at other events", `{"rungs":[{"at":2,"speaks":"stays"}]}`,
			`{"same":{"by":"speech"},"rungs":[{"at":1}]}`, "1", "1",
		},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			config := spec.MustParse(`{"rules":[` + tt.first + `,` + tt.second + `]}`)
			answers, err := Of(t.Context(), config)
			if err != nil {
				t.Fatal(err)
			}
			ways := waysOf(t, config, answers)
			for _, w := range ways {
				got, want := fmt.Sprint(w.Events), tt.want
				if w.Never != "" {
					got = "never"
				}
				if w.To.Rule == "1" {
					want = tt.back
				}
				if got != want {
					t.Errorf("%+v: want %s", w, want)
				}
			}
			exhaust(t, config, answers, ways)
		})
	}
}

// contradict compares what is said of a rung with what is said after each event of a trace, which has a number: its
// symbols are the digits, the first one last.
func contradict(t *testing.T, config spec.Value, a Answer, verdicts []spec.Verdict, number int) {
	t.Helper()
	n := 1 + slices.IndexFunc(verdicts, func(v spec.Verdict) bool { return v.Rule == a.Rule && v.Rung == a.Rung })
	if n > 0 && (a.Never != "" || a.Shortest && n < len(a.Trace)) {
		t.Fatalf("%s: %s, %s speaks after %d events of the trace %d in base %d, which is not as said: %+v",
			config, a.Rule, a.Rung, n, number, len(symbols), a)
	}
	for _, s := range a.After {
		if gap := closest(verdicts, a, s.Rung); gap > 0 && gap < s.Events {
			t.Fatalf("%s: %s, %s speaks %d events after %s, not %d, in the trace %d in base %d",
				config, a.Rule, a.Rung, gap, s.Rung, s.Events, number, len(symbols))
		}
	}
}

// closest returns in how few events a rung speaks after another of its rule; 0 where it never does.
func closest(verdicts []spec.Verdict, upper Answer, lower string) (gap int) {
	last := -1
	for i, v := range verdicts {
		switch {
		case v.Rule != upper.Rule:
		case v.Rung == lower:
			last = i
		case last >= 0 && v.Rung == upper.Rung && (gap == 0 || i-last < gap):
			gap = i - last
		}
	}
	return gap
}

// TestNothingSpeaksSoonerInDrawnConfigurations asks the same of configurations that the generator draws: what is said
// of the shortest trace, of the way between two rungs, and of what never speaks is true of every short trace.
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
			exhaust(t, config, answers, waysOf(t, config, answers))
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
	t.Logf("%d configurations: %d rungs with a shortest trace, %d that never speak, %d pairs of rungs", drawn,
		shortest, never, pairs)
}

// TestEveryProfileCanBeHeard finds a witness of every rung of every profile, and a way between every two rules of one.
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
		for _, w := range waysOf(t, p.Config(), answers) {
			if w.Events == 0 {
				t.Errorf("@%s: no way from %v to %v was found", p.Name, w.From, w.To)
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
