package floor

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/loopstone/loopstone/spec"
)

// Table holds the floor of a suite. Guessing through a suite takes a second, which no report should cost: the table of
// the suite that is built in is written down, and the tests of this package keep it true.
type Table struct {
	Digest string  `json:"digest"` // of the suite
	Scores []Score `json:"scores"`
}

//go:embed published.json
var published []byte

// Published returns the table of the built-in suite. It panics where the embedded file is malformed, which the tests of
// this package exclude.
var Published = sync.OnceValue(func() Table {
	var t Table
	if err := json.Unmarshal(published, &t); err != nil {
		panic(fmt.Errorf("read the published floor: %w", err))
	}
	return t
})

// Score returns the best score of a guess at a detector in a reading, and whether the table has it.
func (t Table) Score(detector spec.DetectorID, reading spec.Reading) (Score, bool) {
	for _, s := range t.Scores {
		if s.Detector == detector && s.Reading == reading {
			return s, true
		}
	}
	return Score{}, false
}

// Limit is what no guess may reach, in percent of the cases asked.
const Limit = 35

// TooHigh returns the scores that reach the limit, one problem a line.
func (t Table) TooHigh() []error {
	var problems []error
	for _, s := range t.Scores {
		if s.Percent() >= Limit {
			problems = append(problems, fmt.Errorf("%s (%s): a port that says %q passes %d of %d cases, which is %.1f %%; want below %d %%",
				s.Detector, s.Reading, s.Guess, s.Passed, s.Asked, s.Percent(), Limit))
		}
	}
	return problems
}

// Markdown returns the table as the guide shows it.
func (t Table) Markdown() string {
	var b strings.Builder
	b.WriteString("| detector | reading | best guess | passes | of the cases asked | of all cases |\n")
	b.WriteString("|---|---|---|--:|--:|--:|\n")
	for _, s := range t.Scores {
		fmt.Fprintf(&b, "| %s | %s | %s | %d of %d | %.1f %% | %.1f %% |\n",
			s.Detector, s.Reading, s.Guess, s.Passed, s.Asked, s.Percent(), s.OfAll())
	}
	return b.String()
}
