package report

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/wording"
)

// mostLine is how many bytes a line of a report may have: a hundred times what the longest failure takes.
const mostLine = 64 << 20

// ReadJSONL reads what the format jsonl writes and returns an equal report. Members that it does not know are ignored,
// as a later version may write more. What is no such report is an error with the number of the line: lines of another
// type or out of order, a member that stands twice, a result without a case, clause or status, one whose failure does
// not fit its status, a summary that does not agree with the results, and a file without a summary, which was cut off.
func ReadJSONL(r io.Reader) (*conformance.Report, error) {
	reader := &lineReader{report: &conformance.Report{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, mostLine)
	for lines.Scan() {
		reader.number++
		if err := reader.take(lines.Bytes()); err != nil {
			return nil, fmt.Errorf("read the report: line %d: %s", reader.number, wording.Line(err.Error())) // of any texts
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("read the report: line %d: it has more than %d MB", reader.number+1, mostLine>>20)
	case err != nil:
		return nil, fmt.Errorf("read the report: line %d: %w", reader.number+1, err)
	}
	switch {
	case reader.number == 0:
		return nil, errors.New("read the report: it is empty")
	case !reader.ended:
		return nil, fmt.Errorf("read the report: it ends after line %d without a summary: it was cut off", reader.number)
	}
	return reader.report, nil
}

// lineReader puts a report together line by line.
type lineReader struct {
	report *conformance.Report
	number int
	ended  bool // the summary was there
}

// take takes in one line.
func (r *lineReader) take(line []byte) error {
	var head struct {
		Type string `json:"type"`
	}
	if err := wording.ReadJSON(line, &head); err != nil {
		return err
	}
	switch {
	case r.ended:
		return errors.New("the report goes on after its summary")
	case r.number == 1 && head.Type != runType:
		return fmt.Errorf("the first line has the type %q, want %q: this is no report", head.Type, runType)
	case r.number > 1 && head.Type == runType:
		return errors.New("a second run; reports of several runs are joined with loopstone merge")
	}
	switch head.Type {
	case runType:
		return r.takeRun(line)
	case resultType:
		return r.takeResult(line)
	case summaryType:
		return r.takeSummary(line)
	default:
		return fmt.Errorf("unknown type %q", head.Type)
	}
}

func (r *lineReader) takeRun(line []byte) error {
	var run runLine
	if err := wording.ReadJSON(line, &run); err != nil {
		return err
	}
	r.report.Suite, r.report.Port, r.report.Seed = run.Suite, run.Port, run.Seed
	r.report.Strict, r.report.Allowed, r.report.Settings = run.Strict, run.Allowed, run.Settings
	r.report.PartAlone, r.report.Old, r.report.Parts = run.Alone, run.Old, run.Parts
	return nil
}

func (r *lineReader) takeResult(line []byte) error {
	var result resultLine
	if err := wording.ReadJSON(line, &result); err != nil {
		return err
	}
	switch {
	case result.Case == "" || len(result.Clauses) == 0:
		return errors.New("a result must name its case and a clause")
	case !slices.Contains(statuses, result.Status):
		return fmt.Errorf("case %s: unknown status %q", result.Case, result.Status)
	case !mayFail(result.Status) && result.Failure != nil && result.Change != conformance.Fixed:
		return fmt.Errorf("case %s: it is %s, with a failure", result.Case, result.Status)
	case result.Status.IsFailure() && result.Failure == nil:
		return fmt.Errorf("case %s: it is %s, without a failure", result.Case, result.Status)
	}
	r.report.Results = append(r.report.Results, result.Result)
	return nil
}

func (r *lineReader) takeSummary(line []byte) error {
	var summary summaryLine
	if err := wording.ReadJSON(line, &summary); err != nil {
		return err
	}
	if counts := tally(r.report.Results); !maps.Equal(counts, summary.Counts) {
		return fmt.Errorf("the summary counts %s, the results before it %s", sumsOf(summary.Counts), sumsOf(counts))
	}
	protocol := ofProtocol(r.report)
	if summary.Protocol != nil && !maps.Equal(protocol, summary.Protocol) { // earlier versions did not write it
		return fmt.Errorf("the summary counts of the protocol %s, the results before it %s", sumsOf(summary.Protocol),
			sumsOf(protocol))
	}
	r.report.Problems, r.report.Restarts, r.report.Unexplained = summary.Problems, summary.Restarts, summary.Unexplained
	r.report.Losses, r.report.Traces = summary.Losses, summary.Traces
	r.report.Events, r.report.Requests = summary.Events, summary.Requests
	r.report.Elapsed = time.Duration(summary.Elapsed)
	if outcome := r.report.Outcome(); summary.Outcome != outcome.String() || summary.Exit != int(outcome) {
		return fmt.Errorf("the summary says %s (%d), the results come to %s (%d)", summary.Outcome, summary.Exit, outcome,
			int(outcome))
	}
	r.ended = true
	return nil
}

// sumsOf says how many results have each status, without those that no result has.
func sumsOf(counts map[conformance.Status]int) string {
	var list []string
	for _, status := range slices.Sorted(maps.Keys(counts)) {
		if counts[status] != 0 {
			list = append(list, fmt.Sprintf("%d %s", counts[status], status))
		}
	}
	return cmp.Or(strings.Join(list, ", "), "nothing")
}

// mayFail reports whether a result of that status may say where and how the port fails; one of a failure must.
func mayFail(s conformance.Status) bool {
	return s.IsFailure() || s == conformance.Broken || s == conformance.Faulty
}
