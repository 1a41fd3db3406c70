package floor

import (
	"fmt"
	"strings"

	"github.com/loopstone/loopstone/cases"
)

// Limit is what no guess may reach, in percent of the cases asked.
const Limit = 35

// TooHigh returns the scores that reach the limit, one problem a line.
func TooHigh(t cases.Floor) []error {
	var problems []error
	for _, s := range t.Scores {
		if s.Percent() >= Limit {
			problems = append(problems,
				fmt.Errorf("%s (%s): a port that says %q passes %d of %d cases, which is %.1f %%; want below %d %%",
					s.Detector, s.Reading, s.Guess, s.Passed, s.Asked, s.Percent(), Limit))
		}
	}
	return problems
}

// Markdown returns the table as the guide shows it.
func Markdown(t cases.Floor) string {
	var b strings.Builder
	b.WriteString("| detector | reading | best guess | passes | of the cases asked | of all cases |\n")
	b.WriteString("|---|---|---|--:|--:|--:|\n")
	for _, s := range t.Scores {
		fmt.Fprintf(&b, "| %s | %s | %s | %d of %d | %.1f %% | %.1f %% |\n",
			s.Detector, s.Reading, s.Guess, s.Passed, s.Asked, s.Percent(), s.OfAll())
	}
	return b.String()
}
