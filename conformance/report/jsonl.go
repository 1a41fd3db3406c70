package report

import (
	"time"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

// The types of the lines of a JSON-lines report, in their order: one run, any number of results, one summary.
const (
	runType     = "run"
	resultType  = "result"
	summaryType = "summary"
)

// runLine is the first line: what was run on what.
type runLine struct {
	Type     string                `json:"type"`
	Suite    conformance.SuiteInfo `json:"suite"`
	Port     conformance.PortInfo  `json:"port"`
	Old      conformance.PortInfo  `json:"old,omitzero"`
	Strict   bool                  `json:"strict,omitempty"`
	Allowed  []spec.Feature        `json:"allowed,omitempty"`
	Seed     int64                 `json:"seed,omitempty"`
	Settings conformance.Settings  `json:"settings,omitzero"`
	Alone    bool                  `json:"part_alone,omitempty"`
	Started  string                `json:"started,omitempty"` // RFC 3339, UTC
}

// resultLine is one line for each case and reading, in the order of the suite.
type resultLine struct {
	Type string `json:"type"`
	conformance.Result
}

// summaryLine is the last line. A file without it was cut off.
type summaryLine struct {
	Type     string                     `json:"type"`
	Outcome  string                     `json:"outcome"`
	Exit     int                        `json:"exit"`
	Counts   map[conformance.Status]int `json:"counts"`            // every status, also those that no result has
	Changes  map[conformance.Change]int `json:"changes,omitempty"` // every change, of two ports that were compared
	Problems []string                   `json:"problems,omitempty"`
	Traces   int                        `json:"traces,omitzero"` // that were generated for the laws
	Restarts int                        `json:"restarts"`
	// How often the process died though no case makes it die alone.
	Unexplained int   `json:"unexplained,omitempty"`
	Events      int   `json:"events"`
	Requests    int   `json:"requests,omitzero"`
	Elapsed     int64 `json:"elapsed_ns"`
}

// jsonl renders the report as JSON documents, one per line, with members in a fixed order.
func jsonl(r *conformance.Report, options Options) ([]byte, error) {
	lines := []any{runLine{
		runType, r.Suite, r.Port, r.Old, r.Strict, r.Allowed, r.Seed, r.Settings, r.PartAlone,
		timestamp(options.Started),
	}}
	for _, result := range r.Results {
		lines = append(lines, resultLine{resultType, result})
	}
	return encoded("", append(lines, summaryOf(r))...)
}

func summaryOf(r *conformance.Report) summaryLine {
	outcome := r.Outcome()
	return summaryLine{
		Type: summaryType, Outcome: outcome.String(), Exit: int(outcome), Counts: tally(r.Results),
		Changes:  r.CountChanges(),
		Problems: r.Problems, Traces: r.Traces, Restarts: r.Restarts, Unexplained: r.Unexplained,
		Events: r.Events, Requests: r.Requests, Elapsed: int64(r.Elapsed),
	}
}

func timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
