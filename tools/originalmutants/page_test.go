package main

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// some returns n verdicts of one sort.
func some(n int, v verdict) []verdict {
	v.Starts = true
	return slices.Repeat([]verdict{v}, n)
}

var (
	same     = verdict{}
	killed   = verdict{Differs: true, Cases: true, Run: true, Own: true, Tried: true, Exported: true}
	byTraces = verdict{Differs: true, Run: true, Tried: true}
	unseen   = verdict{mutant: mutant{Line: 7, Column: 1, Old: "a", New: "b"}, Differs: true}
	broken   = verdict{mutant: mutant{Line: 8}}
)

func TestTheGateOfOriginals(t *testing.T) {
	t.Parallel()
	reasoned := []survivor{{mutant: `7:1: "a" -> "b"`, reason: "It is rare."}}
	for _, test := range []struct {
		reason    string
		verdicts  []verdict
		survivors []survivor
		want      string
	}{
		{"all are killed", some(300, killed), nil, ""},
		{"what is the same is not counted", append(some(300, killed), some(50, same)...), nil, ""},
		{"too few mutants", some(299, killed), nil, "299 mutants"},
		{"too many that only traces kill", append(some(269, killed), some(31, byTraces)...), nil, "cases kill 269 of 300"},
		{"too few by the exported tests", append(some(280, killed), some(20, byTraces)...), nil, "exported tests kill 280 of 300"},
		{"too many survive", append(some(290, killed), some(10, unseen)...), reasoned, "kills 290 of 300"},
		{"one survives without a reason", append(some(300, killed), some(1, unseen)...), nil, `7:1: "a" -> "b"`},
		{"one survives with a reason", append(some(300, killed), some(1, unseen)...), reasoned, ""},
		{"a reason for one that is killed", some(300, killed), reasoned, "does not survive"},
	} {
		err := assess([]record{{original: original{name: "x", survivors: test.survivors}, Verdicts: test.verdicts}})
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.reason, err, test.want)
		}
	}
}

func TestThePartOfThePage(t *testing.T) {
	t.Parallel()
	r := record{
		original: original{
			name: "x", repository: "a/x", commit: "0123456789abcdef",
			survivors: []survivor{{mutant: `7:1: "a" -> "b"`, reason: "It is rare."}},
		},
		Traces: 9, Others: 1, HasTests: true,
		Verdicts: slices.Concat(some(1, same), some(2, killed), some(1, byTraces), some(1, unseen), []verdict{broken}),
	}
	got, err := written("before\n"+pageBegin+"old\n"+pageEnd+"after\n", []record{r}, time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"before\n<!--", "after\n", "26 November 2026", "| a/x@012345678 | 5 | 4 | 3 (75.0 %) | 2 (50.0 %) | 2 (66.7 %) | 2 (50.0 %) |",
		"| **all** | 5 | 4 |", "| x | 9 | 1 |", "| x | `7:1: \"a\" -> \"b\"` | It is rare. |",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got %s, want %q in it", got, want)
		}
	}
	if strings.Contains(got, "old\n") {
		t.Error("the old part is still there")
	}
	r.Verdicts = some(3, killed)
	if text := part([]record{r}, time.Time{}); strings.Contains(text, "does not kill") {
		t.Errorf("nothing survives, and the page has a table of survivors: %s", text)
	}
	if _, err := written("a page", nil, time.Time{}); err == nil {
		t.Error("a page without the comments is written")
	}
}
