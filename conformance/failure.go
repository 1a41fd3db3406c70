package conformance

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/words"
)

// Failure says where and how a port differed from a case.
type Failure struct {
	Step        int          `json:"step"` // from 1; 0 where the case has no steps
	Steps       int          `json:"steps"`
	Action      string       `json:"action"` // the step in one line
	Problem     string       `json:"problem"`
	Differences []Difference `json:"differences,omitempty"`
	Sides       []Side       `json:"sides,omitempty"`   // of two ports that are compared: who says what at the step
	Trace       []string     `json:"trace,omitempty"`   // what had happened before, one line each
	Refused     bool         `json:"refused,omitempty"` // a request of an earlier step was refused, as it must be

	// Twin says in what the trace differs from the case, which the port passed: it failed the twin.
	Twin string `json:"twin,omitempty"`

	Seed   int64  `json:"seed,omitempty"`   // of the generated trace that this is about; 0 where it was not generated
	Spread string `json:"spread,omitempty"` // of a law: on how many traces it is broken, and a digest of how
}

// Side is what one says of those that are compared: the old port, the new one or the reference.
type Side struct {
	Who  string `json:"who"`
	Says string `json:"says"`
}

// Difference is one member that is not what the case demands. A side that has no such member is empty.
type Difference struct {
	Path string `json:"path"`
	Want string `json:"want"`
	Got  string `json:"got"`
}

// maxLine bounds what one value takes of a line that a person reads, in characters.
const maxLine = 100

// maxKept bounds what a report keeps of one value, in characters: one that is longer is no detector's.
const maxKept = 1000

// maxDifferences bounds how many differences of one failure a report keeps.
const maxDifferences = 100

// cut shortens a text to what one line bears.
func cut(text string) string { return words.Shortened(text, maxLine) }

// bounded shortens a text to what a report keeps.
func bounded(text string) string { return words.Shortened(text, maxKept) }

// keep bounds what is kept of a failure.
func (f Failure) keep() Failure {
	f.Problem = bounded(f.Problem)
	if n := len(f.Differences); n > maxDifferences {
		f.Problem += fmt.Sprintf(" in %d places, of which the first %d follow", n, maxDifferences)
		f.Differences = f.Differences[:maxDifferences]
	}
	for i := range f.Differences {
		d := &f.Differences[i]
		d.Path, d.Want, d.Got = bounded(d.Path), bounded(d.Want), bounded(d.Got)
	}
	return f
}

// moment is something that was done: an event of a step with its verdict, or a step without events. Only a case that
// fails puts it into words, which costs more than to carry it out.
type moment struct {
	step           *cases.Step
	event, verdict spec.Value
	config         spec.Value // of the step's session, where that has one of its own
}

// line tells of the moment, with the session's name where the case has several, and its configuration where it has one.
func (m moment) line() string {
	line := describe(*m.step)
	if m.step.Action == cases.Observe {
		line = laws.DescribeEvent(m.event) + " -> " + cut(m.verdict.String())
	}
	if m.step.Session != cases.MainSession {
		session := m.step.Session
		if !m.config.IsAbsent() {
			session += " " + m.config.String()
		}
		line = session + ": " + line
	}
	return line
}

// describe returns a step in one line.
func describe(step cases.Step) string {
	switch step.Action {
	case cases.Observe:
		lines := make([]string, len(step.Events))
		for i, event := range step.Events {
			lines[i] = laws.DescribeEvent(event)
		}
		return strings.Join(lines, "; ")
	case cases.Restore:
		if step.Name == "" {
			return "restore " + cut(step.State.String())
		}
		return "restore " + step.Name
	case cases.Snapshot:
		return "snapshot " + step.Name
	default:
		return string(step.Action)
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// lastWords finds the line that says what an interpreter died of, such as "NameError: name 'x' is not defined": Python
// prints it last, Go first, Node in the middle. Lines of a stack trace are indented.
var lastWords = regexp.MustCompile(`(?m)^(?:panic|fatal error|\S*(?:Error|Exception|Interrupt|Exit)\b|thread '.*' panicked).*$`)

// withLastWords adds what an adapter said last: the line that matters first, since the rest may be cut.
func withLastWords(problem, stderr string) string {
	stderr = strings.TrimSpace(stderr)
	if stderr == "" {
		return problem
	}
	lines := strings.Split(stderr, "\n")
	words := lines[len(lines)-1]
	if found := lastWords.FindAllString(stderr, -1); found != nil {
		words = found[len(found)-1]
	}
	problem += "; its last words: " + bounded(words)
	if len(lines) > 1 {
		problem += "\n" + stderr[max(0, len(stderr)-maxKept):]
	}
	return problem
}
