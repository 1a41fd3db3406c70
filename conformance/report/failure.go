package report

import (
	"fmt"
	"strings"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec/words"
)

// indent is where the contents of the labelled lines begin, in characters.
const indent = 11

// limits bound how much of one failure is shown. Where a trace or a list is cut, the numbers beside its lines tell.
type limits struct {
	lines int // of a running text, of differences, of what had happened before; twice as many of a literal
	width int // characters of a line of running text
	line  int // characters of one line beside its label that is cut rather than wrapped
	value int // characters of one value
}

// limitsOf returns the limits of a page, and those of a failure that is shown in full.
func limitsOf(options Options) limits {
	width := options.width()
	if options.Verbose {
		return limits{lines: 100, width: width, line: 8000, value: 4000}
	}
	return limits{lines: 4, width: width, line: width - indent, value: width - 40}
}

// sheet is the account of one failure in labelled lines.
type sheet struct {
	limits limits
	lines  []string
}

// whole returns everything that is known of a result that is no pass: the case, the clause, what happened, what
// differs, why it matters, and how to see it again. The first line is a headline that begins with [voice].
func whole(result conformance.Result, options Options) []string {
	s := &sheet{limits: limitsOf(options), lines: []string{fmt.Sprintf("%s %s", voice(result), nameOf(result))}}
	s.field("", words.Line(result.Title))
	if !result.IsDifference() {
		s.clauses(result, options)
	}
	s.field("case", placeOf(result))
	if options.Site != "" && result.File != "" {
		s.verbatim("page", options.Site+"case/"+result.Case)
	}
	if result.Config != "" {
		s.verbatim("config", result.Config)
	}
	s.field("what", result.Reason)
	if result.Failure != nil {
		s.failure(*result.Failure)
	}
	s.field("why", result.Why)
	s.field("excuse", result.Excuse)
	if command := again(result, options); command != "" {
		s.limits.line = len(command) // in one piece, however long: it is for copying
		s.verbatim("again", command)
	}
	return s.lines
}

// placeOf says where a case stands, and how far it got that failed at a step; what was checked on generated traces
// stands in no file.
func placeOf(result conformance.Result) string {
	place := "on a generated trace"
	if result.IsNotStarted() {
		return ""
	}
	if result.File != "" {
		place = fmt.Sprintf("%s:%d", result.File, result.Line)
	}
	if f := result.Failure; f != nil && f.Step > 0 {
		place += fmt.Sprintf(", step %d of %d", f.Step, f.Steps)
		if f.Twin != "" {
			place += " of its twin"
		}
	}
	return place
}

// voices say in capitals who is wrong.
var voices = map[conformance.Status]string{
	conformance.Failed: "FAILED", conformance.Faulty: "SUITE", conformance.Broken: "ADAPTER",
	conformance.Undecided: "UNDECIDED", conformance.Known: "KNOWN",
}

func voice(result conformance.Result) string {
	switch change := result.Differs(); change {
	case "":
		return voices[result.Status]
	case conformance.Mended, conformance.Regressed:
		return strings.ToUpper(string(change))
	default:
		return "DIFFERS"
	}
}

// clauses shows what the first clause says; the others are named.
func (s *sheet) clauses(result conformance.Result, options Options) {
	id := firstClause(result)
	line := id
	if c, ok := options.clause(id); ok {
		line = fmt.Sprintf("%s %s (%s): %s", c.ID, c.Level, c.Source, c.Text)
	}
	if len(result.Clauses) > 1 {
		line += fmt.Sprintf(" (also %s)", strings.Join(result.Clauses[1:], ", "))
	}
	s.field("clause", line)
	if c, ok := options.clause(id); ok && c.Literal != "" {
		lines := strings.Split(c.Literal, "\n")
		if most := 2 * s.limits.lines; len(lines) > most {
			lines = append(lines[:most:most], "…")
		}
		for _, line := range lines {
			s.verbatim("", "  "+line)
		}
	}
}

func (s *sheet) failure(f conformance.Failure) {
	if f.Twin != "" {
		s.field("twin", f.Twin+" makes it a loop; the port passed the case itself")
	}
	s.verbatim("trace", s.lastOf(f.Trace)...)
	if f.Action != "" {
		s.verbatim("then", f.Action)
	}
	if len(f.Sides) > 0 {
		s.field("problem", f.Problem)
		s.verbatim("", s.sides(f.Sides)...)
		return
	}
	problem := f.Problem
	if len(f.Differences) > 0 {
		problem += " (-want +got)"
	}
	s.field("problem", problem)
	s.verbatim("", s.diff(f.Differences)...)
}

// sides returns what each says of those that are compared, a line for each.
func (s *sheet) sides(sides []conformance.Side) []string {
	var lines []string
	for _, side := range sides {
		lines = append(lines, fmt.Sprintf("%-*s  %s", len("reference"), side.Who, words.Cut(side.Says, s.limits.value)))
	}
	return lines
}

// lastOf returns the end of a trace, its lines numbered; the first line tells how many events are left out.
func (s *sheet) lastOf(trace []string) []string {
	var lines []string
	skipped := max(len(trace)-s.limits.lines, 0)
	if skipped > 0 {
		skipped++
		lines = append(lines, fmt.Sprintf("  …  %s before", count(skipped, "event")))
	}
	for i, line := range trace[skipped:] {
		lines = append(lines, fmt.Sprintf("%3d  %s", skipped+i+1, line))
	}
	return lines
}

// diff returns the differences, a line for each side that is there.
func (s *sheet) diff(differences []conformance.Difference) []string {
	var lines []string
	for i, d := range differences {
		if i == s.limits.lines {
			return append(lines, fmt.Sprintf("… and %s", count(len(differences)-i, "difference")+" more"))
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
	lines := words.Wrap(words.Visible(content), s.limits.width-indent)
	if most := s.limits.lines; len(lines) > most {
		lines = words.Wrap(words.Visible(content), s.limits.width-indent-2)[:most]
		lines[most-1] += " …"
	}
	s.verbatim(label, lines...)
}

// verbatim adds a label and lines that are cut rather than wrapped.
func (s *sheet) verbatim(label string, lines ...string) {
	for _, line := range lines {
		labelled := fmt.Sprintf("  %-*s%s", indent-2, label, words.Cut(words.Line(line), s.limits.line))
		s.lines = append(s.lines, strings.TrimRight(labelled, " "))
		label = ""
	}
}
