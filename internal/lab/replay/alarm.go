package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/internal/lab/alarm"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// alarms shows first alarms, the earliest first; those with the same evidence at the same event are one.
func (p *printer) alarms(r *Replay) {
	for _, group := range alarmsOf(r) {
		p.line("")
		p.wrapped(sayAlarm(r, group))
		p.evidence(evidenceLines(r, group[0].First))
		after := r.After(group[0])
		after.Events = 0
		p.wrapped("  " + sayAfter(after))
	}
}

const mostEvidence = 6 // lines

// alarmsOf groups the lanes by their first alarm, in the order of the run.
func alarmsOf(r *Replay) [][]*Lane {
	speaking := r.Speaking()
	slices.SortStableFunc(speaking, func(a, b *Lane) int { return a.First.At - b.First.At })
	return lists.Grouped(speaking, func(l *Lane) string { return fmt.Sprint(l.First.At, l.First.Evidence) })
}

func sayAlarm(r *Replay, group []*Lane) string {
	who := lists.Map(group, func(l *Lane) string { return fmt.Sprintf("%s (%s)", l.Name(), rule(l.First.Verdict)) })
	first := group[0].First
	return fmt.Sprintf("Alarm after event %d, %s: %s", first.At+1, callNumber(r.Call(group[0])), strings.Join(who, ", "))
}

func callNumber(n int) string {
	if n > 0 {
		return fmt.Sprintf("call %d", n)
	}
	return "before any call"
}

// rule returns the rule that reports the loop, and its count.
func rule(verdict spec.Value) string {
	kind := cmp.Or(verdict.Get("kind").Text(), "loop")
	if n, ok := verdict.Get("count").Whole(); ok {
		return fmt.Sprintf("%s, count %d", kind, n)
	}
	return kind
}

// evidence shows the events that prove an alarm. Equal neighbours are one line, and so are pieces of streamed text.
func (p *printer) evidence(lines []string) {
	for i, line := range lines {
		if i == mostEvidence-1 && len(lines) > mostEvidence {
			p.line("    … and %d more", len(lines)-i)
			break
		}
		p.line("    %s", line)
	}
}

func evidenceLines(r *Replay, of *alarm.Alarm) []string {
	var lines []string
	events := of.Evidence
	if len(events) == 0 {
		events = []int{of.At}
	}
	for i := 0; i < len(events); {
		m, kept := r.moment(events[i])
		last := i
		for kept && last+1 < len(events) {
			next, there := r.moment(events[last+1])
			if !there || !m.takesIn(next) {
				break
			}
			last++
		}
		lines = append(lines, numbers(events[i:last+1])+"  "+shown(m, kept))
		i = last + 1
	}
	return lines
}

// takesIn reports whether the next event stands on the same line: it reads as this one does, or both are pieces of one
// streamed text, which are put together.
func (m *Moment) takesIn(next Moment) bool {
	switch {
	case m.Type != next.Type || m.Title != next.Title:
		return false
	case m.Type == spec.Delta:
		m.Text = short(m.Text + next.Text)
		return true
	default:
		return m.Text == next.Text
	}
}

// numbers writes places of events, which people count from 1.
func numbers(events []int) string {
	list := lists.Map(events, func(event int) string { return fmt.Sprint(event + 1) })
	if len(list) > 4 {
		list = append(append(list[:2:2], "…"), list[len(list)-1])
	}
	return strings.Join(list, " ")
}

func shown(m Moment, kept bool) string {
	if !kept {
		return "(too long ago to be shown)"
	}
	return strings.TrimSpace(m.Title + "  " + m.Text)
}

func sayAfter(c Cost) string {
	if c.spent() == "" {
		return "No call came after it."
	}
	return "After it: " + c.spent() + "."
}

// spent says how many calls, streamed characters and tokens there were, and what they cost as far as it is known. It is
// empty where there was nothing.
func (c Cost) spent() string {
	var parts []string
	if c.Calls > 0 {
		parts = append(parts, wording.Count(c.Calls, "call"))
	}
	if c.Streamed > 0 {
		parts = append(parts, wording.Count(c.Streamed, "streamed character"))
	}
	if c.Tokens > 0 {
		parts = append(parts, wording.Count(c.Tokens, "token"))
	}
	if c.Dollars > 0 {
		parts = append(parts, dollars(c.Dollars))
	}
	return strings.Join(parts, ", ")
}
