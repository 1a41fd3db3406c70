package replay

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/internal/lab/recording"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/words"
)

// Page is how a replay is written for a terminal.
type Page struct {
	Width  int  // in characters
	Colour bool // with escape codes
}

const (
	leastWidth       = 50
	mostEvidence     = 6 // lines
	mostDisagreement = 5
	mostNotes        = 5
)

// Text writes a run as a person reads it: a lane for each detector, the first alarms with what proves them, where the
// detectors disagree, what they could not see.
func Text(w io.Writer, r *Replay, page Page) error {
	page.Width = max(page.Width, leastWidth)
	p := &printer{w: w, Page: page}
	p.wrapped(headline(r))
	p.lanes(r)
	p.alarms(r)
	p.disagreements(r)
	p.blind(r)
	p.notes(r.Notes)
	p.line("")
	return p.err
}

// printer writes lines of at most its width, and keeps the first error.
type printer struct {
	w io.Writer
	Page
	err error
}

func (p *printer) line(format string, args ...any) { p.write(fmt.Sprintf(format, args...), p.Width) }

func (p *printer) write(line string, limit int) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.w, words.Cut(words.Line(line), limit))
	}
}

// wrapped writes a sentence in as many lines as it takes, all but the first a little to the right. The spaces that it begins
// with stay. A word that is longer than a line, such as a path, is broken, for nobody could tell which file it is without
// its end.
func (p *printer) wrapped(sentence string) {
	indent := sentence[:len(sentence)-len(strings.TrimLeft(sentence, " "))]
	lead, line := indent, ""
	for _, word := range strings.Fields(words.Line(sentence)) {
		if line != "" && len([]rune(lead+line+" "+word)) > p.Width {
			p.line("%s", lead+line)
			lead, line = indent+"    ", ""
		}
		if line != "" {
			line += " "
		}
		for room := p.Width - len([]rune(lead)); line == "" && len([]rune(word)) > room; room = p.Width - len([]rune(lead)) {
			var begin string
			begin, word = broken(word, room)
			p.line("%s", lead+begin)
			lead = indent + "    "
		}
		line += word
	}
	p.line("%s", lead+line)
}

// broken breaks a word so that its beginning has room: after a slash where there is one.
func broken(word string, room int) (begin, rest string) {
	begin = string([]rune(word)[:room])
	if slash := strings.LastIndexByte(begin, '/'); slash > 0 {
		begin = begin[:slash+1]
	}
	return begin, word[len(begin):]
}

// headline names the run and says how long it is.
func headline(r *Replay) string {
	name := r.Source
	if r.Name != "" && !strings.Contains(r.Source, r.Name) {
		name += " " + r.Name
	}
	return fmt.Sprintf("%s (%s): %s", name, r.Format, r.Total)
}

// String says what part of a run took, without what the recording does not say.
func (c Cost) String() string {
	parts := []string{count(c.Events, "event"), count(c.Calls, "call")}
	if c.Tokens > 0 {
		parts = append(parts, count(c.Tokens, "token"))
	}
	if c.Dollars > 0 {
		parts = append(parts, dollars(c.Dollars))
	}
	return strings.Join(parts, ", ")
}

// dollars writes a price in cents, one below a cent to its first digit.
func dollars(price float64) string {
	if price < 0.01 {
		return fmt.Sprintf("$%.1g", price)
	}
	return fmt.Sprintf("$%.2f", price)
}

func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// lanes draws a line for each detector that sees anything of the run. A column stands for one event or more.
func (p *printer) lanes(r *Replay) {
	seeing := seeing(r)
	if len(seeing) == 0 || r.Total.Events == 0 {
		return
	}
	names := 0
	for _, l := range seeing {
		names = max(names, len(l.Name()))
	}
	room := p.Width - names - 2
	each := (r.Total.Events + room - 1) / room
	if room < 1 {
		return
	}
	for _, l := range seeing {
		fmt.Fprint(p.w, l.Name(), strings.Repeat(" ", names-len(l.Name())+2), p.track(l, r.Total.Events, each), "\n")
	}
	p.wrapped(strings.Repeat(" ", min(names+2, p.Width/4)) + scale(r.Total.Events, each))
}

