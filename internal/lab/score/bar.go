package score

import (
	"fmt"

	"github.com/loopstone/loopstone/conformance"
)

// Bars are what a row must reach, as shares from 0 to 1; nil demands nothing.
type Bars struct{ MinRecall, MaxFalseAlarms *float64 }

// Check says whether all of the rows reach the bars, with a line for each bar that one does not, or that too few labels
// can tell. The interval decides, not the share: a row is above a bar where all of its interval is, and where the bar
// lies within the interval, nobody knows.
func (b Bars) Check(rows []Row) (conformance.Outcome, []string) {
	outcome := conformance.Conformant
	var lines []string
	for _, row := range rows {
		for _, bar := range b.of(row) {
			reached, line := bar.check(row)
			if line != "" {
				lines = append(lines, line)
			}
			if reached == conformance.NotConformant || outcome == conformance.Conformant {
				outcome = reached
			}
		}
	}
	return outcome, lines
}

// bar is one bar and the share that it is about.
type bar struct {
	what  string
	share Share
	at    float64
	below bool // whether the share must lie below it
}

func (b Bars) of(row Row) []bar {
	var list []bar
	if b.MinRecall != nil {
		list = append(list, bar{"recall", row.Recall, *b.MinRecall, false})
	}
	if b.MaxFalseAlarms != nil {
		list = append(list, bar{"share of false alarms", row.FalseAlarms, *b.MaxFalseAlarms, true})
	}
	return list
}

func (b bar) check(row Row) (conformance.Outcome, string) {
	low, high := b.share.Interval()
	side := "at least"
	met, missed := low >= b.at, high < b.at
	if b.below {
		side, met, missed = "at most", high <= b.at, low > b.at
	}
	switch {
	case met:
		return conformance.Conformant, ""
	case missed:
		return conformance.NotConformant, fmt.Sprintf("%s: the %s is %s (95 %% interval %s), and must be %s %g",
			row.Name(), b.what, part(b.share), interval(b.share), side, b.at)
	default:
		return conformance.NotDecided, fmt.Sprintf(
			"%s: too few labels to decide whether the %s is %s %g: %s (95 %% interval %s)",
			row.Name(), b.what, side, b.at, part(b.share), interval(b.share))
	}
}
