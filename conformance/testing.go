package conformance

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// TestOption changes what [Test] does.
type TestOption func(*testRun)

// Only narrows the test to some cases. A selection that matches nothing fails the test.
func Only(selection Selection) TestOption {
	return func(r *testRun) { r.selection = selection }
}

// WithCases judges by these cases instead of the built-in suite.
func WithCases(suite []cases.Case) TestOption {
	return func(r *testRun) { r.suite = suite }
}

// Strict fails cases that cannot be asked, instead of skipping them, but for those that miss nothing but the features
// that may be missing.
func Strict(mayBeMissing ...spec.Feature) TestOption {
	return func(r *testRun) { r.policy = Report{Strict: true, Allowed: mayBeMissing} }
}

// Test judges a port in Go by the suite, without a pipe and without a process. Every case in every reading is a
// subtest, detector/case/reading, so that go test -run selects them; they run in parallel. What the port does not
// declare is skipped, and the skip names what is missing. A port of which nothing could be asked fails: a test that
// checks nothing is no pass.
//
// [spec.NewHost] makes a port of a detector. Whoever has a port behind the stdio protocol uses [Run].
func Test(t *testing.T, port spec.Port, options ...TestOption) {
	t.Helper()
	description, err := port.Describe(t.Context())
	if err != nil {
		t.Fatalf("ask the port what it is: %v", err)
	}
	r := &testRun{runner: &runner{port: port, description: description}, policy: Report{}}
	for _, option := range options {
		option(r)
	}
	tasks, err := r.plan(description)
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range runs(tasks, func(t *task) string { return string(t.c.Detector) }) {
		t.Run(string(group[0].c.Detector), func(t *testing.T) {
			t.Parallel()
			r.testDetector(t, group)
		})
	}
}

// testRun is one call of Test.
type testRun struct {
	runner    *runner
	suite     []cases.Case // nil for the built-in ones
	selection Selection
	policy    Report // strict or not; it holds no results
}

// plan returns a task for each case in each reading. An error means that nothing would be checked.
func (r *testRun) plan(port spec.Description) ([]*task, error) {
	if r.suite == nil {
		var err error
		if r.suite, err = cases.All(); err != nil {
			return nil, fmt.Errorf("the suite is wrong: %w", err)
		}
	}
	selected, err := r.selection.Select(r.suite)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(CheckNames(port), CheckFeatures(r.policy.Allowed)); err != nil {
		return nil, err
	}
	tasks := plan(selected, port)
	if !slices.ContainsFunc(tasks, func(t *task) bool { return t.result.Status != Skipped }) {
		return nil, fmt.Errorf("nothing to check: the port declares nothing that any of %d cases needs", len(selected))
	}
	return tasks, nil
}

// runs splits tasks where what they are called changes.
func runs(tasks []*task, name func(*task) string) [][]*task {
	var groups [][]*task
	for i, t := range tasks {
		if i == 0 || name(t) != name(tasks[i-1]) {
			groups = append(groups, nil)
		}
		last := len(groups) - 1
		groups[last] = append(groups[last], t)
	}
	return groups
}

// testDetector runs the cases of a detector, each with a subtest for each of its readings.
func (r *testRun) testDetector(t *testing.T, tasks []*task) {
	if reason := whyNone(tasks); reason != "" && !r.policy.Strict {
		t.Skip(reason)
	}
	for _, readings := range runs(tasks, func(t *task) string { return t.c.ID }) {
		t.Run(readings[0].c.ID, func(t *testing.T) {
			t.Parallel()
			for _, task := range readings {
				t.Run(string(task.reading), func(t *testing.T) { r.testCase(t, task) })
			}
		})
	}
}

// whyNone returns why none of the tasks can be asked, where that has one reason for all: the detector is not there.
func whyNone(tasks []*task) string {
	for _, t := range tasks {
		if t.result.Status != Skipped || t.result.Reason != tasks[0].result.Reason {
			return ""
		}
	}
	return tasks[0].result.Reason
}

func (r *testRun) testCase(t *testing.T, task *task) {
	if task.result.Status == "" {
		r.runner.attempt(t.Context(), task) // its result is in the task, or the next line has it
	}
	switch result := task.result; {
	case result.Status == Passed:
	case result.Status == Skipped && (!r.policy.Strict || r.policy.allows(result)):
		t.Skip(result.Reason)
	default:
		t.Error(explain(result, t.Name()))
	}
}

// explain says all that is known of a result that is no pass, as the text report does, and how to see it again.
func explain(result Result, test string) string {
	var b strings.Builder
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(&b, "\n  %-9s%s", label, text)
		}
	}
	b.WriteString(result.Title)
	for _, id := range result.Clauses {
		clause, _ := spec.ClauseByID(id) // the loader refuses unknown clauses
		line("clause", fmt.Sprintf("%s %s (%s): %s", clause.ID, clause.Level, clause.Source, clause.Text))
		for text := range strings.Lines(clause.Literal) {
			line("", strings.TrimSuffix(text, "\n"))
		}
	}
	line("case", fmt.Sprintf("%s:%d", result.File, result.Line))
	line("config", result.Config)
	line("what", result.Reason)
	if result.Failure != nil {
		result.Failure.explain(line)
	}
	line("why", result.Why)
	line("again", "go test -run '"+expression(test)+"'")
	return b.String()
}

// expression returns the pattern of go test -run that selects one subtest and no other.
func expression(test string) string {
	names := strings.Split(test, "/")
	for i, name := range names {
		names[i] = "^" + regexp.QuoteMeta(name) + "$"
	}
	return strings.Join(names, "/")
}
