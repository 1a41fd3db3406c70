package replay

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/internal/lab/agentlogs"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
)

// Page is how a replay is written for a terminal.
type Page struct {
	Width  int      // in characters
	Colour bool     // with escape codes
	All    bool     // with a line for each run without an alarm
	Below  []string // folders; a run in one of them is called by its path below it, whatever other runs there are
}

const (
	leastWidth       = 50
	mostDisagreement = 5
	mostNotes        = 5
)

// newPrinter returns a printer of these runs.
func newPrinter(w io.Writer, runs []*Replay, page Page) *printer {
	page.Width = max(page.Width, leastWidth)
	p := &printer{w: w, Page: page, folder: folderOf(runs)}
	for _, below := range page.Below {
		if folder(below).holds(runs) {
			p.folder = folder(below)
		}
	}
	return p
}

// run writes a run as a person reads it: how many detectors raise an alarm, a lane for each detector, the first alarms
// with their evidence, where the detectors disagree, which calls look alike only to some of them, and what they could
// not see.
func (p *printer) run(r *Replay) {
	p.wrapped(p.folder.headline(r))
	p.wrapped(answer(r))
	p.lanes(r)
	p.alarms(r)
	p.disagreements(r)
	for _, line := range append(r.Varying(), r.Blind()...) {
		p.wrapped(line)
	}
	p.notes(r.Notes)
	p.line("")
}

// Lanes writes what a run is called and a lane for each detector, without what they prove.
func Lanes(w io.Writer, r *Replay, page Page) error {
	p := newPrinter(w, []*Replay{r}, page)
	p.wrapped(p.folder.headline(r))
	p.lanes(r)
	return p.err
}

// printer writes lines of at most its width, and keeps the first error.
type printer struct {
	w io.Writer
	Page
	folder folder
	err    error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.w, wording.Cut(wording.Line(fmt.Sprintf(format, args...)), p.Width))
	}
}

// wrapped writes a sentence in as many lines as it takes, all but the first a little to the right. The spaces that it
// begins with stay. A word that is longer than a line, such as a path, is broken, for nobody could tell which file it
// is without its end.
func (p *printer) wrapped(sentence string) {
	indent := sentence[:len(sentence)-len(strings.TrimLeft(sentence, " "))]
	lead, room := indent, p.Width-len(indent)
	for _, line := range wording.Hang(wording.Line(sentence), room, room-4) {
		p.line("%s", lead+line)
		lead = indent + "    "
	}
}

// String says what part of a run took, without what the recording does not say.
func (c Cost) String() string {
	parts := []string{wording.Count(c.Events, "event")}
	if c.Calls == 0 {
		parts = append(parts, "0 calls")
	}
	if spent := c.spent(); spent != "" {
		parts = append(parts, spent)
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

// lanes draws a line for each detector that sees anything of the run. A column stands for one event or more.
func (p *printer) lanes(r *Replay) {
	seeing := r.Seeing()
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
	p.legend(r.Total.Events, each, names+2)
}

// legend says below the lanes what a column and the signs are: in one line, else in two, else without the indent.
func (p *printer) legend(events, each, indent int) {
	columns, signs := scale(events, each), "▲ first alarm, █ reports a loop"
	lead := strings.Repeat(" ", indent)
	room := p.Width - indent
	switch whole := columns + "; " + signs; {
	case len([]rune(whole)) <= room:
		p.line("%s", lead+whole)
	case max(len([]rune(columns)), len([]rune(signs))) <= room:
		p.line("%s", lead+columns)
		p.line("%s", lead+signs)
	default:
		p.wrapped(whole)
	}
}

// track draws one lane: where it is silent, where it speaks, and where it spoke first.
func (p *printer) track(l *Lane, events, each int) string {
	var b strings.Builder
	for from := 0; from < events; from += each {
		to := min(from+each, events) - 1
		switch {
		case l.First != nil && from <= l.First.At && l.First.At <= to:
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
		return fmt.Sprintf("events 1 to %d", events)
	}
	return fmt.Sprintf("events 1 to %d, %d per column", events, each)
}

// Seeing returns the lanes that were told anything of the run.
func (r *Replay) Seeing() []*Lane {
	return lists.Filter(r.Lanes, func(l *Lane) bool { return l.Told > 0 })
}

// disagreements shows where some detectors speak and others do not.
func (p *printer) disagreements(r *Replay) {
	list := r.Disagreements()
	if len(list) == 0 {
		return
	}
	p.line("")
	p.line("Where the detectors disagree:")
	for i, d := range list {
		if i == mostDisagreement-1 && len(list) > mostDisagreement {
			p.line("  … and in %d more places; --html shows all of them", len(list)-i)
			break
		}
		p.wrapped(fmt.Sprintf("  %s: %s; not %s", d.Span, strings.Join(d.Yes, ", "), strings.Join(d.No, ", ")))
	}
}

// mostUnjudged is how many detectors one reason names: more than there are profiles, and fewer than a port may declare.
const mostUnjudged = 50

// Blind returns a line for each reason why lanes did not judge the whole run. If nobody chose the detectors, those that
// observe no event of the run are not named.
func (r *Replay) Blind() []string {
	blind := lists.Filter(r.Lanes, func(l *Lane) bool { return r.whyBlind(l) != "" })
	return lists.Map(lists.Grouped(blind, r.whyBlind), func(group []*Lane) string {
		return "Not judged by " + wording.Some(names(group), mostUnjudged, ", ") + ": " + r.whyBlind(group[0]) + "."
	})
}

// whyBlind returns why a lane did not judge the whole run; the empty text if it did.
func (r *Replay) whyBlind(l *Lane) string {
	switch {
	case l.Refused != "" && l.Told == 0:
		return l.Refused
	case l.Refused != "":
		return fmt.Sprintf("refuses an event after %d: %s", l.Told, l.Refused)
	case l.Lost != "":
		return fmt.Sprintf("it answered %s: %s", wording.Count(l.Told, "event"), l.Lost)
	case l.Told == 0 && !r.usual:
		return "no event of a type that it observes"
	default:
		return ""
	}
}

// notes shows what the reader left out or could not know.
func (p *printer) notes(notes []agentlogs.Note) {
	for i, n := range notes {
		if i == mostNotes-1 && len(notes) > mostNotes {
			p.line("… and %d more notes; --json lists them", len(notes)-i)
			return
		}
		p.wrapped(p.folder.short(n.String()))
	}
}
