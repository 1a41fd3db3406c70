package recording

import (
	"slices"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

func isNYUCTF(h head) bool {
	return slices.ContainsFunc(h.records(), func(v spec.Value) bool {
		return slices.ContainsFunc(v.Get("messages").Items(), func(pair spec.Value) bool {
			_, message, isPair := nyuPair(pair)
			return isPair && isChatMessage(message)
		})
	})
}

// nyuPair returns the time and the message of a pair.
func nyuPair(v spec.Value) (at, message spec.Value, isPair bool) {
	if pair := v.Items(); len(pair) == 2 && pair[0].Kind() == spec.String && pair[1].Kind() == spec.Object {
		return pair[0], pair[1], true
	}
	return spec.Value{}, spec.Value{}, false
}

// readNYUCTF reads transcripts of the baseline agent of NYU CTF: messages of Chat Completions, each in a pair behind
// its time. For a model that writes its calls as XML, the log has each message twice, as a message and as the model was
// sent it or wrote it; the second copy is left out.
func readNYUCTF(s *source) error { return s.texts(s.nyuRun) }

func (s *source) nyuRun() error {
	t := s.newTrace("")
	found := false
	var before spec.Value
	err := s.members(func(name string) error {
		if name == "messages" {
			found = true
			return s.items(func() error { return t.nyuMessage(&before) })
		}
		if name != "args" && name != "solved" {
			return s.skip()
		}
		v, err := s.value()
		switch {
		case err != nil:
			return err
		case name == "args":
			t.run.Agent = text(v, "model")
		case v.Kind() == spec.Bool:
			solved := v.IsTrue()
			t.run.Solved = &solved
		}
		return nil
	})
	if err == nil && !found {
		err = s.failf("there is no member %q", "messages")
	}
	return t.end(err)
}

// nyuMessage takes the message that comes next, if it is no copy of what stands before it.
func (t *trace) nyuMessage(before *spec.Value) error {
	v, err := t.source.value()
	if err != nil {
		return err
	}
	at, message, isPair := nyuPair(v)
	if !isPair {
		return t.source.failf("a message is no pair of a time and an object")
	}
	t.at = stamp{t.source.place(), timed(at)}
	if isCopy(message, *before) {
		t.note("a second copy of a message was left out")
		return nil
	}
	*before = message
	if text(message, "role") == "tool" {
		content := text(message, "content")
		t.result(text(message, "tool_call_id"), content, nyuOutcome(content))
		return nil
	}
	return chatMessage(t, message)
}

// isCopy reports whether the log says once more what it said before: the message before, or its calls or results, which
// it then writes out as XML, or a reply that it has as a message, too.
func isCopy(message, before spec.Value) bool {
	role, content := text(message, "role"), text(message, "content")
	switch {
	case role == "":
		return text(message, "type") == "text"
	case !message.Get("tool_calls").IsAbsent() || role == "tool":
		return false
	default:
		isXML := strings.HasPrefix(strings.TrimSpace(content), "```xml\n<function_")
		return isXML || role == text(before, "role") && content == text(before, "content")
	}
}

// nyuOutcome returns whether a tool says of its result that it failed: the tools of NYU CTF return a JSON object.
func nyuOutcome(content string) outcome {
	v, err := parse([]byte(content))
	switch {
	case err != nil || v.Kind() != spec.Object:
		return unknown
	case !v.Get("error").IsAbsent() || v.Get("timed_out").IsTrue():
		return failed
	case v.Get("success").Kind() == spec.Bool:
		return failedIf(spec.BoolValue(!v.Get("success").IsTrue()))
	default:
		return byStatus(v.Get("returncode"))
	}
}
