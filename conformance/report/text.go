package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
)

// How much of each part a page shows that is not verbose, in lines.
const (
	mostOthers   = 8 // causes after the first
	mostProblems = 5
	mostKnown    = 3
	mostSkipped  = 8
)

// page is a text report in the making: a table by detector and reading, the first failure whole, the others in one
// line for each cause, what is wrong with the known failures, what was not checked, and the outcome.
type page struct {
	lines   []string
	r       *conformance.Report
	options Options
}

// text renders the report as a person reads it at a terminal.
func text(r *conformance.Report, options Options) ([]byte, error) {
	p := &page{r: r, options: options}
	p.wrapped("", identity(r))
	p.add("")
	p.table()
	p.ownRules()
	p.failures()
	p.run()
	return []byte(strings.Join(p.lines, "\n") + "\n"), nil
}

// run adds what is known of the run beside its failures.
func (p *page) run() {
	p.list(red, "NO LONGER DECLARED", partLines(p.r.Lost()), mostSkipped)
	p.list(yellow, "NEWLY DECLARED", partLines(p.r.Gained()), mostSkipped)
	p.list(red, "LOST, and no case alone shows why", lists.Map(p.r.Losses, wording.Line), mostProblems)
	p.list(yellow, "KNOWN FAILURES, excused", knownLines(p.r, "%-6s %s  %s"), mostKnown)
	p.list(red, "PROBLEMS WITH THE KNOWN FAILURES", problemLines(p.r), mostProblems)
	p.list(yellow, "NOT CHECKED", notChecked(p.r), mostSkipped)
	p.list("", "SLOWEST TESTS, from start to end; many ran at once", slowest(p.r, p.options.Durations),
		p.options.Durations)
	p.outcome()
	if isGood(p.r) {
		return
	}
	if command := toDecide(p.r, p.options); command != "" {
		p.lines = append(p.lines, "  to decide  "+command) // whole, to be copied
	}
	if command := toUpdate(p.r, p.options); command != "" {
		p.lines = append(p.lines, "  to update  "+command)
	}
}

// ownRules shows the rules that the port's authors wrote down themselves.
func (p *page) ownRules() {
	most := rulesOnPage
	if p.options.Verbose {
		most = rulesInFull
	}
	p.list("", "OWN RULES, not of the specification", ownRuleLines(p.r.Port, most), mostOwn+1)
}

// add adds a line, cut to the width of the page unless everything is wanted.
func (p *page) add(line string) { p.marked("", "", line) }

