package agentlogs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// format is a way in which an agent's run is written down.
type format struct {
	name      string
	recognise func(head) bool // nil where a folder alone is of the format
	read      func(*source) error
}

// formats is the table, in the order in which they are tried: what says its own name comes before what only looks like
// it.
var formats = []format{
	{"loopstone", isLoopstone, readLoopstone},
	{"codex", isCodex, readCodex},
	{"claude-code", isClaudeCode, readClaudeCode},
	{"atif", isATIF, readATIF},
	{"swe-agent", isSWEAgent, readSWEAgent},
	{"intercode", isInterCode, readInterCode},
	{"openhands", isOpenHands, readOpenHands},
	{"openai-responses", isResponses, readResponses},
	{"anthropic", isAnthropic, readAnthropic},
	{"nyu-ctf", isNYUCTF, readNYUCTF},
	{"openai-chat", isChat, readChat},
	{name: SolaST},
}

// Formats lists the names of the formats, in the order in which they are tried.
func Formats() []string { return lists.Map(formats, func(f format) string { return f.name }) }

// ErrNoRecording is the error of a source that is of none of the formats.
var ErrNoRecording = errors.New("it is no recording of a known format")

// CheckName returns the error of a format that is not known, with the nearest that is. An empty name stands for
// whichever the source has.
func CheckName(name string) error {
	if name == "" || slices.Contains(Formats(), name) {
		return nil
	}
	return fmt.Errorf("unknown format %q; %s", name, wording.Hint(name, Formats()))
}

// Read reads a log. The name stands in errors, and the names of runs are made of it. An empty format stands for
// whichever is recognised. The error is a [*Error] with the place where the log is wrong, [ErrNoRecording] where it is
// none, or that of the sink; what was read before it was handed on. Notes come at the end.
func Read(name string, r io.Reader, format string, sink Sink) error {
	if err := CheckName(format); err != nil {
		return err
	}
	if sink.Note == nil {
		sink.Note = func(Note) {}
	}
	s, err := newSource(name, r, sink)
	if err != nil {
		return err
	}
	f, err := s.formatOf(format)
	if err != nil {
		return err
	}
	s.format = f.name
	events := 0
	s.sink.Event = func(e Event) error { events++; return sink.Event(e) }
	err = f.read(s)
	if s.refused != nil {
		err = s.refused
	}
	if files, areMany := r.(*chain); areMany {
		err = files.locate(err)
	}
	s.notes.tell(sink, s.name, s.runs)
	switch {
	case err != nil || events > 0:
		return err
	case format != "":
		return &Error{name, 1, 0, "", fmt.Errorf("nothing in it is an event of the format %s", format)}
	default: // a session that ended before it began is no fault
		sink.Note(Note{Source: name, Text: "no event is in it"})
		return nil
	}
}

// Detect returns the name of the format that a log begins like; the empty text where it is none.
func Detect(begin []byte) string {
	f, _ := readHead(bytes.TrimPrefix(begin[:min(len(begin), headBytes)], ByteOrderMark)).format()
	return f.name
}

func (s *source) formatOf(name string) (format, error) {
	for _, f := range formats {
		switch {
		case name != f.name:
		case f.read == nil:
			return f, fmt.Errorf("%s: the format %s is that of a folder", s.name, name)
		default:
			return f, nil
		}
	}
	f, found := s.head.format()
	if !found && s.head.cut {
		s.readOn()
		f, found = s.head.format()
	}
	switch {
	case found:
		return f, nil
	case beginsAsLoopstone(s.head): // whose error tells more
		return formats[0], nil
	default:
		return format{}, &Error{s.name, 1, 0, "", s.head.unknown()}
	}
}

// format returns the format that recognises the head, and whether one does.
func (h head) format() (format, bool) {
	return lists.Find(formats, func(f format) bool { return f.recognise != nil && f.recognise(h) })
}

