package agentlogs

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// isClaudeCode: some line belongs to a session, and has the type that Claude Code gives it.
func isClaudeCode(h head) bool {
	return slices.ContainsFunc(h.values, func(v spec.Value) bool {
		return isOfSession(v) &&
			(v.Get("message").Kind() == spec.Object || !v.Get("uuid").IsAbsent() || text(v, "subtype") == "init")
	})
}

// isOfSession reports whether a line has a type and names the session that it belongs to, as all of Claude Code's do.
func isOfSession(v spec.Value) bool {
	return text(v, "type") != "" && text(v, "sessionId")+text(v, "session_id") != ""
}

// mostChains bounds the side chains of a session, and recentLines the lines of each that another may follow on.
const (
	mostChains  = 10_000
	recentLines = 64
)

// session is a session of Claude Code while it is read. A side chain, which is what a subagent does, is a run of its
// own: its lines come between the others.
type session struct {
	source *source
	main   *transcript
	chains map[string]*transcript // by the name of the subagent, or that of the first line
	order  []*transcript
	lines  map[string]string // the latest lines of side chains, with the key of their chain
	recent []string
}

// readClaudeCode reads a session of Claude Code, as it keeps them and as it prints them as a stream of JSON. The lines
// of one reply have the same id of a message.
func readClaudeCode(s *source) error {
	all := &session{source: s, chains: map[string]*transcript{}, lines: map[string]string{}}
	err := s.texts(func() error {
		v, err := s.value()
		if err != nil {
			return err
		}
		return all.line(v, s.place())
	})
	for _, t := range all.order {
		err = t.end(err)
	}
	return err
}

func (s *session) line(v spec.Value, place Place) error {
	typ := text(v, "type")
	message := v.Get("message")
	if typ != "user" && typ != "assistant" || message.Kind() != spec.Object {
		said := fmt.Sprintf("a line of type %s was left out", typeName(v))
		if isOfSession(v) {
			s.source.notes.add(nil, place, said)
			return nil
		}
		return s.source.leaveOut(nil, v, place, said)
	}
	t, err := s.transcriptOf(v)
	if err != nil {
		return err
	}
	t.at = stamp{place, timed(v.Get("timestamp"))}
	if v.Get("isApiErrorMessage").IsTrue() {
		t.fail(t.plainText(message.Get("content")))
		return nil
	}
	if err := t.anthropic(message); err != nil {
		return err
	}
	if cost := v.Get("costUSD"); typ == "assistant" && t.pending.begins && cost.Kind() == spec.Number {
		t.pending.usage = append([]spec.Member{{Name: "cost_usd", Value: cost}}, t.pending.usage...)
	}
	return nil
}

// transcriptOf returns the run that a line belongs to.
func (s *session) transcriptOf(v spec.Value) (*transcript, error) {
	key, side := s.chainOf(v)
	if !side {
		if s.main == nil {
			s.main = s.source.newTranscript("")
			s.order = append(s.order, s.main)
		}
		return s.main, nil
	}
	t, known := s.chains[key]
	if known {
		return t, nil
	}
	if len(s.chains) == mostChains {
		return nil, s.source.failf("there are more than %d side chains", mostChains)
	}
	t = s.source.newTranscript(fmt.Sprintf("/side-%d", len(s.chains)+1))
	s.chains[key] = t
	s.order = append(s.order, t)
	return t, nil
}

// chainOf returns the key of the side chain that a line is of, and whether it is of one. Where lines do not name the
// subagent, each names the line that it follows on.
func (s *session) chainOf(v spec.Value) (string, bool) {
	if call := text(v, "parent_tool_use_id"); call != "" {
		return call, true
	}
	if !v.Get("isSidechain").IsTrue() {
		return "", false
	}
	id := text(v, "uuid")
	key := cmp.Or(text(v, "agentId"), s.lines[text(v, "parentUuid")], id)
	s.lines[id] = key
	s.recent = append(s.recent, id)
	if len(s.recent) > recentLines*(len(s.chains)+1) {
		delete(s.lines, s.recent[0])
		s.recent = s.recent[1:]
	}
	return key, true
}