// marked adds a line that begins with a label in colour.
func (p *page) marked(code, label, rest string) {
	line := label + rest
	if !p.options.Verbose {
		line = wording.Cut(line, p.options.width())
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

// failures shows the first failure whole, and the others in a line for each cause; all of them whole where everything
// is wanted.
func (p *page) failures() {
	groups := bad(p.r)
	for _, g := range groups {
		if g.alike {
			p.headline(red, "CAUSE", fmt.Sprintf(" %s: %s", wording.Count(len(g.results), "test"), g.key))
		}
		if !p.options.Verbose {
			g.results = shortFirst(g.results)
		}
		for _, result := range g.results {
			p.whole(result)
			if !p.options.Verbose {
				if !g.alike {
					groups[0].results = g.results[1:]
				}
				p.others(groups) // a page that is not verbose ends in the first group
				return
			}
		}
	}
}

// longTrace is how many events a trace may have so that a reader still follows it.
const longTrace = 10

// shortFirst returns the results, and in front the first of them whose trace is not long: it is the one that is read.
// It stands under the same clause as the first of all.
func shortFirst(results []conformance.Result) []conformance.Result {
	i := slices.IndexFunc(results, func(r conformance.Result) bool {
		isShort := r.Failure == nil || len(r.Failure.Trace) <= longTrace
		return isShort && r.FirstClause() == results[0].FirstClause()
	})
	if i <= 0 {
		return results
	}
	return slices.Concat(results[i:i+1], results[:i], results[i+1:])
}

func detectorOf(result conformance.Result) string { return wording.Line(string(result.Detector)) }

func (p *page) whole(result conformance.Result) {
	lines := whole(result, p.options)
	p.marked(red, voice(result), strings.TrimPrefix(lines[0], voice(result)))
	p.lines = append(p.lines, lines[1:]...)
	p.add("")
}

// others shows what was not shown whole, in a line for each cause or clause.
func (p *page) others(groups []group) {
	if groups[0].alike || len(groups[0].results) == 0 {
		groups = groups[1:]
	}
	all := flat(groups)
	if len(all) == 0 {
		return
	}
	p.wrapped("", othersHead(p.r, all))
	for _, g := range groups[:min(mostOthers, len(groups))] {
		p.add("  " + g.line())
	}
	if left := groups[min(mostOthers, len(groups)):]; len(left) > 0 {
		causes, tests := wording.Count(len(left), "more cause"), wording.Count(len(flat(left)), "test")
		p.add(fmt.Sprintf("  … and %s with %s", causes, tests))
	}
	p.add("")
}

// line tells of a group in one line: what its results have in common and all their names, or its first result.
func (g group) line() string {
	names, more := lists.Map(g.results, nameOf), ""
	if g.alike {
		return fmt.Sprintf("%s: %s: %s", wording.Count(len(names), "test"), g.key, strings.Join(names, ", "))
	}
	if n := len(names) - 1; n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf("%-6s %s%s  %s", g.key, names[0], more, g.results[0].Brief())
}

// othersHead is the line above the results that are not shown whole.
func othersHead(r *conformance.Report, others []conformance.Result) string {
	undecided := len(withStatus(others, conformance.Undecided))
	failures := len(others) - undecided
	what, by := strings.Join(said(
		remark{failures > 0, wording.Count(failures, "failure")},
		remark{undecided > 0, wording.Count(undecided, "undecided test")},
	), " and "), ", by cause or clause"
	if r.Settings.Against != nil {
		what, by = wording.Count(len(others), "difference"), ""
	}
	if len(others) == 1 {
		return fmt.Sprintf("The other %s%s; --verbose prints it in full:", strings.TrimPrefix(what, "1 "), by)
	}
	return fmt.Sprintf("The other %s%s; --verbose prints all in full:", what, by)
}

// list shows lines under a headline in colour, the first of them unless everything is wanted.
func (p *page) list(code, headline string, lines []string, most int) {
	if len(lines) == 0 {
		return
	}
	p.marked(code, headline, "")
	for i, line := range lines {
		if i == most && !p.options.Verbose {
			p.add(fmt.Sprintf("  … and %d more; --verbose prints all of them", len(lines)-i))
			break
		}
		p.wrapped("  ", line)
	}
	p.add("")
}

// wrapped adds a line that is wrapped rather than cut: what was left out must be told in full.
func (p *page) wrapped(indent, line string) {
	for _, part := range wording.Wrap(line, p.options.width()-len(indent)-2) {
		p.add(indent + part)
		indent = "    "
	}
}

// slowest returns a line for each of the n tests that took longest.
func slowest(r *conformance.Report, n int) []string {
	if n == 0 {
		return nil
	}
	ran := lists.Filter(r.Results, func(result conformance.Result) bool { return result.Elapsed > 0 })
	slices.SortStableFunc(ran, func(a, b conformance.Result) int { return cmp.Compare(b.Elapsed, a.Elapsed) })
	return lists.Map(ran[:min(n, len(ran))], func(result conformance.Result) string {
		return fmt.Sprintf("%.3f s %s", time.Duration(result.Elapsed).Seconds(), nameOf(result))
	})
}

func (p *page) outcome() {
	code := red
	if isGood(p.r) {
		code = green
	}
	p.headline(code, outcomeWord(p.r), butFor(p.r)+": "+Summary(p.r)+speed(p.r))
}

// butFor says, of a run that is conformant because failures are known, how many there are.
func butFor(r *conformance.Report) string {
	if known := r.Count(conformance.Known); known > 0 && r.Outcome() == conformance.Conformant {
		return " except for " + wording.Count(known, "known failure")
	}
	return ""
}

// isGood reports whether nothing is wrong with a run.
func isGood(r *conformance.Report) bool {
	return r.Outcome() == conformance.Conformant || r.Outcome() == conformance.Improved
}

// headline adds a label in colour and a text that is wrapped below it.
func (p *page) headline(code, label, text string) {
	lines := wording.Wrap(label+text, p.options.width()-2)
	p.marked(code, label, strings.TrimPrefix(lines[0], label))
	for _, line := range lines[1:] {
		p.add("  " + line)
	}
}
