package rulecases

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/internal/suite/tracegen"
	"github.com/loopstone/loopstone/reference/composed"
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
		{"a rule behind one that hears more", `{"rules":[{"rungs":[{"at":2}]},{"fresh":["user"],"rungs":[{"at":3}]}]}`, []string{"2 shortest", "0"}},
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
			answers, err := Witnesses(t.Context(), spec.Composed, config)
			if err != nil {
				t.Fatal(err)
			}
			for i, a := range answers {
				if got := said(a); got != tt.want[i] {
					t.Errorf("rung %d: %s, want %s (%+v)", i+1, got, tt.want[i], a)
				}
			}
			exhaust(t, config, answers)
		})
	}
}

func said(a Witness) string {
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
func exhaust(t *testing.T, config spec.Value, answers []Witness) {
	t.Helper()
	detector, err := spec.Define(spec.Composed, composed.New, nil).New(spec.Code, config)
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
	}
}

// contradict compares what is said of a rung with what is said after each event of a trace, which has a number: its
// symbols are the digits, the first one last.
func contradict(t *testing.T, config spec.Value, a Witness, verdicts []spec.Verdict, number int) {
	t.Helper()
	n := 1 + slices.IndexFunc(verdicts, func(v spec.Verdict) bool { return v.Rule == a.Rule && v.Rung == a.Rung })
	if n > 0 && (a.Never != "" || a.Shortest && n < len(a.Trace)) {
		t.Fatalf("%s: %s, %s speaks after %d events of the trace %d in base %d, which is not as said: %+v",
			config, a.Rule, a.Rung, n, number, len(symbols), a)
	}
}

// TestNothingSpeaksSoonerInDrawnConfigurations asks the same of configurations that the generator draws: what is said
// of the shortest trace and of what never speaks is true of every short trace.
func TestNothingSpeaksSoonerInDrawnConfigurations(t *testing.T) {
	t.Parallel()
	definition, _ := spec.DefinitionOf(spec.Composed)
	subjects := tracegen.For(definition.Offer(), spec.Code)
	drawn := 6
	if os.Getenv("LOOPSTONE_SLOW") != "" {
		drawn = 40
	}
	if testing.Short() {
		drawn = 1
	}
	heard, shortest, never := 0, 0, 0
	for seed := 0; heard < drawn; seed++ {
		config := rapid.Custom(subjects).Example(seed).Config
		answers, err := Witnesses(t.Context(), spec.Composed, config)
		if err != nil {
			continue // one subject in a few has a faulty configuration
		}
		if slices.ContainsFunc(answers, func(a Witness) bool { return len(a.Trace) > 0 && len(a.Trace) <= deepest || a.Never != "" }) {
			heard++
			exhaust(t, config, answers)
		}
		for _, a := range answers {
			if a.Never != "" {
				never++
			}
			if a.Shortest {
				shortest++
			}
		}
	}
	t.Logf("%d configurations: %d rungs with a shortest trace, %d that never speak", drawn, shortest, never)
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