// track draws one lane: where it is silent, where it speaks, and where it spoke first.
func (p *printer) track(l *Lane, events, each int) string {
	var b strings.Builder
	for from := 0; from < events; from += each {
		to := min(from+each, events) - 1
		switch {
		case l.First != nil && from <= l.First.Event && l.First.Event <= to:
			b.WriteString(p.red("▲"))
		case slices.ContainsFunc(l.Spans, func(s Span) bool { return s.From <= to && from <= s.To }):
			b.WriteString(p.red("█"))
		default:
			b.WriteString("·")
		}
	}
	return b.String()
}

func (p *printer) red(text string) string {
	if !p.Colour {
		return text
	}
	return "\x1b[31m" + text + "\x1b[0m"
}

// scale says what a column is.
func scale(events, each int) string {
	if each == 1 {
		return fmt.Sprintf("events 1 to %d; ▲ first alarm, █ says that there is a loop", events)
	}
	return fmt.Sprintf("events 1 to %d, %d a column; ▲ first alarm, █ says that there is a loop", events, each)
}

// seeing returns the lanes that were told anything of the run.
func seeing(r *Replay) []*Lane {
	return slices.DeleteFunc(slices.Clone(r.Lanes), func(l *Lane) bool { return l.Told == 0 })
}

// alarms shows first alarms, the earliest first; those with the same evidence at the same event are one.
func (p *printer) alarms(r *Replay) {
	for _, group := range alarmsOf(r) {
		p.line("")
		p.wrapped(sayAlarm(r, group))
		p.evidence(r, group[0].First)
		after := r.After(group[0])
		after.Events = 0
		p.wrapped("  " + sayAfter(after))
	}
}

// alarmsOf groups the lanes by their first alarm, in the order of the run.
func alarmsOf(r *Replay) [][]*Lane {
	speaking := r.Speaking()
	slices.SortStableFunc(speaking, func(a, b *Lane) int { return a.First.Event - b.First.Event })
	var groups [][]*Lane
	for _, l := range speaking {
		i := slices.IndexFunc(groups, func(g []*Lane) bool {
			return g[0].First.Event == l.First.Event && slices.Equal(g[0].First.Evidence, l.First.Evidence)
		})
		if i < 0 {
			groups = append(groups, []*Lane{l})
			continue
		}
		groups[i] = append(groups[i], l)
	}
	return groups
}

func sayAlarm(r *Replay, group []*Lane) string {
	var who []string
	for _, l := range group {
		who = append(who, fmt.Sprintf("%s (%s)", l.Name(), rule(l.First.Verdict)))
	}
	first := group[0].First
	return fmt.Sprintf("Loop after event %d, %s: %s", first.Event+1, callNumber(r.Call(group[0])), strings.Join(who, ", "))
}

// String names the events, which people count from 1.
func (s Span) String() string {
	if s.From == s.To {
		return fmt.Sprintf("event %d", s.From+1)
	}
	return fmt.Sprintf("events %d to %d", s.From+1, s.To+1)
}

func callNumber(n int) string {
	if n > 0 {
		return fmt.Sprintf("call %d", n)
	}
	return "before any call"
}

// rule says which rule spoke, and how much it counted.
func rule(verdict spec.Value) string {
	kind, _ := verdict.Get("kind").Str()
	if kind == "" {
		kind = "loop"
	}
	if n, ok := verdict.Get("count").Int(); ok {
		return fmt.Sprintf("%s, count %d", kind, n)
	}
	return kind
}

// evidence shows the events that prove an alarm. Equal neighbours are one line.
func (p *printer) evidence(r *Replay, alarm *Alarm) {
	lines := evidenceLines(r, alarm)
	for i, line := range lines {
		if i == mostEvidence-1 && len(lines) > mostEvidence {
			p.line("    … and %d more", len(lines)-i)
			break
		}
		p.line("    %s", line)
	}
}

func evidenceLines(r *Replay, alarm *Alarm) []string {
	var lines []string
	events := alarm.Evidence
	if len(events) == 0 {
		events = []int{alarm.Event}
	}
	for i := 0; i < len(events); {
		m, kept := r.Moments[events[i]]
		last := i
		for last+1 < len(events) && kept && same(m, r.Moments[events[last+1]]) {
			last++
		}
		lines = append(lines, numbers(events[i:last+1])+"  "+said(m, kept))
		i = last + 1
	}
	return lines
}

func same(a, b Moment) bool { return a.Type == b.Type && a.Title == b.Title && a.Text == b.Text }

// numbers writes places of events, which people count from 1.
func numbers(events []int) string {
	list := make([]string, len(events))
	for i, e := range events {
		list[i] = fmt.Sprint(e + 1)
	}
	if len(list) > 4 {
		list = append(append(list[:2:2], "…"), list[len(list)-1])
	}
	return strings.Join(list, " ")
}

