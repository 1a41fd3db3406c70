package conformance

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// Explanation says how a result is explained.
type Explanation struct {
	Width  int                                 // characters of a line of running text; 0 means 100
	Whole  bool                                // lists and texts are cut only where nobody would read on
	Page   string                              // the address of the case; empty without one
	Again  string                              // the command that shows the result again; empty where nobody knows it
	Clause func(id string) (spec.Clause, bool) // looks up what a clause says; nil means [spec.ClauseByID]
}

// Explain returns everything that is known of a result that is no pass, in labelled lines: the case, the clause, what
// happened, what differs, why it matters, and how to see it again.
func (r *Result) Explain(e Explanation) []string {
	e.Width = cmp.Or(e.Width, 100)
	if e.Clause == nil {
		e.Clause = spec.ClauseByID
	}
	s := &sheet{limits: e.limits()}
	s.field("", wording.Line(r.Title))
	if !r.IsDifference() {
		s.clauses(r, e)
	}
	s.field("case", r.place())
	if r.File != "" {
		s.verbatim("page", e.Page)
	}
	s.verbatim("config", r.Config)
	s.output("what", r.Reason)
	if r.Failure != nil {
		s.failure(r.Failure)
	}
	s.field("why", r.Why)
	s.field("excuse", r.Excuse)
	s.limits.line = len(e.Again) // in one piece, however long: it is for copying
	s.verbatim("again", e.Again)
	return s.lines
}

// Brief returns what is wrong with a result in one line.
func (r *Result) Brief() string {
	f := r.Failure
	if f == nil || r.Status == Faulty {
		return wording.Line(firstLine(r.Reason))
	}
	line := firstLine(f.Problem)
	if len(f.Differences) > 0 {
		d := f.Differences[0]
		want, got := excerpts(d.Want, d.Got, maxBrief)
		want, got = cmp.Or(want, "nothing"), cmp.Or(got, "nothing")
		line = fmt.Sprintf("%s: want %s, got %s", cmp.Or(d.Path, "value"), want, got)
		if r.IsDifference() {
			line = fmt.Sprintf("was %s, is %s", want, got)
		}
	}
	if f.Step > 0 {
		line = fmt.Sprintf("step %d: %s", f.Step, line)
	}
	if f.Contrast != "" {
		line = "in the contrast, " + line
	}
	return wording.Line(line)
}

// maxBrief bounds a value within one line, in characters.
const maxBrief = 45

// indent is where the contents of the labelled lines begin, in characters.
const indent = 11

// limits bound how much of one failure is shown. Where a trace or a list is cut, the numbers beside its lines tell.
type limits struct {
	lines int // of a running text, of differences, of what had happened before; twice as many of a literal
	width int // characters of a line of running text
	line  int // characters of one line beside its label that is cut rather than wrapped
	value int // characters of one value
}

func (e Explanation) limits() limits {
	if e.Whole {
		return limits{lines: 100, width: e.Width, line: 8000, value: 4000}
	}
	return limits{lines: 4, width: e.Width, line: e.Width - indent, value: e.Width - 40}
}

// sheet is the account of one failure in labelled lines.
type sheet struct {
	limits limits
	lines  []string
}

// place says where a case stands, and how far it got that failed at a step. What was checked on other traces than those
// of cases stands in no file.
func (r *Result) place() string {
	place := "on a trace of the law"
	if r.IsNotStarted() {
		return ""
	}
	if f := r.Failure; f != nil && f.Action == "" && len(f.Trace) == 0 {
		place = "opening a session"
	}
	if r.File != "" {
		place = fmt.Sprintf("%s:%d", r.File, r.Line)
	}
	if f := r.Failure; f != nil && f.Step > 0 {
		place += fmt.Sprintf(", step %d of %d", f.Step, f.Steps)
		if f.Contrast != "" {
			place += " of its contrast"
		}
	}
	return place
}

// clauses shows what the first clause says; the others are named.
func (s *sheet) clauses(r *Result, e Explanation) {
	id := wording.Line(r.FirstClause())
	line := id
	if c, ok := e.Clause(id); ok {
		line = fmt.Sprintf("%s %s (%s): %s", c.ID, c.Level, c.Source, c.Text)
	}
	if len(r.Clauses) > 1 {
		line += fmt.Sprintf(" (also %s)", strings.Join(r.Clauses[1:], ", "))
	}
	s.field("clause", line)
	if c, ok := e.Clause(id); ok && c.Literal != "" {
		lines := strings.Split(c.Literal, "\n")
		if most := 2 * s.limits.lines; len(lines) > most {
			lines = append(lines[:most:most], "…")
		}
		for _, line := range lines {
			s.verbatim("", "  "+line)
		}
	}
}

