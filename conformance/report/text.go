package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec/words"
)

// How much of each part a page shows that is not verbose, in lines.
const (
	mostOthers   = 8 // failures after the first; every detector that fails has one all the same
	mostProblems = 5
	mostKnown    = 3
	mostSkipped  = 8
)

// page is a text report in the making: a table by detector and reading, the first failure whole, the others in one
// line each under the clause that they break, what is wrong with the known failures, what was not checked, and the
// outcome.
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
	p.failures()
	p.list(yellow, "KNOWN FAILURES, excused", knownLines(p.r, "%-6s %s  %s"), mostKnown)
	p.list(red, "PROBLEMS WITH THE KNOWN FAILURES", problemLines(p.r), mostProblems)
	p.list(yellow, "NOT CHECKED", notChecked(p.r), mostSkipped)
	p.list("", "SLOWEST TESTS, several ran at once", slowest(p.r, options.Durations), options.Durations)
	p.outcome()
	if command := toDecide(p.r, p.options); command != "" {
		p.lines = append(p.lines, "  to decide  "+command) // whole, to be copied
	}
	if command := toUpdate(p.r, p.options); command != "" {
		p.lines = append(p.lines, "  to update  "+command)
	}
	return []byte(strings.Join(p.lines, "\n") + "\n"), nil
}

// add adds a line, cut to the width of the page unless everything is wanted.
func (p *page) add(line string) { p.marked("", "", line) }

// marked adds a line that begins with a label in colour.
func (p *page) marked(code, label, rest string) {
	line := label + rest
	if !p.options.Verbose {
		line = words.Cut(line, p.options.width())
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

// failures shows the first failure whole and the others in one line each; all of them whole where everything is wanted.
func (p *page) failures() {
	groups := bad(p.r)
	for _, g := range groups {
		if g.alike {
			p.headline(red, "CAUSE", " "+inCommon(g))
		}
		for _, result := range g.results {
			p.whole(result)
			if !p.options.Verbose {
				p.others(groups)
				return
			}
		}
	}
}

func flat(groups []group) []conformance.Result {
	var list []conformance.Result
	for _, g := range groups {
		list = append(list, g.results...)
	}
	return list
}

func detectorOf(result conformance.Result) string { return words.Line(string(result.Detector)) }

func (p *page) whole(result conformance.Result) {
	lines := whole(result, p.options)
	p.marked(red, voice(result), strings.TrimPrefix(lines[0], voice(result)))
	p.lines = append(p.lines, lines[1:]...)
	p.add("")
}

// others shows the failures after the first in one line each. Where there is no room for all, every detector and then
// every clause gets its share, and the rest is counted by detector.
func (p *page) others(groups []group) {
	if groups[0].alike {
		groups = groups[1:]
	} else {
		groups[0].results = groups[0].results[1:]
	}
	all := flat(groups)
	if len(all) == 0 {
		return
	}
	p.wrapped("", othersHead(p.r, all))
	var left []conformance.Result
	for i, shown := range shares(groups, max(mostOthers, len(groupBy(all, detectorOf)))) {
		g := groups[i]
		if g.alike && shown > 0 {
			p.add("  " + inCommon(g) + ": " + strings.Join(words.By(g.results, nameOf), ", "))
			continue
		}
		for _, result := range g.results[:shown] {
			p.add(fmt.Sprintf("  %-6s %s  %s", g.key, nameOf(result), brief(result)))
		}
		left = append(left, g.results[shown:]...)
	}
	if len(left) > 0 {
		p.wrapped("  ", fmt.Sprintf("… and %d more (%s); --verbose prints all in full", len(left),
			strings.Join(words.By(groupBy(left, detectorOf), func(g group) string {
				return fmt.Sprintf("%s %d", g.key, len(g.results))
			}), ", ")))
	}
	p.add("")
}

// othersHead is the line above the results that are not shown whole.
func othersHead(r *conformance.Report, others []conformance.Result) string {
	if r.Settings.Against != nil {
		return fmt.Sprintf("The other %s:", count(len(others), "difference"))
	}
	var kinds []string
	undecided := len(withStatus(others, conformance.Undecided))
	if failures := len(others) - undecided; failures > 0 {
		kinds = append(kinds, count(failures, "failure"))
	}
	if undecided > 0 {
		kinds = append(kinds, count(undecided, "undecided test"))
	}
	return fmt.Sprintf("The other %s, by cause or clause:", strings.Join(kinds, " and "))
}

// inCommon says what many failures have in common.
func inCommon(g group) string {
	return fmt.Sprintf("%s: %s", count(len(g.results), "test"), g.key)
}

// shares says how many results of each group are shown, so that these are no more than that many in all: one of each
// group in turn, as often as there is room, and before that one of each detector. A symptom takes one line for all.
func shares(groups []group, room int) []int {
	share := make([]int, len(groups))
	take := func(i int) {
		g := groups[i]
		if room > 0 && share[i] < len(g.results) && !(g.alike && share[i] > 0) {
			share[i]++
			room--
		}
	}
	has := map[string]bool{}
	for i, g := range groups {
		if len(g.results) > 0 && !has[detectorOf(g.results[0])] {
			has[detectorOf(g.results[0])] = true
			take(i)
		}
	}
	for before := -1; before != room; {
		before = room
		for i := range groups {
			take(i)
		}
	}
	return share
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
	for _, part := range words.Wrap(line, p.options.width()-len(indent)-2) {
		p.add(indent + part)
		indent = "    "
	}
}

// slowest returns a line for each of the n tests that took longest.
func slowest(r *conformance.Report, n int) []string {
	ran := words.Among(r.Results, func(result conformance.Result) bool { return result.Elapsed > 0 })
	slices.SortStableFunc(ran, func(a, b conformance.Result) int { return cmp.Compare(b.Elapsed, a.Elapsed) })
	return words.By(ran[:min(n, len(ran))], func(result conformance.Result) string {
		return fmt.Sprintf("%.3f s %s", time.Duration(result.Elapsed).Seconds(), nameOf(result))
	})
}

func (p *page) outcome() {
	code := red
	if isGood(p.r) {
		code = green
	}
	p.headline(code, outcomeWord(p.r), ": "+Summary(p.r)+speed(p.r))
}

// isGood reports whether nothing is wrong with a run.
func isGood(r *conformance.Report) bool {
	return r.Outcome() == conformance.Conformant || r.Outcome() == conformance.Improved
}

// headline adds a label in colour and a text that is wrapped below it.
func (p *page) headline(code, label, text string) {
	lines := words.Wrap(label+text, p.options.width()-2)
	p.marked(code, label, strings.TrimPrefix(lines[0], label))
	for _, line := range lines[1:] {
		p.add("  " + line)
	}
}
