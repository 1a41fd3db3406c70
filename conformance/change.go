package conformance

import "cmp"

// Change says what a difference between an old port and a new one means, by the reference.
type Change string

// The changes, the worst first.
const (
	Regressed   Change = "broken"        // the old port was right, and the new one is wrong
	BothWrong   Change = "both wrong"    // each in its own way
	Unspecified Change = "not specified" // the reference allows both, or has no such detector
	Mended      Change = "mended"        // the old port was wrong, and the new one is right
)

// Changes lists the changes, the worst first.
func Changes() []Change { return []Change{Regressed, BothWrong, Unspecified, Mended} }

// Differs returns how the result of a comparison differs; it is empty where the two ports agree, or were not asked.
func (r *Result) Differs() Change {
	switch {
	case r.Status == Failed && r.IsDifference():
		return cmp.Or(r.Change, Unspecified)
	case r.Status == Passed && r.Change == Mended:
		return Mended
	default:
		return ""
	}
}

// CountChanges returns how many results differ in which way; it is nil unless the report compares two ports.
func (r *Report) CountChanges() map[Change]int {
	if r.Settings.Against == nil {
		return nil
	}
	counts := map[Change]int{}
	for _, change := range Changes() {
		counts[change] = 0
	}
	for _, result := range r.Results {
		if change := result.Differs(); change != "" {
			counts[change]++
		}
	}
	return counts
}
