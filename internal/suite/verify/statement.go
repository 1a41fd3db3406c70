// Package verify verifies what a report says of a port by a new run: it is the command verify. A jsonl report that is
// published is a statement: anyone can run the suite again with its settings, and compare.
package verify

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// Read reads a jsonl report that can be verified: one of a run that began, of the specification, without anything
// twice.
func Read(text []byte) (*conformance.Report, error) {
	stated, err := report.ReadJSONL(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%w; loopstone test --report jsonl=FILE writes what can be verified", err)
	}
	switch {
	case stated.Settings.Against != nil:
		return nil, errors.New("it compares two ports, and says nothing of the specification")
	case stated.Settings.LawsAlone:
		return nil, errors.New("it is about the laws alone, and not about the suite")
	case stated.Suite.Digest == "":
		return nil, errors.New("it does not say by which suite the port was judged")
	}
	tests, detectors := map[string]bool{}, map[spec.DetectorID]bool{}
	for _, r := range stated.Results {
		if r.IsNotStarted() {
			return nil, errors.New("the adapter did not start in this run")
		}
		if tests[r.Name()] {
			return nil, fmt.Errorf("the result of %s is there twice", r.Name())
		}
		tests[r.Name()] = true
	}
	for _, offer := range stated.Port.Detectors {
		if detectors[offer.Detector] {
			return nil, fmt.Errorf("the port's detector %s is there twice", offer.Detector)
		}
		detectors[offer.Detector] = true
	}
	return stated, nil
}

// Compare returns every difference between a statement and the report of a new run, one line each; none means that
// the run found what the report says. The report must be of all that the statement's settings ask for, so that a
// result which the statement has left out is a difference, too. Every field counts but those that [MayDiffer] lists.
// Of a test that was not run, the statement says nothing. If the suite is another one, that is the only difference:
// what was asked was something else.
func Compare(stated, now *conformance.Report) (lines []string) {
	if stated.Suite.Digest != now.Suite.Digest {
		return []string{OtherSuite(stated.Suite, now.Suite)}
	}
	free := append(lists.Map(MayDiffer(), func(f Field) string { return f.Path }), uncounted(stated, now)...)
	for _, d := range report.Compare(stated, now) {
		may := func(field string) bool { return report.IsBelow(d.Path, field) }
		switch {
		case d.Before != nil && (d.Before.IsNotRun() || slices.ContainsFunc(unrepeatable(*d.Before), may)):
		case slices.ContainsFunc(free, may):
		default:
			lines = append(lines, d.String())
		}
	}
	return lines
}

// CompareLaws returns, one line each, the laws that a statement says hold and that a run on other traces found broken.
func CompareLaws(stated, now *conformance.Report) (lines []string) {
	for _, d := range report.Compare(stated, now) {
		if d.Regressed() {
			d.Of += fmt.Sprintf(" on traces of seed %d", now.Settings.Seeds[0])
			lines = append(lines, d.String())
		}
	}
	return lines
}

// OtherSuite returns the difference between a statement and any run of another suite.
func OtherSuite(stated, now conformance.SuiteInfo) string {
	return fmt.Sprintf("the suites differ, so that nothing else can be compared: now %s, the report is about %s",
		describeSuite(now), describeSuite(stated))
}

func describeSuite(s conformance.SuiteInfo) string {
	return fmt.Sprintf("%q of version %q with %d of %d cases", s.Digest, s.Version, s.Selected, s.Total)
}

// Field is a field of a report's lines, such as result.elapsed_ns, and why it may differ.
type Field struct{ Path, Why string }

// MayDiffer lists the fields in which a true statement may differ from a new run. The fields below them may, too.
func MayDiffer() []Field {
	return []Field{
		{"run.started", "the date of the run"},
		{"run.port.command", "how the port is started differs between machines"},
		{"run.settings", "the new run has the same: what is stated holds for them, or does not"},
		{"run.seed", "the new run has the same order"},
		{"run.strict", "a policy: the outcome is computed again by it"},
		{"run.allowed", "a policy: the outcome is computed again by it"},
		{"run.parts", "how many reports were merged; the new run is one"},
		{"result.elapsed_ns", "the time that a test took"},
		{"result.excuse", "the words of the authors for a known failure"},
		{"summary.problems", "with the file of known failures, which only the authors have"},
		{"summary.restarts", "a busy machine may make the port late, and a process may be killed"},
		{"summary.unexplained", "a busy machine may make the port late, and a process may be killed"},
		{"summary.elapsed_ns", "the time that the run took"},
	}
}

// uncounted are the fields that count what was sent. They are the same in every run of a port, but if a process was
// started again, a test was not run, a broken law had its traces shrunk, or each part of a run had traces of its own.
func uncounted(stated, now *conformance.Report) []string {
	sent := []string{"summary.events", "summary.requests"}
	isNotRun := func(r conformance.Result) bool { return r.IsNotRun() }
	isBrokenLaw := func(r conformance.Result) bool { return r.File == "" && r.Failure != nil }
	switch {
	case stated.Parts > 0 || slices.ContainsFunc(stated.Results, isNotRun):
		return append(sent, "summary.traces")
	case stated.Restarts+now.Restarts > 0 || slices.ContainsFunc(now.Results, isBrokenLaw):
		return sent
	default:
		return nil
	}
}

// unrepeatable are the fields of a result that hold the words of a process that ended or was late.
func unrepeatable(r conformance.Result) []string {
	switch r.Status {
	case conformance.Broken, conformance.Faulty, conformance.Undecided:
		return []string{"result.reason", "result.failure", "result.clauses"}
	default:
		return nil
	}
}
