package profile_test

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
	answer   int // the event
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
	waiting []*done
	current spec.Event
	fresh   *done // the call that was made or answered just now
}

// add makes an event the current one. The traces of these tests answer calls in their order, without ids.
func (p *past) add(e spec.Event) {
	p.events = append(p.events, e)
	p.current, p.fresh = e, nil
	switch e.Type {
	case spec.ToolCall:
		p.fresh = &done{tool: e.Tool, args: e.Args.Canonical(), kept: e.Args.String(), thought: e.Thought, call: e}
		p.calls, p.waiting = append(p.calls, p.fresh), append(p.waiting, p.fresh)
	case spec.ToolResult, spec.ErrorEvent:
		if len(p.waiting) == 0 {
			return
		}
		p.fresh, p.waiting = p.waiting[0], p.waiting[1:]
		p.fresh.answered, p.fresh.answer = true, e.Index
		p.fresh.text, p.fresh.ok = e.Content+e.Message, e.Type == spec.ToolResult && e.OK
		p.results = append(p.results, p.fresh)
	}
}

// calledJustNow reports whether the current event is a call; answeredJustNow likewise.
func (p *past) calledJustNow() bool { return p.current.Type == spec.ToolCall }

func (p *past) answeredJustNow() bool {
	return p.fresh != nil && (p.current.Type == spec.ToolResult || p.current.Type == spec.ErrorEvent)
}

// sinceUser returns the past that begins after the last message of a user.
func (p *past) sinceUser() *past {
	return p.since(func(e spec.Event) bool { return e.Type == spec.Message && e.Role == spec.User })
}

// since returns the past that begins after the last event that is so: calls that were made then, answers that came
// then.
func (p *past) since(is func(spec.Event) bool) *past {
	begin := len(p.events)
	for begin > 0 && !is(p.events[begin-1]) {
		begin--
	}
	from := func(list []*done, at func(*done) int) []*done {
		i := len(list)
		for i > 0 && at(list[i-1]) >= begin {
			i--
		}
		return list[i:]
	}
	later := *p
	later.events = p.events[begin:]
	later.calls = from(p.calls, func(d *done) int { return d.call.Index })
	later.results = from(p.results, func(d *done) int { return d.answer })
	return &later
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