// leaveOut notes a record that is none of the format's events. It is an error where another format recognises the
// record: somebody appended another log, and all of its events would be missing.
func (t *transcript) leaveOut(v spec.Value, format string, args ...any) error {
	return t.source.leaveOut(t.run, v, t.at.place, fmt.Sprintf(format, args...))
}

func (s *source) leaveOut(run *Run, v spec.Value, place Place, text string) error {
	if other, found := s.detect(head{values: []spec.Value{v}}); found && other.name != s.format {
		return s.failf("it is of the format %s in a log of the format %s: keep the two logs in files of their own",
			other.name, s.format)
	}
	s.notes.add(run, place, text)
	return nil
}

// unknown says as much as can be known of a log that is of no format.
func (h head) unknown() error {
	switch {
	case h.tooLong:
		return fmt.Errorf("%w: its first record has more than %d MB", ErrNoRecording, mostBytes>>20)
	case len(h.values) == 0:
		return fmt.Errorf("%w: %w", ErrNoRecording, h.problem)
	}
	first := h.records()
	if len(first) == 0 || first[0].Get("type").Kind() != spec.String {
		return ErrNoRecording
	}
	_, err := spec.DecodeEvent(first[0])
	return fmt.Errorf("%w, and as Loopstone's own it begins with %w", ErrNoRecording, noEvent(err))
}

// nesting says where the records of a format stand in a source.
type nesting struct {
	keys  []string                          // members of an object that hold the records of one run, the most wanted first
	also  map[string]func(*Run, spec.Value) // what further members of that object say of the run
	pairs bool                              // the records are arrays, and not objects
}

// namesAgent takes the name of an agent or model.
func namesAgent(run *Run, v spec.Value) { run.Agent, _ = v.Str() }

// eachRun reads a source in which the records stand for themselves, in an array, or in a member of an object that is a
// run; there may be many such objects. It calls record for each of them.
func (s *source) eachRun(l nesting, record func(*transcript, spec.Value) error) error {
	key, nested := l.keyOf(s.head)
	var t *transcript // of the records that stand for themselves
	one := func() error {
		if nested {
			return s.nestedRun(l, key, record)
		}
		if t == nil {
			t = s.newTranscript("")
		}
		return t.next(s.object, record)
	}
	err := s.records(one)
	if t != nil {
		return t.end(err)
	}
	return err
}

// keyOf returns which member holds the records, and whether one does.
func (l nesting) keyOf(h head) (string, bool) {
	records := h.records()
	if len(records) == 0 {
		return "", false
	}
	for _, key := range l.keys {
		if kind := records[0].Get(key).Kind(); kind == spec.Array || kind == spec.Object {
			return key, true
		}
	}
	return "", false
}

// nestedRun reads an object that holds a run.
func (s *source) nestedRun(l nesting, key string, record func(*transcript, spec.Value) error) error {
	suffix := ""
	if !s.head.single || s.head.values[0].Kind() == spec.Array {
		suffix = fmt.Sprintf("#%d", s.runs)
	}
	t := s.newTranscript(suffix)
	read := s.object
	if l.pairs {
		read = s.value
	}
	found := false
	err := s.members(func(name string) error {
		if name == key {
			found = true
			return s.items(func() error { return t.next(read, record) })
		}
		say, known := l.also[name]
		if !known {
			return s.skip()
		}
		v, err := s.value()
		if err == nil {
			say(t.run, v)
		}
		return err
	})
	if err == nil && !found {
		err = s.failf("there is no member %q", key)
	}
	return t.end(err)
}

// recordsOf returns the records that a head shows, wherever they stand.
func (l nesting) recordsOf(h head) []spec.Value {
	if key, nested := l.keyOf(h); nested {
		return h.records()[0].Get(key).Items()
	}
	return h.records()
}

// lacks reports whether one of the calls has no name.
func lacks(calls []spec.Value, name func(spec.Value) string) bool {
	return slices.ContainsFunc(calls, func(c spec.Value) bool { return name(c) == "" })
}

// text returns a member's text, empty where it has none.
func text(v spec.Value, name string) string {
	return v.Get(name).Text()
}