func (s *sheet) failure(f *Failure) {
	if f.Contrast != "" {
		s.field("contrast", f.Contrast+" makes it a loop; the port passed the case itself")
	}
	s.verbatim("trace", s.lastOf(f.Trace)...)
	s.verbatim("then", f.Action)
	if len(f.Sides) > 0 {
		s.field("problem", f.Problem)
		s.verbatim("", s.sides(f.Sides)...)
		return
	}
	problem := f.Problem
	if len(f.Differences) > 0 {
		first, rest, _ := strings.Cut(problem, "\n")
		problem = strings.TrimSuffix(first+" (-want +got)\n"+rest, "\n")
	}
	s.output("problem", problem)
	s.verbatim("", s.diff(f.Differences)...)
	if f.Hashed != "" {
		s.verbatim("hashed", "wanted is the MD5 sum of: "+f.Hashed,
			"got is the sum of another text: let the port print the text that it hashes, and compare the two")
	}
}

// sides returns what each says of those that are compared, a line for each.
func (s *sheet) sides(sides []Side) []string {
	var lines []string
	for _, side := range sides {
		lines = append(lines, fmt.Sprintf("%-*s  %s", len("reference"), side.Who, wording.Cut(side.Says, s.limits.value)))
	}
	return lines
}

// lastOf returns the end of a trace, its lines numbered; the first line tells how many events are left out.
func (s *sheet) lastOf(trace []string) []string {
	var lines []string
	skipped := max(len(trace)-s.limits.lines, 0)
	if skipped > 0 {
		skipped++
		lines = append(lines, fmt.Sprintf("  …  %d events before", skipped))
	}
	for i, line := range trace[skipped:] {
		lines = append(lines, fmt.Sprintf("%3d  %s", skipped+i+1, line))
	}
	return lines
}

// diff returns the differences, a line for each side that is there.
func (s *sheet) diff(differences []Difference) []string {
	var lines []string
	for i, d := range differences {
		if i == s.limits.lines {
			return append(lines, fmt.Sprintf("… and %d more", len(differences)-i))
		}
		path := ""
		if d.Path != "" {
			path = d.Path + ": "
		}
		want, got := excerpts(d.Want, d.Got, s.limits.value)
		switch {
		case d.Got == "":
			lines = append(lines, "- "+path+want+"   (missing)")
		case d.Want == "":
			lines = append(lines, "+ "+path+got+"   (unexpected)")
		default:
			lines = append(lines, "- "+path+want, "+ "+path+got)
		}
	}
	return lines
}

// field adds a label and a running text, wrapped beside it; nothing where the text is empty.
func (s *sheet) field(label, content string) {
	if content == "" {
		return
	}
	lines := wording.Wrap(wording.Visible(content), s.limits.width-indent)
	if most := s.limits.lines; len(lines) > most {
		lines = wording.Wrap(wording.Visible(content), s.limits.width-indent-2)[:most]
		lines[most-1] += " …"
	}
	s.verbatim(label, lines...)
}

// output adds a label and a text, and below it the last of the lines that a program has written, as they are: a text
// has them behind its first line.
func (s *sheet) output(label, content string) {
	text, rest, written := strings.Cut(content, "\n")
	s.field(label, text)
	if !written {
		return
	}
	lines, most := strings.Split(strings.TrimRight(rest, "\n"), "\n"), 2*s.limits.lines
	if more := len(lines) - most; more > 0 {
		lines = append([]string{fmt.Sprintf("… %d lines before", more)}, lines[more:]...)
	}
	s.verbatim("output", lines...)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// verbatim adds a label and lines that are cut rather than wrapped; nothing where a single line is empty.
func (s *sheet) verbatim(label string, lines ...string) {
	if len(lines) == 1 && lines[0] == "" {
		return
	}
	for _, line := range lines {
		labelled := fmt.Sprintf("  %-*s%s", indent-2, label, wording.Cut(wording.Line(line), s.limits.line))
		s.lines = append(s.lines, strings.TrimRight(labelled, " "))
		label = ""
	}
}

// around is how many equal characters are left standing, at most, before the first that differs.
const around = 20

// excerpts cuts two texts so that what differs stays in sight: a long beginning that they share gives way.
func excerpts(a, b string, limit int) (string, string) {
	x, y := []rune(a), []rune(b)
	if len(x) <= limit && len(y) <= limit {
		return a, b
	}
	same := 0
	for same < min(len(x), len(y)) && x[same] == y[same] {
		same++
	}
	if start := same - min(around, limit/2); start > 0 {
		a, b = "…"+string(x[start:]), "…"+string(y[start:])
	}
	return wording.Cut(a, limit), wording.Cut(b, limit)
}
