package conformance

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/testing/golden"
	"github.com/loopstone/loopstone/spec"
)

// fragile is a port of the detector history that sees no loop, and whose process can be gone.
type fragile struct {
	gone    func(tool string, asked, starts int) error // says whether the request ends the process
	restart error                                      // comes of starting it anew

	asked, starts int // requests of this process; processes started anew
}

// port returns the port.
func (p *fragile) port() *fragilePort {
	return &fragilePort{fake{offers: historyInCode, observe: func(events []spec.Value) ([]spec.Value, error) {
		tool, _ := events[0].Get("tool").Str()
		p.asked++
		if err := p.gone(tool, p.asked, p.starts); err != nil {
			return nil, err
		}
		return []spec.Value{spec.MustParse(`{"loop":false}`)}, nil
	}}, p}
}

type fragilePort struct {
	fake
	*fragile
}

// Restart implements [stdio.Restarter].
func (p *fragilePort) Restart(context.Context) error {
	p.starts++
	p.asked = 0
	return p.fragile.restart
}

// tools returns n cases, of which each calls a tool of its own: t0, t1 and so on.
func tools(t *testing.T, n int) []cases.Case {
	t.Helper()
	text := "detector: history\ncases:\n"
	for i := range n {
		text += fmt.Sprintf("  - {id: history-t%d, title: T, clauses: [HI-1], source: silent, why: W, "+
			"steps: [{tool_call: {tool: t%d}, expect: {loop: false}}]}\n", i, i)
	}
	suite, err := cases.Parse("history/test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return suite
}

var (
	died   = &stdio.ProcessError{Reason: stdio.Exited, Exit: &stdio.Exit{Code: 3}, Problem: "it died"}
	left   = &stdio.ProcessError{Reason: stdio.Exited, Exit: &stdio.Exit{}, Problem: "it left"}
	babble = &stdio.ProcessError{Reason: stdio.BrokeProtocol, Problem: "it babbles"}
	silent = &stdio.ProcessError{Reason: stdio.TimedOut, Problem: "it is silent"}
)

// on returns a port that is gone whenever it is asked for one of the tools.
func on(err error, tools ...string) func(string, int, int) error {
	return func(tool string, _, _ int) error {
		for _, t := range tools {
			if t == tool {
				return err
			}
		}
		return nil
	}
}

// never is the port whose process is never gone again.
func never(string, int, int) error { return nil }

// retryAll has tasks that were under way when a port was gone carried out alone, and gives the rest up where the port
// cannot be asked any more, as a run does. It returns what is said of each.
func retryAll(t *testing.T, test retryTest) string {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	port := test.port.port()
	description, err := port.Describe(ctx)
	if err != nil {
		t.Fatal(err)
	}
	r := newRunner(port, description, test.options, plan(tools(t, test.cases), description))
	r.down = true
	var candidates []*interrupted
	for _, task := range r.tasks[:test.interrupted] {
		candidates = append(candidates, &interrupted{task: task, cause: test.cause})
	}
	r.retryEach(ctx, candidates)
	if test.ended {
		cancel(errors.New("enough"))
	}
	spent, rest := lists.Partition(r.tasks[test.interrupted:], r.isSpent)
	r.giveUp(ctx, spent...)
	if len(rest) > 0 && (r.failedFast() || !r.up(ctx)) {
		r.giveUp(ctx, rest...)
	}
	text := fmt.Sprintf("  %d restarts, %d done, %d events, down %t\n", r.restarts, r.done, r.events, r.down)
	for _, task := range r.tasks {
		text += strings.TrimRight(fmt.Sprintf("  %s: %s %s", task.c.ID, task.result.Status, task.result.Reason), " ")
		if task.result.Failure != nil {
			text += fmt.Sprintf(" [%s]", inFull(*task.result.Failure))
		}
		text += "\n"
	}
	return text
}

// TestRetry shows to whom it is attributed where a process ends, hangs or babbles, and when it gives up.
func TestRetry(t *testing.T) {
	t.Parallel()
	text := ""
	for _, test := range retryTests() {
		text += test.reason + "\n" + retryAll(t, test) + "\n"
	}
	golden.Check(t, filepath.Join("testdata", "retry.txt"), text)
}

// TestOneDeadlySettingTakesNoOtherResults shows that each detector and reading has restarts of its own.
func TestOneDeadlySettingTakesNoOtherResults(t *testing.T) {
	t.Parallel()
	const n = 20
	var deadly []string
	for i := range n / 2 {
		deadly = append(deadly, fmt.Sprintf("t%d", i))
	}
	port := (&fragile{gone: on(died, deadly...)}).port()
	description, err := port.Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := newRunner(port, description, Options{Jobs: 1, MaxRestarts: 3}, plan(tools(t, n), description))
	for _, task := range r.tasks[n/2:] {
		task.reading = spec.Text
	}
	r.runAll(t.Context())
	counts := map[Status]int{}
	for _, task := range r.tasks {
		counts[task.result.Status]++
	}
	if want := (map[Status]int{Failed: 3, Undecided: n/2 - 3, Passed: n / 2}); !maps.Equal(counts, want) {
		t.Errorf("got %v, want %v", counts, want)
	}
}

// TestRetryWithoutRestarts shows that a port in this process is not asked to.
func TestRetryWithoutRestarts(t *testing.T) {
	t.Parallel()
	r := &runner{port: &scripted{}, down: true}
	if r.up(t.Context()) || r.restarts != 0 {
		t.Errorf("a port that cannot be started again is up, after %d restarts", r.restarts)
	}
}

// retryTest is a port that went wrong while some cases were under way.
type retryTest struct {
	reason             string
	port               *fragile
	cause              error // by which the port was gone
	cases, interrupted int   // the first of the cases were under way
	options            Options
	ended              bool // the run is ended after the retries
}

// retryTests are ports that go wrong in one way each; testdata/retry.txt has what is said of them.
func retryTests() []retryTest {
	twice := func(_ string, asked, _ int) error {
		if asked == 2 {
			return died
		}
		return nil
	}
	return []retryTest{
		{"nothing was under way", &fragile{gone: never}, died, 1, 0, Options{}, false},
		{"a case that kills the process fails", &fragile{gone: on(died, "t1")}, died, 3, 3, Options{}, false},
		{"a case that makes the adapter babble breaks it", &fragile{gone: on(babble, "t1")}, babble, 3, 2, Options{}, false},
		{"a case that makes the adapter leave breaks it", &fragile{gone: on(left, "t1")}, left, 3, 2, Options{}, false},
		{"a case without an answer stays open", &fragile{gone: on(silent, "t0")}, silent, 2, 1, Options{}, false},
		{"a process that dies of old age is nobody's fault", &fragile{gone: twice}, died, 4, 4, Options{}, false},
		{"a fault in company that no case shows alone breaks the adapter", &fragile{gone: never}, babble, 3, 2, Options{}, false},
		{"a fault of one case that it does not show again breaks the adapter", &fragile{gone: never}, babble, 2, 1, Options{}, false},
		{"a crash in company that no case shows alone is nobody's fault", &fragile{gone: never}, died, 3, 2, Options{}, false},
		{"an exit with status 0 that no case shows alone is nobody's fault", &fragile{gone: never}, left, 3, 2, Options{}, false},
		{"silence in company that no case shows alone is nobody's fault", &fragile{gone: never}, silent, 3, 2, Options{}, false},
		{"a fault in company that the last of them shows alone is its own", &fragile{gone: on(babble, "t1")}, babble, 2, 2, Options{}, false},
		{"the port may be started anew twice", &fragile{gone: on(died, "t0", "t1", "t2")}, died, 4, 3, Options{MaxRestarts: 2}, false},
		{"the port may be started anew once", &fragile{gone: on(died, "t0", "t1")}, died, 3, 2, Options{MaxRestarts: 1}, false},
		{"the port may never be started anew", &fragile{gone: never}, died, 2, 1, Options{MaxRestarts: -1}, false},
		{"ports are started anew twenty times by default", &fragile{gone: func(string, int, int) error { return died }}, died, 22, 22, Options{}, false},
		{"an adapter that does not start again is at fault, once", &fragile{restart: died}, died, 3, 2, Options{}, false},
		{"an adapter that takes too long to start again is nobody's fault", &fragile{restart: silent}, died, 2, 1, Options{}, false},
		{"a run that is ended is nobody's fault", &fragile{gone: on(died, "t0")}, died, 3, 1, Options{}, true},
		{"a run that stops at the first failure", &fragile{gone: on(died, "t0")}, died, 3, 1, Options{FailFast: true}, false},
	}
}
