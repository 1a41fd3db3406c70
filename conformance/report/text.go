// Package report renders a [conformance.Report] for people and for machines.
package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

// TextOptions are the settings of a text report.
type TextOptions struct {
	Colour  bool // mark failures and passes with terminal colours
	Verbose bool // show every failure whole, not only the first

	// Again is the command that repeats the run without its selection of cases: "loopstone test%s -- python3 port.py".
	// The %s is replaced by the flags that select.
	Again string
}

// maxLines bounds how many failures after the first a text report lists, so that the whole of it fits one screen.
const maxLines = 12

// Text writes the report as a person reads it at a terminal: a table by detector and reading, the first failure
// whole, the others in one line each under the clause that they break, what was not checked, and the outcome.
func Text(w io.Writer, r *conformance.Report, options TextOptions) error {
	t := &text{r: r, options: options}
	t.head()
	t.table()
	t.problems()
	t.notChecked()
	t.outcome()
	if _, err := io.WriteString(w, t.b.String()); err != nil {
		return fmt.Errorf("write the text report: %w", err)
	}
	return nil
}

type text struct {
	b       strings.Builder
	r       *conformance.Report
	options TextOptions
}

func (t *text) printf(format string, args ...any) { fmt.Fprintf(&t.b, format, args...) }

// The colours of a text report.
const (
	red    = "31"
	green  = "32"
	yellow = "33"
)

