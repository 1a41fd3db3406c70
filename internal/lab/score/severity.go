package score

import (
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/words"
)

// Severity says how grave a report is.
type Severity string

// severities, from the least on.
var severities = []Severity{"notice", "warning", "critical"}

// ParseSeverity reads a severity.
func ParseSeverity(text string) (Severity, error) {
	if s := Severity(text); slices.Contains(severities, s) {
		return s, nil
	}
	return "", fmt.Errorf("%q is no severity; want %s", text, words.Join(severities, " or "))
}

// counts reports whether a verdict is a report that counts. A report without a severity always counts.
func (c Contender) counts(verdict spec.Value) bool {
	severity, known := verdict.Get("severity").Str()
	isGrave := !known || slices.Index(severities, Severity(severity)) >= slices.Index(severities, c.Least)
	return verdict.Get("loop").IsTrue() && isGrave
}
