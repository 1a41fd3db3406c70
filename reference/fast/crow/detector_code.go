package crow

import (
	rules "github.com/loopstone/loopstone/reference/crow"
	"github.com/loopstone/loopstone/spec"
)

// codeCounts is what the rules of the reading code count. Lengths of runs may go back to events that have left the
// window, or to none at all: a run is no longer than what the window holds.
type codeCounts struct {
	cycles int // n
	events int // in the window, of all types

	calls queue[codeCall]

	errors     int // in the window
	sameErrors int // errors with equal messages at the end
	lastError  string
	errorTrail spec.Trail

	full   fullErrors
	speech speech
}

// codeCall is a tool call with counts that tell in one step whether the calls up to it repeat or alternate.
type codeCall struct {
	call
	same   int // length of the run of identical calls that ends here
	paired int // how many calls up to this one, without a gap, are identical to the one two places before them
}

func newCodeCounts(cycles int) *codeCounts {
	return &codeCounts{
		cycles: cycles,
		full:   fullErrors{phrases: rules.CodeContext},
		speech: speech{places: map[identity]place{}},
	}
}

func (c *codeCounts) add(e spec.Event) {
	c.events++
	switch e.Type {
	case spec.ToolCall:
		c.addCall(e)
	case spec.ErrorEvent:
		c.addError(e)
	case spec.Message:
		c.speech.add(e)
	}
}

func (c *codeCounts) addCall(e spec.Event) {
	this := c.calls.push()
	*this = codeCall{call: callOf(e, this.args), same: 1}
	if before := c.calls.last(1); this.isIdentical(&before.call) {
		this.same = before.same + 1
	}
	if this.isIdentical(&c.calls.last(2).call) {
		this.paired = c.calls.last(1).paired + 1
	}
}

func (c *codeCounts) addError(e spec.Event) {
	if e.Message != c.lastError {
		c.sameErrors = 0
	}
	c.sameErrors++
	c.errors++
	c.lastError = e.Message
	note(&c.errorTrail, e)
	c.full.add(e)
}

func (c *codeCounts) drop(k *kept) {
	c.events--
	switch k.kind {
	case spec.ToolCall:
		c.calls.drop()
	case spec.ErrorEvent:
		c.errors--
		c.full.drop(k)
	case spec.Message:
		c.speech.drop(spec.Role(k.name))
	}
}

// verdict evaluates the rules in their order.
func (c *codeCounts) verdict() spec.Verdict { // CR-15
	if c.events < 2*c.cycles { // CR-21
		return spec.Verdict{}
	}
	n, calls, first := c.cycles, c.calls.size, 2*(c.cycles+3)
	switch {
	case min(c.sameErrors, c.errors) >= rules.CodeErrors: // CR-24
		return rules.RepeatingError(c.lastError, rules.CodeErrors, latest(&c.errorTrail, rules.CodeErrors))
	case c.full.count >= rules.ContextErrors: // CR-30
		return c.full.verdict()
	case calls >= n && c.calls.last(0).same >= n: // CR-22, CR-23
		return rules.RepeatingAction(c.calls.last(0).tool, n, c.evidence(calls-n, calls))
	case c.speech.isMonologue(): // CR-25
		return rules.Monologue(rules.CodeMessages, latest(&c.speech.trail, rules.CodeMessages))
	case calls >= first && c.calls.at(first-1).paired >= first-2: // CR-28, CR-29
		return rules.Alternating(c.calls.at(0).tool, c.calls.at(1).tool, n+3, c.evidence(0, first))
	}
	return spec.Verdict{}
}

func (c *codeCounts) evidence(from, to int) []int {
	return evidence(from, to, func(i int) *call { return &c.calls.at(i).call })
}

// speech holds the messages of users and assistants. Messages have numbers, and equal messages are linked, so that the
// position of each can be found: the number of the first equal message.
type speech struct {
	messages queue[said] // those of the window
	first    int         // number of the oldest of them
	places   map[identity]place

	assistants [rules.CodeMessages]int // numbers of the last assistant messages, the oldest first
	spoken     int                     // assistant messages in the window
	toolFree   int                     // assistant messages without tool calls at the end; as a run's length
	newUser    int                     // number of the latest user message that repeats none in the window; 0 if none does
	trail      spec.Trail              // assistant messages
}

// identity is what makes messages equal: role, content and tool calls; absent tool calls differ from empty ones.
type identity struct { // CR-26
	role      spec.Role
	content   string
	toolCalls string
}

// said is a message of the window.
type said struct {
	identity
	next int // number of the next equal message, if there is one
}

// place says where the messages of one identity stand.
type place struct{ first, last int }

func (s *speech) add(e spec.Event) {
	if e.Role == spec.System { // CR-27
		return
	}
	number := s.first + s.messages.size
	isNew := s.link(e, number)
	switch {
	case e.Role == spec.Assistant:
		s.addAssistant(e, number)
	case isNew:
		s.newUser = number
	}
}

// link notes where the message stands and reports whether it is the first of its identity.
func (s *speech) link(e spec.Event, number int) bool {
	id := identity{role: e.Role, content: e.Content}
	if !e.ToolCalls.IsAbsent() {
		id.toolCalls = rules.Python(e.ToolCalls)
	}
	*s.messages.push() = said{identity: id}
	p, known := s.places[id]
	if !known {
		s.places[id] = place{number, number}
		return true
	}
	s.messages.at(p.last - s.first).next = number
	s.places[id] = place{p.first, number}
	return false
}

func (s *speech) addAssistant(e spec.Event, number int) {
	copy(s.assistants[:], s.assistants[1:])
	s.assistants[rules.CodeMessages-1] = number
	s.spoken++
	s.toolFree++
	if rules.HasCalls(e) {
		s.toolFree = 0
	}
	note(&s.trail, e)
}

// drop removes the oldest message. The next equal message, if there is one, becomes the first of its identity; a user
// message then counts as never said before.
func (s *speech) drop(by spec.Role) {
	if by == spec.System {
		return
	}
	oldest := *s.messages.at(0)
	s.messages.drop()
	p := s.places[oldest.identity]
	isLast := p.last == s.first
	if isLast {
		delete(s.places, oldest.identity)
	} else {
		s.places[oldest.identity] = place{oldest.next, p.last}
	}
	switch {
	case by == spec.Assistant:
		s.spoken--
	case !isLast:
		s.newUser = max(s.newUser, oldest.next)
	}
	s.first++
}

// isMonologue reports whether the last three assistant messages have no tool calls, and every user message has a
// position before the first of them.
func (s *speech) isMonologue() bool { // CR-25, CR-26
	if min(s.toolFree, s.spoken) < rules.CodeMessages {
		return false
	}
	begin := s.messages.at(s.assistants[0] - s.first).identity
	return s.newUser <= s.places[begin].first
}
