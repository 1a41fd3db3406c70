package conformance

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
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

	// Hashed is the text of which the case wants the MD5 sum; empty if the case wants anything else.
	Hashed string `json:"hashed,omitempty"`

	// Contrast says in what the trace differs from the case, which the port passed: it failed the contrast.
	Contrast string `json:"contrast,omitempty"`

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
func cut(text string) string { return wording.Shortened(text, maxLine) }

// bounded shortens a text to what a report keeps.
func bounded(text string) string { return wording.Shortened(text, maxKept) }

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

// End says in one line how the test ended: with its status and the reason, or for a failure where it is and all that
// differs. Whether a failure is known makes no difference.
func (r *Result) End() string {
	switch {
	case r.Status.IsFailure() && r.Failure != nil:
		place := ""
		switch f := r.Failure; {
		case f.Step > 0:
			place = fmt.Sprintf(" at step %d", f.Step)
		case f.Steps > 0:
			place = " outside the steps"
		}
		return fmt.Sprintf("%s%s: %s", Failed, place, strings.Join(r.Failure.Lines(), ", "))
	case r.Reason != "":
		return string(r.Status) + ": " + oneLine(r.Reason)
	case r.Failure != nil: // of an adapter that broke the protocol
		return string(r.Status) + ": " + oneLine(r.Failure.Problem)
	default:
		return string(r.Status)
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// Lines returns all that a failure differs in, one short line for each: the path with the value that is wanted and
// the one that came, or the problem where there is no path; of a law, on how many traces it is broken, too. Two
// failures with equal lines are the same, as long as a value's digest tells long ones apart.
func (f *Failure) Lines() []string {
	var lines []string
	for _, d := range f.Differences {
		line := fmt.Sprintf("want %s, got %s", short(d.Want), short(d.Got))
		if d.Path != "" {
			line = d.Path + ": " + line
		}
		if !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		lines = []string{short(oneLine(f.Problem))}
	}
	if f.Spread != "" {
		lines = append(lines, f.Spread)
	}
	return lines
}

// A value of up to maxValue characters stands in a line as it is; of a longer one, the first firstOfValue and a digest.
const maxValue, firstOfValue = 80, 40

func short(value string) string {
	if value == "" {
		return "nothing"
	}
	if characters, digest := []rune(value), sha256.Sum256([]byte(value)); len(characters) > maxValue {
		return fmt.Sprintf("%s… (%d characters, %x)", string(characters[:firstOfValue]), len(characters), digest[:8])
	}
	return value
}

// lines describes the moment, a line for each event. Where the case has several sessions, it names the step's, with the
// configuration that this session alone has; config is absent if it has none.
func (m moment) lines(config spec.Value) []string {
	session := ""
	if m.step.Session != cases.MainSession {
		session = m.step.Session + ": "
		if !config.IsAbsent() {
			session = m.step.Session + " " + config.String() + ": "
		}
	}
	if m.step.Action != cases.Observe {
		return []string{session + describe(*m.step)}
	}
	var lines []string
	for i, event := range m.events {
		lines = append(lines, session+laws.DescribeEvent(event)+" -> "+said(m.verdicts[i]))
	}
	return lines
}

// said returns a verdict that was kept, as much as a line has room for.
func said(verdict spec.Value) string {
	if beginning, isCut := verdict.Str(); isCut {
		return beginning
	}
	return cut(verdict.String())
}

// describe returns a step in one line.
func describe(step cases.Step) string {
	switch step.Action {
	case cases.Observe:
		return strings.Join(lists.Map(step.Events, laws.DescribeEvent), "; ")
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

// endOf returns the last lines, in whole lines as far as a report keeps them.
func endOf(lines []string) string {
	kept := 0
	for i := len(lines) - 1; i >= 0; i-- {
		lines[i] = bounded(lines[i])
		if kept += len(lines[i]) + 1; kept > 2*maxKept {
			return strings.Join(lines[i+1:], "\n")
		}
	}
	return strings.Join(lines, "\n")
}

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
	problem += "; standard error: " + bounded(words)
	if len(lines) > 1 {
		problem += "\n" + endOf(lines)
	}
	return problem
}
