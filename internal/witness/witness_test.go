package witness

import (
	"fmt"
	"testing"

	"github.com/loopstone/loopstone/internal/profile"
	"github.com/loopstone/loopstone/reference/composed"
	"github.com/loopstone/loopstone/spec"
)

// alphabet is what the exhaustive search plays.
var alphabet = []string{
	`{"type":"tool_call","tool":"t","args":{"n":0}}`, `{"type":"tool_call","tool":"u","args":{"n":0}}`,
	`{"type":"tool_result","content":"ok"}`, `{"type":"tool_result","content":"ok","ok":false}`,
	`{"type":"reply"}`, `{"type":"message","role":"assistant","content":"hm"}`, `{"type":"message","role":"user","content":"hm"}`,
}

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
			exhaust(t, config, answers)
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
func exhaust(t *testing.T, config spec.Value, answers []Answer) {
	t.Helper()
	detector, err := composed.Implementation().New(spec.Code, config)
	if err != nil {
		t.Fatal(err)
	}
	var letters []spec.Event
	for _, text := range alphabet {
		letter, err := spec.DecodeEvent(spec.MustParse(text))
		if err != nil {
			t.Fatal(err)
		}
		letters = append(letters, letter)
	}
	for number := range power(len(letters), deepest) {
		detector.Reset()
		for n, rest := 1, number; n <= deepest; n, rest = n+1, rest/len(letters) {
			event := letters[rest%len(letters)]
			event.Index = n - 1
			v := detector.Observe(event)
			for _, a := range answers {
				if v.Rule == a.Rule && v.Rung == a.Rung && (a.Never != "" || a.Shortest && n < len(a.Trace)) {
					t.Fatalf("%s, %s speaks after %d events of the trace %d in base %d", a.Rule, a.Rung, n, number, len(letters))
				}
			}
		}
	}
}

func power(base, exponent int) int {
	n := 1
	for range exponent {
		n *= base
	}
	return n
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
