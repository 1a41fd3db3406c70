package conformance

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/declared"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// TestOption changes what [Test] does.
type TestOption func(*testSettings)

// Only narrows the test to some cases. A selection that matches nothing fails the test.
func Only(selection cases.Selection) TestOption {
	return func(s *testSettings) { s.selection = selection }
}

// Strict fails cases that cannot be asked, instead of skipping them, but for those that miss nothing but the features
// that may be missing.
func Strict(mayBeMissing ...spec.Feature) TestOption {
	return func(s *testSettings) { s.strict, s.allowed = true, mayBeMissing }
}

// Excuse has a function look at the report before it is shown, with the whole suite that the port could be asked. Each
// result that it makes [Known] is skipped; each problem that it adds to the report fails the test, and so does its
// error. Most users call known.Failures, in package conformance/known, which reads the file of known failures.
func Excuse(excuse func(r *Report, suite []cases.Case) error) TestOption {
	return func(s *testSettings) { s.excuses = append(s.excuses, excuse) }
}

// Test judges a port in Go by the suite, without a pipe and without a process: by the cases, and by the laws on the
// traces of the cases. Every test in every reading is a subtest, detector/case/reading, so that go test -run selects
// them. What the port does not declare is skipped, and the skip names what is missing. A port of which nothing could
// be asked fails: a test that checks nothing is no pass.
//
// A port that is wrong fails with a page: the first failure of a case and the first of a law whole, and a subtest
// summary with the score and all other failures by their causes. With -v, or where -run selects them, each failure is
// a subtest that fails and is told whole.
//
// Failures that the port's authors know of are skipped with the option known.Failures of package conformance/known.
//
// [TestDetector] asks a detector what it has. Whoever has a port behind the stdio protocol uses [Run].
func Test(t *testing.T, port spec.Port, options ...TestOption) {
	t.Helper()
	var settings testSettings
	for _, option := range options {
		option(&settings)
	}
	report, err := settings.judge(t.Context(), port)
	if err != nil {
		t.Fatal(err)
	}
	report.show(t)
}

// testSettings are what the options of Test have set.
type testSettings struct {
	selection cases.Selection
	strict    bool
	allowed   []spec.Feature
	excuses   []func(*Report, []cases.Case) error
}

// judge runs all that is selected. An error means that nothing would be checked.
func (s testSettings) judge(ctx context.Context, port spec.Port) (*Report, error) {
	description, err := port.Describe(ctx)
	if err != nil {
		return nil, fmt.Errorf("request the description of the port: %w", err)
	}
	suite, err := builtIn(description)
	if err != nil {
		return nil, fmt.Errorf("the suite is wrong: %w", err)
	}
	selected, err := s.selection.Select(suite)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(declared.CheckNames(description), declared.CheckFeatures(s.allowed)); err != nil {
		return nil, err
	}
	selectedLaws, selectedCases := lists.Partition(selected, cases.Case.IsLaw)
	report, err := Run(ctx, port, selectedCases, Options{})
	if err != nil {
		return nil, err
	}
	runner := newRunner(port, description, Options{}, nil)
	report.Results = append(report.Results, runner.checkLaws(ctx, selectedLaws, suite)...)
	report.Strict, report.Allowed = s.strict, s.allowed
	report.Port.Unexercised = Unexercised(suite, description)
	report.Suite.Total = len(suite) - cases.CountLaws(suite)
	if report.Count(Skipped) == len(report.Results) {
		return nil, fmt.Errorf("nothing to check: the port declares nothing that any of %d cases needs", len(selected))
	}
	for _, excuse := range s.excuses {
		if err := excuse(report, suite); err != nil {
			return nil, err
		}
	}
	return report, nil
}

// builtIn returns the suite with its laws, and with what is asked of the profiles that the port declares.
func builtIn(port spec.Description) ([]cases.Case, error) {
	suite, err := cases.All()
	all := slices.Clone(suite) // it is shared
	for _, d := range spec.Detectors() {
		all = append(all, laws.CasesOf(d)...)
	}
	for _, offer := range port.Detectors {
		if offer.Detector.IsProfile() {
			all = slices.Concat(all, cases.OfProfile(suite, offer.Detector), laws.CasesOf(offer.Definition()))
		}
	}
	return all, err
}

// show makes the results subtests, and ends with the summary.
func (r *Report) show(t *testing.T) {
	told, whole := r.firstFailures(), isWhole(t)
	isTold := func(result Result) bool {
		return !isWrong(result) || whole || slices.Contains(told, result.Name())
	}
	ofDetector := func(r Result) string { return string(r.Detector) }
	for _, results := range lists.Grouped(lists.Filter(r.Results, isTold), ofDetector) {
		t.Run(ofDetector(results[0]), func(t *testing.T) { r.showDetector(t, results, whole) })
	}
	if len(r.Port.Unexercised) > 0 {
		text := "no case tests what the port declares: " + strings.Join(lists.Map(r.Port.Unexercised, Part.String), ", ")
		tell(t, "declared", text, r.LeavesParts())
	}
	if len(r.Problems) > 0 {
		tell(t, "known", strings.Join(r.Problems, "\n"), true)
	}
	tell(t, "summary", r.summary(told), slices.ContainsFunc(r.Results, isWrong) || len(r.Problems) > 0)
}

// tell prints a text in a subtest, which fails where the text says what is wrong.
func tell(t *testing.T, name, text string, fails bool) {
	t.Run(name, func(t *testing.T) {
		if t.Log(text); fails {
			t.Fail()
		}
	})
}

// isWhole reports whether every failure is told: with -v, or where -run selects subtests of this one.
func isWhole(t *testing.T) bool {
	selects := flag.Lookup("test.run")
	return testing.Verbose() ||
		selects != nil && strings.Count(selects.Value.String(), "/") > strings.Count(t.Name(), "/")
}

func isWrong(r Result) bool { return r.Status != Passed && r.Status != Skipped && r.Status != Known }

// showDetector makes a subtest of each case of a detector, with a subtest for each of its readings.
func (r *Report) showDetector(t *testing.T, results []Result, whole bool) {
	if reason := whyNone(results); reason != "" && !r.Strict {
		t.Skip(reason)
	}
	for _, readings := range lists.Grouped(results, func(r Result) string { return r.Case }) {
		t.Run(readings[0].Case, func(t *testing.T) {
			for _, result := range readings {
				t.Run(string(result.Reading), func(t *testing.T) { r.showResult(t, result, whole) })
			}
		})
	}
}

// whyNone returns why none of the cases could be asked, where that has one reason for all: the detector is not there.
func whyNone(results []Result) string {
	for _, r := range results {
		if r.Status != Skipped || r.Reason != results[0].Reason {
			return ""
		}
	}
	return results[0].Reason
}

func (r *Report) showResult(t *testing.T, result Result, whole bool) {
	switch {
	case result.Status == Passed:
	case result.Status == Known:
		t.Skip("known failure: " + result.Excuse)
	case result.Status == Skipped && (!r.Strict || r.allows(result)):
		t.Skip(result.Reason)
	default:
		lines := result.Explain(Explanation{Whole: whole, Again: "go test -run '" + expression(t.Name()) + "'"})
		t.Error(strings.TrimLeft(strings.Join(lines, "\n"), " "))
	}
}

// expression returns the pattern of go test -run that selects one subtest and no other.
func expression(test string) string {
	names := strings.Split(test, "/")
	for i, name := range names {
		names[i] = "^" + regexp.QuoteMeta(name) + "$"
	}
	return strings.Join(names, "/")
}