func said(m Moment, kept bool) string {
	if !kept {
		return "(too long ago to be shown)"
	}
	return strings.TrimSpace(m.Title + "  " + m.Text)
}

func sayAfter(c Cost) string {
	if c.Calls == 0 && c.Tokens == 0 {
		return "No call came after it."
	}
	text := count(c.Calls, "call")
	if c.Tokens > 0 {
		text += ", " + count(c.Tokens, "token")
	}
	if c.Dollars > 0 {
		text += ", " + dollars(c.Dollars)
	}
	return "After it: " + text + "."
}

// disagreements shows where some detectors speak and others do not.
func (p *printer) disagreements(r *Replay) {
	list := r.Disagreements()
	if len(list) == 0 {
		return
	}
	p.line("")
	p.line("They disagree:")
	for i, d := range list {
		if i == mostDisagreement-1 && len(list) > mostDisagreement {
			p.line("  … and in %d more stretches; --html shows them all", len(list)-i)
			break
		}
		p.wrapped(fmt.Sprintf("  %s: %s; not %s", d.Span, strings.Join(d.Yes, ", "), strings.Join(d.No, ", ")))
	}
}

// blind names the lanes that saw nothing, and why.
func (p *printer) blind(r *Replay) {
	for _, line := range Blind(r) {
		p.wrapped(line)
	}
}

// Blind says of each lane that was not told all why that is; lanes with one reason are one line.
func Blind(r *Replay) []string {
	var reasons []string
	by := map[string][]string{}
	for _, l := range r.Lanes {
		reason := ""
		switch {
		case l.Refused != "" && l.Told == 0:
			reason = l.Refused
		case l.Refused != "":
			reason = fmt.Sprintf("refuses an event after %d: %s", l.Told, l.Refused)
		case l.Told == 0:
			reason = "no event of a type that it observes"
		default:
			continue
		}
		if by[reason] == nil {
			reasons = append(reasons, reason)
		}
		by[reason] = append(by[reason], l.Name())
	}
	lines := make([]string, len(reasons))
	for i, reason := range reasons {
		lines[i] = "Not watched by " + strings.Join(by[reason], ", ") + ": " + reason + "."
	}
	return lines
}

// notes shows what the reader left out or could not know.
func (p *printer) notes(notes []recording.Note) {
	for i, n := range notes {
		if i == mostNotes-1 && len(notes) > mostNotes {
			p.line("… and %d more notes of the reader; --json has them all", len(notes)-i)
			return
		}
		p.wrapped(n.String())
	}
}

// mostWhole is how many runs are shown whole where there are many.
const mostWhole = 8

// Summary writes all runs: those with an alarm whole, as many as a person reads, and the others in a line each.
func Summary(w io.Writer, watched *Watcher, page Page) error {
	p := &printer{w: w, Page: page}
	page.Width = max(page.Width, leastWidth)
	p.Width = page.Width
	whole := 0
	var rest []*Replay
	for _, r := range watched.Runs {
		if len(watched.Runs) > 1 && (len(r.Speaking()) == 0 || whole == mostWhole) {
			rest = append(rest, r)
			continue
		}
		whole++
		if err := Text(w, r, page); err != nil {
			return err
		}
	}
	for _, r := range rest {
		p.wrapped(headline(r) + "; " + sayWho(r))
	}
	if len(rest) > 0 {
		p.line("")
	}
	p.notes(watched.Notes)
	if len(watched.Runs) > 1 {
		p.totals(watched.Runs)
	}
	return p.err
}

func sayWho(r *Replay) string {
	if len(r.Speaking()) == 0 {
		return "no loop"
	}
	return "a loop by " + strings.Join(names(r.Speaking()), ", ")
}

// totals counts, for each detector, the runs in which it says that there is a loop.
func (p *printer) totals(runs []*Replay) {
	var order []string
	spoke, watched := map[string]int{}, map[string]int{}
	for _, r := range runs {
		for _, l := range seeing(r) {
			if watched[l.Name()] == 0 {
				order = append(order, l.Name())
			}
			watched[l.Name()]++
			if l.First != nil {
				spoke[l.Name()]++
			}
		}
	}
	p.line("Runs in which a detector says that there is a loop:")
	for _, name := range order {
		p.line("  %-24s %d of %d", name, spoke[name], watched[name])
	}
}
