package minimal

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/strength/kills"
	"github.com/loopstone/loopstone/reference"
)

func TestTheSuiteIsMinimal(t *testing.T) {
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	t.Parallel()
	if raced {
		t.Skip("thousands of runs: without the race detector only")
	}
	if err := Lint(context.Background(), suite, reference.Port(), kills.Measured()); err != nil {
		t.Errorf("the suite is wrong:\n%v", err)
	}
}

// parse reads cases of the detector history. Each begins with its id; the rest is the same for all unless it is given.
func parse(t *testing.T, bodies ...string) []cases.Case {
	t.Helper()
	text := "detector: history\ncases:\n"
	for _, body := range bodies {
		text += "  - " + strings.ReplaceAll(strings.TrimSpace(body), "\n", "\n    ") + "\n"
		for name, line := range map[string]string{
			"title:": "title: A title of %", "why:": "why: The reason of % is its own", "clauses:": "clauses: [HI-13]",
			"source:": "source: silent",
		} {
			if !strings.Contains(body, name) {
				id := strings.Fields(body)[1]
				text += "    " + strings.ReplaceAll(line, "%", id+" and of "+id) + "\n"
			}
		}
	}
	suite, err := cases.Parse("history/test.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return suite
}

func TestNeedlessSteps(t *testing.T) {
	for _, test := range []struct{ reason, body, want string }{
		{"every step counts", `
id: history-a
steps:
  - tool_call: {tool: t}
    times: 2
    expect: {loop: false}
  - tool_call: {tool: t}
    expect: {loop: true, count: 3}`, ""},
		{"a call too many before anything is compared", `
id: history-a
steps:
  - tool_call: {tool: other}
  - tool_call: {tool: t}
    times: 2
  - tool_call: {tool: t}
    expect: {loop: true}`, "without step 1"},
		{"an event that must change nothing is needed where it could", `
id: history-a
steps:
  - tool_call: {tool: t}
    times: 2
  - error: {message: boom}
  - tool_call: {tool: t}
    expect: {loop: true, count: 3}`, ""},
		{"an example of a document stands as it is", `
id: history-a
example: true
steps:
  - tool_call: {tool: other}
    expect: {loop: false}`, ""},
		{"what is tagged is exempt", `
id: history-a
tags: [redundant-by-design]
steps:
  - tool_call: {tool: t}
    times: 9
    expect: {loop: true}`, ""},
		{"nothing is shown at all", `
id: history-a
config: {repeat_threshold: 9}
steps:
  - tool_call: {tool: t}
    expect: {loop: false}`, "without step 1"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			problems, err := Needless(context.Background(), parse(t, test.body), reference.Port(), &kills.List{})
			if err != nil {
				t.Fatal(err)
			}
			check(t, problems, test.want)
		})
	}
}

func TestAStepThatKillsAMutantIsNeeded(t *testing.T) {
	t.Parallel()
	suite := parse(t, `
id: history-a
steps:
  - tool_call: {tool: other}
  - tool_call: {tool: t}
    times: 2
  - tool_call: {tool: t}
    expect: {loop: true}`)
	for _, test := range []struct {
		reason, demand, want string
	}{
		{"the matrix found that it kills less without the step", kills.Demand(suite[0]), ""},
		{"the matrix found that of another trace", "0badcafe", "without step 1"},
	} {
		measured := &kills.List{Cases: map[string]kills.Record{"history-a": {Demand: test.demand, Steps: []int{1}}}}
		problems, err := Needless(t.Context(), suite, reference.Port(), measured)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(test.reason)
		check(t, problems, test.want)
	}
}

// check compares problems with a part of the only one that is expected; with none for the empty text.
func check(t *testing.T, problems []error, want string) {
	t.Helper()
	got := errors.Join(problems...)
	switch {
	case want == "" && got != nil:
		t.Errorf("want nothing to say, got:\n%v", got)
	case want != "" && (got == nil || !strings.Contains(got.Error(), want)):
		t.Errorf("want a problem with %q, got:\n%v", want, got)
	}
}

func TestTwins(t *testing.T) {
	const one = `
steps:
  - tool_call: {tool: prune, args: {tree: pine oak}}
    times: 2
  - tool_call: {tool: prune, args: {tree: pine oak}}
    expect: {loop: true, kind: repeat}`
	for _, test := range []struct{ reason, old, new, want string }{
		{"other names", "pine oak", "elm ash", "history-b is history-a in other words"},
		{"other white space", "pine oak", "elm  ash", ""},
		{"one name instead of two", "pine oak", "elm elm", ""},
		{"another kind", "kind: repeat", "count: 3", ""},
		{"another number of calls", "times: 2", "times: 3", ""},
		{"case only, where the other differs more", "pine oak", "elm Elm", ""},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			suite := parse(t, "id: history-a"+one, "id: history-b"+strings.ReplaceAll(one, test.old, test.new))
			check(t, Twins(suite), test.want)
		})
	}
}

func TestCopies(t *testing.T) {
	const steps = "\nsteps: [{tool_call: {tool: t}}]"
	suite := parse(t,
		"id: history-a\nwhy: A port that does this stops agents which do nothing wrong at all."+steps,
		"id: history-b\nwhy: A port that does that stops agents which do nothing wrong at all."+steps)
	check(t, Copies(suite), "the why of history-b is nearly that of history-a")
	suite = parse(t,
		"id: history-a\ntitle: One two three four five six seven eight nine ten"+steps,
		"id: history-b\ntitle: one two three four five six seven eight nine eleven"+steps)
	check(t, Copies(suite), "the title of history-b is nearly that of history-a")
	suite = parse(t,
		"id: history-a\ntitle: A window of 1 is refused\nwhy: Users of one kind are hurt."+steps,
		"id: history-b\ntitle: A window of 2 is refused\nwhy: What others see is wrong."+steps)
	check(t, Copies(suite), "")
}

// edits is the textbook's definition of the edit distance.
func edits(a, b []rune) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	if a[0] == b[0] {
		return edits(a[1:], b[1:])
	}
	return 1 + min(edits(a[1:], b), edits(a, b[1:]), edits(a[1:], b[1:]))
}

func TestWithinAgreesWithTheDefinitionOfEdits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.SampledFrom([]rune("ab")), 0, 7)
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		most := rapid.IntRange(0, 8).Draw(t, "most")
		if got, want := within(a, b, most), edits(a, b) <= most; got != want {
			t.Fatalf("within(%q, %q, %d) = %t, want %t", string(a), string(b), most, got, want)
		}
	})
}
