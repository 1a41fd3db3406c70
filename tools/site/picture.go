package main

import (
	"fmt"
	"strings"

	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// What the picture of a trace measures, in pixels; the style of the site gives the rows the same height.
const (
	rowHeight = 36
	arcsWidth = 56
)

// Picture returns a trace as a table: an event and its verdict in each row, and beside them the events that prove the
// last verdict, joined by arcs. The arcs say nothing that the table does not.
func (t trace) Picture(caption string) string {
	var b strings.Builder
	b.WriteString(`<div class="scroll" tabindex="0" role="region" aria-label="` + tag(caption) + "\">\n")
	fmt.Fprintf(&b, "<table class=\"trace\">\n<caption>%s</caption>\n", tag(caption))
	b.WriteString(`<thead><tr><td></td><th scope="col">#</th><th scope="col">event</th>`)
	b.WriteString(`<th scope="col">verdict</th></tr></thead>` + "\n<tbody>\n")
	for i, e := range t.Events {
		b.WriteString("<tr>")
		if i == 0 {
			fmt.Fprintf(&b, "<td class=\"arcs\" rowspan=\"%d\">%s</td>", len(t.Events), t.arcs())
		}
		fmt.Fprintf(&b, `<th scope="row">%d</th><td class="told">%s</td>`, i+1, eventText(e))
		fmt.Fprintf(&b, "<td>%s</td></tr>\n", verdictText(t.verdicts[i]))
	}
	b.WriteString("</tbody>\n</table>\n</div>\n")
	return b.String()
}

// arcs draws the proof of the last verdict.
func (t trace) arcs() string {
	height := rowHeight * len(t.Events)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg width="%d" height="%d" aria-hidden="true">`, arcsWidth, height)
	events := t.evidence()
	for i, e := range events {
		y := e*rowHeight + rowHeight/2
		fmt.Fprintf(&b, `<circle cx="%d" cy="%d" r="4"/>`, arcsWidth-8, y)
		if i > 0 {
			from := events[i-1]*rowHeight + rowHeight/2
			fmt.Fprintf(&b, `<path d="M%d %d C8 %d 8 %d %d %d"/>`, arcsWidth-8, from, from, y, arcsWidth-8, y)
		}
	}
	return b.String() + "</svg>"
}

// eventText returns an event as a row shows it: its type, and the rest of it. Of a call that has nothing else it is the
// tool and the arguments.
func eventText(e spec.Value) string {
	kind, _ := e.Get("type").Str()
	rest := e.Without("type").String()
	others := e.Without("type").Without("tool").Without("args")
	if tool, isText := e.Get("tool").Str(); isText && len(others.Members()) == 0 {
		rest = tool
		if args := e.Get("args"); !args.IsAbsent() {
			rest += " " + args.String()
		}
	}
	return fmt.Sprintf("<b>%s</b> <code>%s</code>", tag(kind), tag(wording.Cut(rest, 160)))
}

// verdictText returns a verdict in words: a loop is told by the word, not by a colour alone.
func verdictText(v spec.Value) string {
	if !v.Get("loop").IsTrue() {
		return `<span class="no">no loop</span>`
	}
	text := "loop: " + string(kindOf(v))
	if n, ok := v.Get("count").Int(); ok {
		text += fmt.Sprintf(" × %d", n)
	}
	return `<strong class="loop">` + tag(text) + "</strong>"
}
