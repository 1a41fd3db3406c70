package cases

import (
	"errors"
	"strings"
	"testing"
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
		"id: history-a\ntitle: One two three four five six seven eight nine ten eleven"+steps,
		"id: history-b\ntitle: one two three four five six seven eight nine ten twelve"+steps)
	check(t, Copies(suite), "the title of history-b is nearly that of history-a")
	suite = parse(t,
		"id: history-a\ntitle: A window of 1 is refused\nwhy: Users of one kind are hurt."+steps,
		"id: history-b\ntitle: A window of 2 is refused\nwhy: What others see is wrong."+steps)
	check(t, Copies(suite), "")
}
