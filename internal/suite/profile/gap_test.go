package profile

import (
	"slices"
	"testing"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/spec"
)

func TestTraitsLeaveOutWhatShowsAGap(t *testing.T) {
	t.Parallel()
	const reset = ""
	for _, tt := range []struct {
		reason, trait string
		trace         []string
		kept          []int
	}{
		{
			"numbers are told apart by how they are written", "arguments with 1.0",
			[]string{
				`{"type":"tool_call","tool":"t","args":{"n":[{"m":1.0}]}}`, `{"type":"tool_call","tool":"t","args":{"n":1}}`,
				`{"type":"tool_call","tool":"t","args":{"n":1.5}}`, `{"type":"tool_call","tool":"t","args":{"n":1e3}}`,
			},
			[]int{1, 2},
		},
		{
			"numbers that JavaScript reads as infinite", "arguments with numbers beyond doubles",
			[]string{
				`{"type":"tool_call","tool":"t","args":{"n":1e999}}`, `{"type":"tool_call","tool":"t","args":{"n":-1e999}}`,
				`{"type":"tool_call","tool":"t","args":{"n":1e300}}`,
			},
			[]int{2},
		},
		{
			"A B A B A B A from the first call on is reported at its third lap only, and after two calls earlier",
			"laps that have only begun",
			[]string{
				`{"type":"tool_call","tool":"a"}`, `{"type":"tool_call","tool":"b"}`, `{"type":"tool_call","tool":"a"}`,
				`{"type":"tool_call","tool":"b"}`, `{"type":"tool_call","tool":"a"}`, `{"type":"tool_call","tool":"b"}`,
				`{"type":"tool_call","tool":"a"}`, reset, `{"type":"tool_call","tool":"c"}`, `{"type":"tool_call","tool":"d"}`,
				`{"type":"tool_call","tool":"a"}`, `{"type":"tool_call","tool":"b"}`, `{"type":"tool_call","tool":"a"}`,
				`{"type":"tool_call","tool":"b"}`, `{"type":"tool_call","tool":"a"}`,
			},
			[]int{0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13},
		},
		{
			"a run is reported until it has left the window", "other calls after three equal ones",
			[]string{
				`{"type":"tool_call","tool":"a"}`, `{"type":"tool_result","content":"x"}`, `{"type":"tool_call","tool":"a"}`,
				`{"type":"tool_result","content":"x"}`, `{"type":"tool_call","tool":"a"}`, `{"type":"tool_result","content":"x"}`,
				`{"type":"tool_call","tool":"a"}`, `{"type":"tool_result","content":"y"}`, `{"type":"tool_call","tool":"a"}`,
				`{"type":"tool_result","content":"x"}`, reset, `{"type":"tool_call","tool":"b"}`,
				`{"type":"tool_result","content":"x"}`,
			},
			[]int{0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12},
		},
		{
			"booleans are found at any depth", "arguments with true or false",
			[]string{
				`{"type":"tool_call","tool":"t","args":{"a":[false]}}`, `{"type":"tool_call","tool":"t","args":{"a":1}}`,
				`{"type":"tool_result","content":"","ok":false}`,
			},
			[]int{1, 2},
		},
		{
			"null is a value", "arguments with null",
			[]string{`{"type":"tool_call","tool":"t","args":{"a":null}}`, `{"type":"tool_call","tool":"t"}`},
			[]int{1},
		},
		{
			"an answer comes right after its call, or not at all", "answers apart from calls",
			[]string{
				`{"type":"tool_call","tool":"a"}`, `{"type":"tool_call","tool":"b"}`, `{"type":"tool_result","content":"b"}`,
				`{"type":"tool_result","content":"a"}`, `{"type":"tool_call","tool":"c"}`, reset,
				`{"type":"error","message":"c"}`, `{"type":"tool_call","tool":"d","id":"1"}`,
				`{"type":"tool_result","content":"d","call":"2"}`, `{"type":"tool_call","tool":"e","id":"1"}`,
				`{"type":"tool_result","content":"e","call":"1"}`,
			},
			[]int{1, 2, 5, 9, 10},
		},
		{
			"the agent talks before its calls", "messages after calls",
			[]string{
				`{"type":"message","role":"assistant","content":""}`, `{"type":"tool_call","tool":"a"}`,
				`{"type":"message","role":"assistant","content":""}`, `{"type":"message","role":"user","content":""}`,
				`{"type":"message","role":"assistant","content":""}`,
			},
			[]int{0, 1, 3, 4},
		},
		{
			"what fails is not answered", "failures",
			[]string{
				`{"type":"tool_call","tool":"a"}`, `{"type":"error","message":"a"}`, `{"type":"tool_call","tool":"b"}`,
				`{"type":"tool_result","content":"b","ok":false}`, `{"type":"tool_result","content":"a"}`,
			},
			[]int{0, 2, 4},
		},
		{
			"messages of the user stay", "messages of the model",
			[]string{
				`{"type":"message","role":"assistant","content":""}`, `{"type":"message","role":"user","content":""}`,
				`{"type":"tool_call","tool":"a"}`,
			},
			[]int{1, 2},
		},
		{
			"a reply has one call, and what comes before the first reply may have more", "several calls in a reply",
			[]string{
				`{"type":"tool_call","tool":"a"}`, `{"type":"tool_call","tool":"b"}`, `{"type":"reply"}`,
				`{"type":"tool_call","tool":"a"}`, `{"type":"tool_call","tool":"b"}`, `{"type":"reply"}`,
				`{"type":"tool_call","tool":"c"}`, reset, `{"type":"tool_call","tool":"d"}`,
			},
			[]int{0, 1, 2, 3, 5, 6, 7, 8},
		},
		{
			"a reply ends one with a call", "replies without calls",
			[]string{
				`{"type":"reply"}`, `{"type":"reply"}`, `{"type":"tool_call","tool":"a"}`, `{"type":"reply"}`,
				`{"type":"reply"}`, reset, `{"type":"reply"}`,
			},
			[]int{0, 2, 3, 5, 6},
		},
	} {
		var steps []laws.Step
		for _, text := range tt.trace {
			step := laws.Step{}
			if text != reset {
				step.Event = spec.MustParse(text)
			}
			steps = append(steps, step)
		}
		checkKept(t, tt.reason, tt.trait, steps, tt.kept)
	}
}

// checkKept checks at which places a trait leaves the steps of a trace in it.
func checkKept(t *testing.T, reason, trait string, steps []laws.Step, kept []int) {
	t.Helper()
	var want []laws.Step
	for _, i := range kept {
		want = append(want, steps[i])
	}
	same := func(a, b laws.Step) bool { return a.Event.Equal(b.Event) }
	if got := traits[trait](Profile{}, steps); !slices.EqualFunc(got, want, same) {
		t.Errorf("%s: %s: got %v, want %v", trait, reason, got, want)
	}
}

// TestEachTraitIsOfAGap: a trait that no profile has is not needed.
func TestEachTraitIsOfAGap(t *testing.T) {
	t.Parallel()
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for trait := range traits {
		isIts := func(g Gap) bool { return g.Trait == trait }
		if !slices.ContainsFunc(all, func(p Profile) bool { return slices.ContainsFunc(p.Lacks, isIts) }) {
			t.Errorf("no profile has a gap with the trait %q", trait)
		}
	}
}
