package cases

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// Floor holds the floor of a suite. Guessing through a suite takes a second, which no report should cost: the table of
// the suite that is built in is written down, and `make accept` keeps it true.
type Floor struct {
	Scores []FloorScore `json:"scores"`
}

//go:embed floor.json
var floorFile []byte

// PublishedFloor returns the floor of the built-in suite. It panics where the embedded file is malformed, which the
// tests of this package exclude.
var PublishedFloor = sync.OnceValue(func() Floor {
	var t Floor
	if err := json.Unmarshal(floorFile, &t); err != nil {
		panic(fmt.Errorf("read the published floor: %w", err))
	}
	return t
})

// Score returns the best score of a guess at a detector in a reading, and whether the table has it.
func (t Floor) Score(detector spec.DetectorID, reading spec.Reading) (FloorScore, bool) {
	return lists.Find(t.Scores, func(s FloorScore) bool { return s.Detector == detector && s.Reading == reading })
}

// FloorScore is what the best guess reaches at one detector in one reading.
type FloorScore struct {
	Detector spec.DetectorID `json:"detector"`
	Reading  spec.Reading    `json:"reading"`
	Guess    string          `json:"guess"`  // which one it is
	Passed   int             `json:"passed"` // cases that count
	Asked    int             `json:"asked"`  // of them, those that need no feature: a port that guesses declares none
	All      int             `json:"all"`    // of them, those that need a feature included
}

// Percent returns the passed cases among those asked, from 0 to 100; 0 where none was.
func (s FloorScore) Percent() float64 { return percent(s.Passed, s.Asked) }

// OfAll returns the passed cases among all, from 0 to 100.
func (s FloorScore) OfAll() float64 { return percent(s.Passed, s.All) }

func percent(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

// CountsForScore reports whether the case counts for the score. One that only wants to hear a refusal does not: whoever
// checks what comes in passes it, and knows nothing of loops.
func (c Case) CountsForScore() bool {
	hears := func(s Step) bool { return len(s.Expect) > 0 || s.Action == State }
	return c.Call != nil && c.Call.Fault == nil || slices.ContainsFunc(c.Steps, hears)
}

// counted are the ids of the cases of the built-in suite that count.
var counted = sync.OnceValues(func() (map[string]bool, error) {
	suite, err := All()
	ids := map[string]bool{}
	for _, c := range suite {
		ids[c.ID] = c.CountsForScore()
	}
	return ids, err
})

// CountsByID reports whether the case of the built-in suite of that id counts for the score. Laws do not.
func CountsByID(id string) bool {
	ids, err := counted()
	return err == nil && ids[id]
}