func (t *text) colour(code, s string) string {
	if !t.options.Colour {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (t *text) head() {
	port := t.r.Port
	t.printf("%s %s (%s), judged by loopstone %s\n\n", port.Name, port.Version, port.Language, t.r.Suite.Version)
}

// row is one line of the table.
type row struct {
	detector spec.DetectorID
	reading  spec.Reading
	counts   map[conformance.Status]int
}

func rows(results []conformance.Result) []row {
	var list []row
	index := map[string]int{}
	for _, result := range results {
		key := string(result.Detector) + " " + string(result.Reading)
		i, ok := index[key]
		if !ok {
			i = len(list)
			index[key] = i
			list = append(list, row{result.Detector, result.Reading, map[conformance.Status]int{}})
		}
		list[i].counts[result.Status]++
	}
	return list
}

func (t *text) table() {
	w := tabwriter.NewWriter(&t.b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "detector\treading\tpassed\tfailed\tundecided\tskipped")
	for _, row := range rows(t.r.Results) {
		c := row.counts
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\n", row.detector, row.reading, c[conformance.Passed],
			c[conformance.Failed], c[conformance.Undecided]+c[conformance.Broken], c[conformance.Skipped])
	}
	w.Flush() // writes to a strings.Builder, which never fails
	t.printf("\n")
}

// bad returns the results that keep the port from being conformant, in the order of the clauses that they break.
func bad(results []conformance.Result) []conformance.Result {
	var list []conformance.Result
	for _, status := range []conformance.Status{conformance.Broken, conformance.Failed, conformance.Undecided} {
		var same []conformance.Result
		for _, result := range results {
			if result.Status == status {
				same = append(same, result)
			}
		}
		list = append(list, byClause(same)...)
	}
	return list
}

// byClause brings results of the same first clause together, in the order in which the clauses turn up.
func byClause(results []conformance.Result) []conformance.Result {
	var order []string
	groups := map[string][]conformance.Result{}
	for _, result := range results {
		clause := result.Clauses[0]
		if groups[clause] == nil {
			order = append(order, clause)
		}
		groups[clause] = append(groups[clause], result)
	}
	var list []conformance.Result
	for _, clause := range order {
		list = append(list, groups[clause]...)
	}
	return list
}

func (t *text) problems() {
	list := bad(t.r.Results)
	for i, result := range list {
		if i == 0 || t.options.Verbose {
			t.whole(result)
		}
	}
	if len(list) < 2 || t.options.Verbose {
		return
	}
	t.printf("The other %d, by the clause that they break:\n", len(list)-1)
	for i, result := range list[1:] {
		if i == maxLines {
			t.printf("  … and %d more; --verbose shows every one whole\n", len(list)-1-maxLines)
			break
		}
		t.printf("  %-6s %s (%s)  %s\n", result.Clauses[0], result.Case, result.Reading, brief(result))
	}
	t.printf("\n")
}

// voice says in capitals who is wrong.
func voice(s conformance.Status) string {
	switch s {
	case conformance.Broken:
		return "ADAPTER"
	case conformance.Undecided:
		return "UNDECIDED"
	default:
		return "FAILED"
	}
}

func (t *text) whole(result conformance.Result) {
	t.printf("%s %s", t.colour(red, voice(result.Status)), result.Case)
	if result.Reading != "" {
		t.printf(" (%s)", result.Reading)
	}
	t.printf("  %s\n", result.Title)
	for _, id := range result.Clauses {
		if c, ok := spec.ClauseByID(id); ok {
			t.field("clause", fmt.Sprintf("%s %s (%s): %s", c.ID, c.Level, c.Source, c.Text))
		}
	}
	t.field("case", fmt.Sprintf("%s:%d", result.File, result.Line))
	if result.Reason != "" {
		t.field("what", result.Reason)
	}
	if result.Failure != nil {
		t.failure(*result.Failure)
	}
	t.field("why", result.Why)
	if t.options.Again != "" {
		t.field("again", strings.Replace(t.options.Again, "%s", " --case "+result.Case, 1))
	}
	t.printf("\n")
}

// width is where the text report wraps its lines.
const width = 118

// field prints a label and a text that is wrapped beside it.
func (t *text) field(label, content string) {
	const indent = 11
	line := fmt.Sprintf("  %-*s", indent-2, label)
	length := indent
	for i, word := range strings.Fields(content) {
		if i > 0 && length+1+len([]rune(word)) > width {
			line += "\n" + strings.Repeat(" ", indent)
			length = indent
		} else if i > 0 {
			line += " "
			length++
		}
		line += word
		length += len([]rune(word))
	}
	t.printf("%s\n", line)
}

// verbatim prints a label and lines that are not to be wrapped.
func (t *text) verbatim(label string, lines []string) {
	for i, line := range lines {
		if i > 0 {
			label = ""
		}
		t.printf("  %-9s%s\n", label, line)
	}
}

func (t *text) failure(f conformance.Failure) {
	if f.Step > 0 {
		t.field("step", fmt.Sprintf("%d of %d", f.Step, f.Steps))
	}
	t.verbatim("trace", shorten(f.Trace))
	if f.Action != "" {
		t.verbatim("then", []string{f.Action})
	}
	problem := f.Problem
	if len(f.Differences) > 0 {
		problem += " (-want +got)"
	}
	t.field("problem", problem)
	t.verbatim("", diffLines(f.Differences))
}

// maxTrace bounds how much of a trace is shown: its last lines.
const maxTrace = 12

func shorten(trace []string) []string {
	lines := []string{}
	skipped := len(trace) - maxTrace
	if skipped > 0 {
		lines = append(lines, fmt.Sprintf("… %d earlier", skipped))
		trace = trace[skipped:]
	}
	for i, line := range trace {
		lines = append(lines, fmt.Sprintf("%3d  %s", max(skipped, 0)+i+1, line))
	}
	return lines
}

func diffLines(differences []conformance.Difference) []string {
	var lines []string
	for _, d := range differences {
		path := d.Path
		if path != "" {
			path += ": "
		}
		if d.Want != "" {
			lines = append(lines, "- "+path+d.Want)
		}
		if d.Got != "" {
			lines = append(lines, "+ "+path+d.Got)
		}
		if d.Got == "" && d.Want != "" {
			lines[len(lines)-1] += "   (not there)"
		}
	}
	return lines
}

// brief returns what is wrong in one line.
func brief(result conformance.Result) string {
	if result.Failure == nil {
		return firstLine(result.Reason)
	}
	line := result.Failure.Problem
	if d := result.Failure.Differences; len(d) > 0 {
		line = fmt.Sprintf("%s: want %s, got %s", orValue(d[0].Path), orAbsent(d[0].Want), orAbsent(d[0].Got))
	}
	if result.Failure.Step > 0 {
		line = fmt.Sprintf("step %d: %s", result.Failure.Step, line)
	}
	return firstLine(line)
}

func orValue(path string) string {
	if path == "" {
		return "value"
	}
	return path
}

func orAbsent(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

const maxBrief = 90

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	if runes := []rune(s); len(runes) > maxBrief {
		return string(runes[:maxBrief]) + "…"
	}
	return s
}

// notChecked says what was not asked, each reason once with the number of cases.
func (t *text) notChecked() {
	var order []string
	counts := map[string]int{}
	for _, result := range t.r.Results {
		if result.Status != conformance.Skipped {
			continue
		}
		if counts[result.Reason] == 0 {
			order = append(order, result.Reason)
		}
		counts[result.Reason]++
	}
	if len(order) == 0 {
		return
	}
	t.printf("%s\n", t.colour(yellow, "NOT CHECKED"))
	for _, reason := range order {
		t.printf("  %d %s: %s\n", counts[reason], plural(counts[reason], "case", "cases"), reason)
	}
	t.printf("\n")
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

func (t *text) outcome() {
	r := t.r
	outcome := r.Outcome()
	code := green
	if outcome != conformance.Conformant {
		code = red
	}
	ran := len(r.Results) - r.Count(conformance.Skipped)
	t.printf("%s: %d of %d %s passed", t.colour(code, outcome.String()), r.Count(conformance.Passed), ran,
		plural(ran, "case", "cases"))
	if n := r.Count(conformance.Failed); n > 0 {
		t.printf(", %d failed", n)
	}
	if n := r.Count(conformance.Broken) + r.Count(conformance.Undecided); n > 0 {
		t.printf(", %d without an answer", n)
	}
	if n := r.Count(conformance.Skipped); n > 0 {
		t.printf(", %d NOT CHECKED", n)
	}
	t.printf("; %s\n", rate(r.Events, r.Elapsed))
}

// rate returns the speed of a run.
func rate(events int, elapsed time.Duration) string {
	seconds := elapsed.Seconds()
	if seconds <= 0 || events == 0 {
		return fmt.Sprintf("%d events", events)
	}
	return fmt.Sprintf("%d events in %.2f s, %.0f events/s", events, seconds, float64(events)/seconds)
}
