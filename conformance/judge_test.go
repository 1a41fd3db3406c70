package conformance

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/testing/golden"
	"github.com/loopstone/loopstone/spec"
)

// scripted is a port that answers what a test says: by the request, as JSON; "refuse KIND FIELD" is a fault, "fail" an
// error of another kind. Whatever is not in the script is answered as an obedient port would that sees no loop. It
// keeps the requests that it gets.
type scripted struct {
	script   map[string]string
	requests []string
	sessions int
}

func (p *scripted) ask(request, usual string) (spec.Value, error) {
	p.requests = append(p.requests, request)
	answer, scripted := p.script[request]
	if !scripted {
		answer = usual
	}
	switch words := strings.Fields(answer); words[0] {
	case "fail":
		return spec.Value{}, errors.New("the port is gone")
	case "refuse":
		return spec.Value{}, &spec.Fault{Kind: spec.FaultKind(words[1]), Field: words[2]}
	}
	return spec.MustParse(answer), nil
}

// Describe implements [spec.Port].
func (p *scripted) Describe(context.Context) (spec.Description, error) {
	return spec.Description{}, nil
}

// Open implements [spec.Port].
func (p *scripted) Open(_ context.Context, id spec.DetectorID, reading spec.Reading, config spec.Value) (spec.Session, error) {
	p.sessions++
	_, err := p.ask(fmt.Sprintf("%d: open %s %s %s", p.sessions, id, reading, config), "{}")
	return &scriptedSession{p, p.sessions}, err
}

// Call implements [spec.Port].
func (p *scripted) Call(_ context.Context, function string, reading spec.Reading, args spec.Value) (spec.Value, error) {
	return p.ask(fmt.Sprintf("call %s %s %s", function, reading, args), "1")
}

type scriptedSession struct {
	port   *scripted
	number int
}

func (s *scriptedSession) ask(request, usual string) (spec.Value, error) {
	return s.port.ask(fmt.Sprintf("%d: %s", s.number, request), usual)
}

// Observe implements [spec.Session].
func (s *scriptedSession) Observe(_ context.Context, events []spec.Value) ([]spec.Value, error) {
	var tools, usual []string
	for _, event := range events {
		tool, _ := event.Get("tool").Str()
		tools, usual = append(tools, tool), append(usual, `{"loop":false}`)
	}
	verdicts, err := s.ask("observe "+strings.Join(tools, " "), "["+strings.Join(usual, ",")+"]")
	return verdicts.Items(), err
}

// Reset implements [spec.Session].
func (s *scriptedSession) Reset(context.Context) error { _, err := s.ask("reset", "{}"); return err }

// State implements [spec.Session].
func (s *scriptedSession) State(context.Context) (spec.Value, error) { return s.ask("state", "{}") }

// Snapshot implements [spec.Session].
func (s *scriptedSession) Snapshot(context.Context) (spec.Value, error) {
	return s.ask("snapshot", `{"m":1}`)
}

// Restore implements [spec.Session].
func (s *scriptedSession) Restore(_ context.Context, state spec.Value) error {
	_, err := s.ask("restore "+state.String(), "{}")
	return err
}

// Close implements [spec.Session].
func (s *scriptedSession) Close(context.Context) error { _, err := s.ask("close", "{}"); return err }

// judged lets a judge carry out a case, and returns what it says: "passes", the error, or the failure with all that it
// holds. The case is one of the detector history; where it needs a state, of fingerprint, which has one.
func judged(t *testing.T, port *scripted, body string) (verdict string, j *judge) {
	t.Helper()
	detector, reading, clause := "history", spec.Code, "HI-1"
	if strings.Contains(body, "needs: [state]") {
		detector, reading, clause = "fingerprint", spec.Text, "FP-41"
	}
	text := "detector: " + detector + "\ncases:\n  - id: " + detector + "-a\n    title: A case\n    clauses: [" + clause + "]\n    source: silent\n" +
		"    why: It is a test.\n    " + strings.ReplaceAll(strings.TrimSpace(body), "\n", "\n    ") + "\n"
	suite, err := cases.Parse(detector+"/test.yaml", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	j = &judge{port: port, reading: reading, halves: suite[0].Halves()}
	j.row, _ = spec.DefinitionOf(suite[0].Detector)
	err = j.run(t.Context())
	var failure *failed
	switch {
	case err == nil:
		return "passes", j
	case errors.As(err, &failure):
		return inFull(failure.Failure), j
	default:
		return "error: " + err.Error() + " at " + inFull(j.where()), j
	}
}

// inFull writes everything that a failure says.
func inFull(f Failure) string {
	text := fmt.Sprintf("%d of %d, %s", f.Step, f.Steps, f.Action)
	if f.Problem != "" {
		text += ": " + f.Problem
	}
	if len(f.Differences) > 0 {
		text += " (" + inWords(f.Differences) + ")"
	}
	for _, line := range f.Trace {
		text += " | " + line
	}
	return text
}

// TestJudge shows what a judge asks of a port, and what it says of every way to answer wrongly.
func TestJudge(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, test := range judgeTests {
		port := &scripted{script: test.script}
		verdict, j := judged(t, port, test.body)
		fmt.Fprintf(&b, "%s\n  asks  %s\n  sees  %d events\n  says  %s\n\n", test.reason,
			strings.Join(port.requests, ", "), j.events, verdict)
	}
	golden.Check(t, filepath.Join("testdata", "judge.txt"), b.String())
}

// TestJudgeOfACaseThatCannotBeCarriedOut shows that nobody but the suite answers for a step that no loader lets pass.
func TestJudgeOfACaseThatCannotBeCarriedOut(t *testing.T) {
	t.Parallel()
	c := cases.Case{Detector: spec.History, Steps: []cases.Step{{Action: cases.Reset}, {Action: "dance"}}}
	err := (&judge{port: &scripted{}, reading: spec.Code, halves: c.Halves()}).run(t.Context())
	var ours *SuiteError
	if want := `step 2: no action is called "dance"`; !errors.As(err, &ours) || ours.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestSomeCallsNameNoReading: the first reading that a port has is meant where a call names none.
func TestSomeCallsNameNoReading(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why   string
		usual spec.Reading
		line  int
		want  string
	}{
		{"the first reading is named", spec.Code, 7, `call history.hash code {}`},
		{"and in every second case it is not", spec.Code, 8, `call history.hash  {}`},
		{"any other reading is", spec.Text, 8, `call history.hash code {}`},
	} {
		port := &scripted{}
		result := &cases.Want{Equal: spec.IntValue(1)}
		c := cases.Case{Call: &cases.Call{Function: "history.hash", Args: spec.ObjectValue(), Result: result}}
		c.Place.Line = test.line
		err := (&judge{port: port, reading: spec.Code, usual: test.usual, halves: c.Halves()}).run(t.Context())
		if got := strings.Join(port.requests, ", "); err != nil || got != test.want {
			t.Errorf("%s: got %q, %v, want %q", test.why, got, err, test.want)
		}
	}
}
