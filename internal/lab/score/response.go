package score

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/lab/alarm"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// Response is what a detector said of one run.
type Response struct {
	Alarm *alarm.Alarm `json:"alarm,omitempty"` // the first one, by steps; nil where it never spoke
	Pairs Agreement    `json:"pairs"`           // with the labels of pairs

	said []bool // for each pair of steps, whether it said that the later one repeats the other
}

// try shows a run to a detector, from beginning to end. Its events are numbered by their steps.
func (c Contender) try(ctx context.Context, run *Run, of []int, steps int) (Response, error) {
	response := Response{said: make([]bool, max(0, steps-1))}
	err := c.Observe(ctx, run.Events, of, func(_ int, _ spec.Value, a *alarm.Alarm) {
		if a != nil && c.Least.counts(a.Verdict) {
			response.add(*a)
		}
	})
	if _, gone := errors.AsType[*stdio.ProcessError](err); gone { // perhaps by another run: many share the process
		return response, err
	}
	if err != nil {
		return response, fmt.Errorf("the run %s: %w", run.Name, err)
	}
	response.Pairs.add(run.Pairs, response.said)
	return response, nil
}

// add takes in an alarm. Each step of its evidence counts once.
func (t *Response) add(a alarm.Alarm) {
	a.Evidence = slices.Compact(a.Evidence)
	if t.Alarm == nil {
		t.Alarm = &a
	}
	evidence := a.Evidence
	if len(evidence) == 0 { // all that is known is when it spoke
		evidence = []int{a.At - 1, a.At}
	}
	for i := 1; i < len(evidence); i++ {
		if k := evidence[i-1]; evidence[i] == k+1 && k >= 0 && k < len(t.said) {
			t.said[k] = true
		}
	}
}

// Severity says how grave a report is.
type Severity string

// severities, from the least on.
var severities = []Severity{"notice", "warning", "critical"}

// ParseSeverity reads a severity.
func ParseSeverity(text string) (Severity, error) {
	if s := Severity(text); slices.Contains(severities, s) {
		return s, nil
	}
	return "", fmt.Errorf("%q is no severity; want %s", text, wording.Join(severities, " or "))
}

// counts reports whether a report counts that has to be so grave. One without a severity always counts.
func (s Severity) counts(verdict spec.Value) bool {
	severity, known := verdict.Get("severity").Str()
	return !known || slices.Index(severities, Severity(severity)) >= slices.Index(severities, s)
}
