package report

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/loopstone/loopstone/conformance"
)

// The bounds of a page, in lines. A page that is not verbose is meant to fit a screen of 50 lines.
const (
	screen       = 50
	leastOthers  = 4 // failures after the first, however full the page is
	maxProblems  = 5
	maxKnown     = 3
	maxUnchecked = 8
)

// page is a text report in the making: a table by detector and reading, the first failure whole, the others in one
// line each under the clause that they break, what is wrong with the ledger, what was not checked, and the outcome.
type page struct {
	lines   []string
	r       *conformance.Report
	options Options
}

// text renders the report as a person reads it at a terminal.
func text(r *conformance.Report, options Options) ([]byte, error) {
	p := &page{r: r, options: options}
	end := p.end()
	p.add(identity(r))
	p.add("")
	p.table()
	p.failures(screen - len(end))
	return []byte(strings.Join(append(p.lines, end...), "\n") + "\n"), nil
}

// end returns the lines after the failures.
func (p *page) end() []string {
	end := &page{r: p.r, options: p.options}
	end.known()
	end.list(red, "LEDGER", ledgerProblems(p.r), maxProblems)
	end.list(yellow, "NOT CHECKED", notChecked(p.r), maxUnchecked)
	end.outcome()
	return end.lines
}

// add adds a line, cut to the width of the page unless everything is wanted.
func (p *page) add(line string) { p.marked("", "", line) }

// marked adds a line that begins with a label in colour.
func (p *page) marked(code, label, rest string) {
	line := label + rest
	if !p.options.Verbose {
		line = cut(line, width)
	}
	p.lines = append(p.lines, p.paint(code, label)+strings.TrimPrefix(line, label))
}

// The colours of a text report.
const (
	red    = "31"
	green  = "32"
	yellow = "33"
)

func (p *page) paint(code, text string) string {
	if !p.options.Colour || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p *page) table() {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	guessed := hasFloor(p.r)
	head := "detector\treading\tpassed\tfailed\tknown\tno answer\tnot checked"
	if guessed {
		head += "\tscore\tfloor"
	}
	fmt.Fprintln(w, head)
	for _, part := range parts(p.r.Results) {
		c := tally(part.results)
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d", oneLine(string(part.detector)),
			oneLine(or(string(part.reading), "-")), c[conformance.Passed],
			c[conformance.Failed], c[conformance.Known], c[conformance.Broken]+c[conformance.Undecided], c[conformance.Skipped])
		if guessed {
			fmt.Fprintf(w, "\t%s\t%s", score(part), floorOf(part))
		}
		fmt.Fprintln(w)
	}
	w.Flush() // into a strings.Builder, which never fails
	p.lines = append(p.lines, strings.Split(b.String(), "\n")...)
}

// failures shows the first failure whole and the others in one line each, as many as leave the page within that many
// lines.
func (p *page) failures(room int) {
	groups := bad(p.r)
	total := 0
	for _, g := range groups {
		for _, result := range g.results {
			if total == 0 || p.options.Verbose {
				p.whole(result)
			}
			total++
		}
	}
	if total < 2 || p.options.Verbose {
		return
	}
	p.add(fmt.Sprintf("The other %d, by the clause that they break:", total-1))
	groups[0].results = groups[0].results[1:]
	p.others(groups, max(room-len(p.lines)-2, leastOthers))
	p.add("")
}

func (p *page) whole(result conformance.Result) {
	lines := whole(result, p.options)
	label := voice(result.Status)
	p.marked(red, label, strings.TrimPrefix(lines[0], label))
	p.lines = append(p.lines, lines[1:]...)
	p.add("")
}

// others shows failures in one line each. Where there is no room for all, every clause gets its share, and the rest is
// counted by clause.
func (p *page) others(groups []group, room int) {
	left := 0
	var omitted []string
	for i, shown := range shares(groups, room) {
		g := groups[i]
		for _, result := range g.results[:shown] {
			p.add(fmt.Sprintf("  %-6s %s  %s", g.key, nameOf(result), brief(result)))
		}
		if rest := len(g.results) - shown; rest > 0 {
			left += rest
			omitted = append(omitted, fmt.Sprintf("%s %d", g.key, rest))
		}
	}
	if left == 0 {
		return
	}
	const hint = "); --verbose shows every one whole"
	p.add(cut(fmt.Sprintf("  … and %d more (%s", left, strings.Join(omitted, ", ")), width-len(hint)) + hint)
}

// shares says how many results of each group are shown, so that these are no more than that many in all: one of each
// group in turn, as often as there is room.
func shares(groups []group, room int) []int {
	share := make([]int, len(groups))
	for more := true; more && room > 0; {
		more = false
		for i, g := range groups {
			if room > 0 && share[i] < len(g.results) {
				share[i]++
				room--
				more = true
			}
		}
	}
	return share
}

func (p *page) known() {
	var lines []string
	for _, result := range withStatus(p.r.Results, conformance.Known) {
		lines = append(lines, fmt.Sprintf("%-6s %s  %s", firstClause(result), nameOf(result), oneLine(result.Excuse)))
	}
	p.list(yellow, "KNOWN FAILURES, excused by the ledger", lines, maxKnown)
}

// list shows lines under a headline in colour, the first of them unless everything is wanted.
func (p *page) list(code, headline string, lines []string, most int) {
	if len(lines) == 0 {
		return
	}
	p.marked(code, headline, "")
	for i, line := range lines {
		if i == most && !p.options.Verbose {
			p.add(fmt.Sprintf("  … and %d more; --verbose shows them all", len(lines)-i))
			break
		}
		p.wrapped("  ", line)
	}
	p.add("")
}

// wrapped adds a line that is wrapped rather than cut: what was left out must be told in full.
func (p *page) wrapped(indent, line string) {
	for _, part := range wrap(line, width-len(indent)-2) {
		p.add(indent + part)
		indent = "    "
	}
}

func (p *page) outcome() {
	outcome := p.r.Outcome()
	code := green
	if outcome != conformance.Conformant {
		code = red
	}
	lines := wrap(fmt.Sprintf("%s: %s; %s", outcome, summary(p.r), speed(p.r)), width-2)
	p.marked(code, outcome.String(), strings.TrimPrefix(lines[0], outcome.String()))
	for _, line := range lines[1:] {
		p.add("  " + line)
	}
}
