package crow

import (
	"github.com/loopstone/loopstone/reference/pyjson"
	"github.com/loopstone/loopstone/spec"
)

// speech is what users and assistants said, as the reading code needs it to tell a monologue (CR-25, CR-26).
//
// D5's listing finds the position of a message by events.index(), which gives that of the first equal one. Messages
// are therefore numbered, and those that are equal are linked.
type speech struct {
	messages queue[said] // those of the window
	first    int         // number of the oldest of them
	places   map[identity]place

	assistants [codeMessages]int // numbers of the last assistant messages, the oldest first
	spoken     int               // assistant messages in the window
	toolFree   int               // assistant messages without tool calls at the end of these
	newUser    int               // number of the latest user message that no equal one precedes in the window
	trail      spec.Trail        // assistant messages
	log        *spec.ClauseLog
}

// codeMessages is how many messages are a monologue in D5's listing, whatever n is.
const codeMessages = 3

// identity is what makes messages equal: their role, content and tool calls, where absent is not empty. // CR-26
type identity struct {
	role      spec.Role
	content   string
	toolCalls string
}

// said is a message of the window.
type said struct {
	identity
	next int // number of the next equal message; 0 without one
}

// place says where the messages of one identity stand.
type place struct{ first, last int }

func newSpeech() speech { return speech{first: 1, places: map[identity]place{}} }

func identify(e spec.Event) identity {
	id := identity{role: e.Role, content: e.Content}
	switch {
	case e.ToolCalls.IsAbsent():
	case len(e.ToolCalls.Items()) == 0:
		id.toolCalls = "[]"
	default:
		id.toolCalls = string(pyjson.AppendSorted(nil, e.ToolCalls))
	}
	return id
}

func (s *speech) add(e spec.Event) {
	if e.Role == spec.System { // CR-27
		return
	}
	number := s.first + s.messages.size
	id := identify(e)
	*s.messages.push() = said{identity: id}
	isNew := s.link(id, number)
	if e.Role == spec.User {
		if isNew {
			s.newUser = number
		}
		return
	}
	s.addAssistant(e, number)
}

// link notes where the message stands and reports whether it is the first of its identity.
func (s *speech) link(id identity, number int) bool {
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
	s.assistants[codeMessages-1] = number
	s.spoken++
	s.toolFree++
	if len(e.ToolCalls.Items()) > 0 {
		s.toolFree = 0
	}
	note(&s.trail, e)
}

func (s *speech) drop(e spec.Event) {
	if e.Role == spec.System {
		return
	}
	s.unlink()
	if e.Role == spec.Assistant {
		s.spoken--
		s.toolFree = min(s.toolFree, s.spoken)
	}
}

// unlink takes away the oldest message. The next equal one, where there is one, becomes the first of its identity; a
// user message is then as one that was never said before.
func (s *speech) unlink() {
	oldest := *s.messages.at(0)
	s.messages.drop()
	s.first++
	if oldest.next == 0 {
		delete(s.places, oldest.identity)
		return
	}
	s.places[oldest.identity] = place{oldest.next, s.places[oldest.identity].last}
	if oldest.role == spec.User {
		s.newUser = max(s.newUser, oldest.next)
	}
}

// isMonologue reports whether the last three assistant messages have no tool calls and no user message has a position
// at or after that of the first of them. // CR-25, CR-26
func (s *speech) isMonologue() bool {
	if s.toolFree < codeMessages {
		return false
	}
	s.log.Apply("CR-26")
	begin := s.messages.at(s.assistants[0] - s.first).identity
	return s.newUser < s.places[begin].first
}

func (s *speech) clear() {
	s.messages.clear()
	clear(s.places)
	*s = speech{first: 1, messages: s.messages, places: s.places, log: s.log}
}
