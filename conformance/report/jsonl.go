package report

import (
	"strings"
	"time"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lists"
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
	Parts    int                   `json:"parts,omitempty"`
	Started  string                `json:"started,omitempty"` // RFC 3339, UTC
}

// resultLine is one line for each case and reading, in the order of the suite.
type resultLine struct {
	Type string `json:"type"`
	conformance.Result
	// Explanation is all that a text report prints of a test that did not pass; test --verbose adds it.
	Explanation string `json:"explanation,omitempty"`
}

// summaryLine is the last line. A file without it was cut off.
type summaryLine struct {
	Type    string                     `json:"type"`
	Outcome string                     `json:"outcome"`
	Exit    int                        `json:"exit"`
	Counts  map[conformance.Status]int `json:"counts"` // every status, also those that no result has
	// Protocol counts, of Counts, the results of the protocol.
	Protocol map[conformance.Status]int `json:"protocol,omitempty"`
	Changes  map[conformance.Change]int `json:"changes,omitempty"` // every change, of two ports that were compared
	Problems []string                   `json:"problems,omitempty"`
	Traces   int                        `json:"traces,omitzero"` // that were generated for the laws
	Restarts int                        `json:"restarts"`
	// How often the process died, or gave no answer in time, though no case alone makes it do so again.
	Unexplained int      `json:"unexplained,omitempty"`
	Losses      []string `json:"losses,omitempty"` // what the first of these were
	Events      int      `json:"events"`
	Requests    int      `json:"requests,omitzero"`
	Elapsed     int64    `json:"elapsed_ns"`
	// Explanation is what a text report prints of the run beside its failures; test --verbose adds it.
	Explanation string `json:"explanation,omitempty"`
}

// jsonl renders the report as JSON documents, one per line, with members in a fixed order.
func jsonl(r *conformance.Report, options Options) ([]byte, error) {
	run := runOf(r)
	run.Started = timestamp(options.Started)
	lines := []any{run}
	for _, result := range r.Results {
		line := resultLine{Type: resultType, Result: result}
		if options.Verbose && voice(result) != "" {
			line.Explanation = strings.Join(whole(result, options), "\n")
		}
		lines = append(lines, line)
	}
	summary := summaryOf(r)
	if options.Verbose {
		p := &page{r: r, options: options}
		p.run()
		summary.Explanation = strings.TrimSpace(strings.Join(p.lines, "\n"))
	}
	return encoded("", append(lines, summary)...)
}

func runOf(r *conformance.Report) runLine {
	return runLine{
		Type: runType, Suite: r.Suite, Port: r.Port, Old: r.Old, Strict: r.Strict, Allowed: r.Allowed, Seed: r.Seed,
		Settings: r.Settings, Alone: r.PartAlone, Parts: r.Parts,
	}
}

func summaryOf(r *conformance.Report) summaryLine {
	outcome := r.Outcome()
	return summaryLine{
		Type: summaryType, Outcome: outcome.String(), Exit: int(outcome), Counts: tally(r.Results),
		Protocol: ofProtocol(r),
		Changes:  r.CountChanges(),
		Problems: r.Problems, Traces: r.Traces, Restarts: r.Restarts, Unexplained: r.Unexplained,
		Losses: r.Losses, Events: r.Events, Requests: r.Requests, Elapsed: int64(r.Elapsed),
	}
}

// ofProtocol counts the results of the protocol; nil if there are none.
func ofProtocol(r *conformance.Report) map[conformance.Status]int {
	results := lists.Filter(r.Results, isOfProtocol)
	if len(results) == 0 {
		return nil
	}
	return tally(results)
}

func timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
