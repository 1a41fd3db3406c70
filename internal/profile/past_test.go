package profile

import (
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// say is what a detector says after an event: the rule and the rung, or nothing.
type say struct{ rule, rung string }

// done is a call as the restatements see it, with what came of it.
type done struct {
	tool, args, kept, thought string
	call                      spec.Event

	answered bool
	text     string
	ok       bool
}

func (d *done) sameCall(o *done) bool { return d.tool == o.tool && d.args == o.args }
func (d *done) keptCall(o *done) bool { return d.tool == o.tool && d.kept == o.kept }
func (d *done) sameText(o *done) bool { return d.ok == o.ok && d.text == o.text }

// past is all that has happened, the current event included; calls of the current and earlier replies.
type past struct {
	events  []spec.Event
	calls   []*done // all, in order
	results []*done // answered ones, in the order of their answers
	current spec.Event
	fresh   *done // the call that was made or answered just now
	history history
	user    *past // what sinceUser returned
}

// history is the events so far, with the arguments of each call as texts: sorted, and as they stand.
type history struct {
	events       []spec.Event
	sorted, kept []string
}

func (h history) until(n int) history { return history{h.events[:n], h.sorted[:n], h.kept[:n]} }

func historyOf(events []spec.Event) history {
	h := history{events: events}
	for _, e := range events {
		h.sorted, h.kept = append(h.sorted, e.Args.Canonical()), append(h.kept, e.Args.String())
	}
	return h
}

// calledJustNow reports whether the current event is a call; answeredJustNow likewise.
func (p *past) calledJustNow() bool { return p.current.Type == spec.ToolCall }

func (p *past) answeredJustNow() bool {
	return p.fresh != nil && (p.current.Type == spec.ToolResult || p.current.Type == spec.ErrorEvent)
}

// sinceUser returns the events since the last message of a user.
func (p *past) sinceUser() *past {
	if p.user == nil {
		p.user = p.sinceUserAnew()
	}
	return p.user
}

func (p *past) sinceUserAnew() *past {
	return p.since(func(e spec.Event) bool { return e.Type == spec.Message && e.Role == spec.User })
}

// since returns the past that begins after the last event that is so: calls that were made then, answers that came then.
func (p *past) since(is func(spec.Event) bool) *past {
	begin := 0
	for i, e := range p.events {
		if is(e) {
			begin = i + 1
		}
	}
	return tellAll(p.history, begin)
}

// tellAll builds the past of events, of which the first ones are forgotten, though answers find their calls there.
func tellAll(h history, begin int) *past {
	p := &past{events: h.events[begin:], history: h}
	var waiting []*done
	for i, e := range h.events {
		p.current, p.fresh = e, nil
		switch e.Type {
		case spec.ToolCall:
			d := &done{tool: e.Tool, args: h.sorted[i], kept: h.kept[i], thought: e.Thought, call: e}
			waiting = append(waiting, d)
			p.fresh = d
			if i >= begin {
				p.calls = append(p.calls, d)
			}
		case spec.ToolResult, spec.ErrorEvent:
			if len(waiting) == 0 {
				continue
			}
			d := waiting[0]
			waiting = waiting[1:]
			d.answered, d.text, d.ok = true, e.Content+e.Message, e.Type == spec.ToolResult && e.OK
			p.fresh = d
			if i >= begin {
				p.results = append(p.results, d)
			}
		}
	}
	return p
}

// tail returns how many of the last are like the last one.
func tail(list []*done, like func(a, b *done) bool) (n int) {
	for _, d := range slices.Backward(list) {
		if !like(d, list[len(list)-1]) {
			break
		}
		n++
	}
	return n
}

// laps returns how often the last period of a list was played at its end.
func laps(list []*done, period int, like func(a, b *done) bool) (n int) {
	for n = 1; (n+1)*period <= len(list); n++ {
		for i := range period {
			if !like(list[len(list)-1-i], list[len(list)-1-n*period-i]) {
				return n
			}
		}
	}
	return n
}

// anyOf reports whether a list holds a text.
