package cases

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// parse reads cases of the detector history. Each begins with its id; the rest is the same for all unless it is given.
func parse(t *testing.T, bodies ...string) []Case {
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
	suite, err := Parse("history/test.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return suite
}

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
