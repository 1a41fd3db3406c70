package agentlogs

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// isLoopstone: a line names a run; or every line is an event or a note, up to the first event of a type that no other
// format has.
func isLoopstone(h head) bool {
	records := h.records()
	for i, v := range records {
		if v.Get("run").Kind() == spec.Object && v.Get("type").IsAbsent() {
			return true
		}
		if isNote(v) {
			continue
		}
		_, err := spec.DecodeEvent(v)
		if err == nil && !slices.Contains(sharedTypes, spec.EventType(text(v, "type"))) {
			return true
		}
		if err != nil && (i == 0 || i < len(records)-1) { // the last may be cut
			return false
		}
	}
	return len(records) > 0
}

// sharedTypes are those that records of other formats have, too: items of the Responses API are messages.
var sharedTypes = []spec.EventType{spec.Message, spec.ErrorEvent}

// beginsAsLoopstone reports whether the first record is an event, though some of the others are none.
func beginsAsLoopstone(h head) bool {
	records := h.records()
	if len(records) == 0 {
		return false
	}
	_, err := spec.DecodeEvent(records[0])
	return err == nil
}

func isNote(v spec.Value) bool {
	return v.Get("note").Kind() == spec.String && v.Get("type").IsAbsent()
}

// readLoopstone reads lines that are events, begin or go on with a run, or say what an import left out. Nothing of an
// event is changed.
func readLoopstone(s *source) error {
	runs := map[string]*Run{}
	var run *Run
	return s.records(func() error {
		v, err := s.object()
		if err != nil {
			return err
		}
		switch named := v.Get("run"); {
		case named.Kind() == spec.Object && v.Get("type").IsAbsent():
			run, err = s.namedRun(runs, named)
			s.noteOthers(run, "line of a run", v, "run")
			return err
		case !v.Get("note").IsAbsent() && v.Get("type").IsAbsent() && !isNote(v):
			return s.failf("note: want a text, got %s", v.Get("note").Kind())
		case isNote(v):
			s.handOnNote(run, v)
			return nil
		case run == nil:
			run = s.newTranscript("").run
			runs[run.Name] = run
		}
		if _, err := spec.DecodeEvent(v); err != nil {
			return s.fail(noEvent(err))
		}
		s.noteUnread(run, v)
		return s.sink.Event(Event{Run: run, Value: v, Place: s.place()})
	})
}

// handOnNote hands on what an import said of a run.
func (s *source) handOnNote(run *Run, v spec.Value) {
	s.noteOthers(run, "note", v, "note", "times")
	times, isWhole := v.Get("times").Whole()
	if !v.Get("times").IsAbsent() && (!isWhole || times < 1) {
		s.notes.add(run, s.place(), "the times of a note are no integer of 1 or more, and the note counts once")
		times = 1
	}
	s.sink.Note(Note{Run: run, Source: s.name, Place: s.place(), Text: text(v, "note"), Times: times})
}

// noEvent says why a record is no event, without what it holds.
func noEvent(err error) error {
	wrong, _ := errors.AsType[*spec.Fault](err)
	switch wrong.Field {
	case "type":
		return fmt.Errorf("no event: type: want one of %v", spec.EventTypes())
	case "role":
		return fmt.Errorf("no event: role: want one of %v", spec.Roles())
	default:
		return fmt.Errorf("no event: %s: %s", wrong.Field, wrong.Message)
	}
}

// noteUnread tells of members that no event has: a misspelt one is missing where it was meant, and calls seem equal
// that are not.
func (s *source) noteUnread(run *Run, v spec.Value) {
	kind := text(v, "type")
	for _, member := range v.Members() {
		isIt := func(m spec.EventMember) bool { return m.Name == member.Name }
		known := member.Name == "type" || slices.ContainsFunc(spec.EventMembers(spec.EventType(kind)), isIt) ||
			slices.ContainsFunc(spec.AnyMembers(), isIt)
		if !known {
			s.notes.add(run, s.place(), fmt.Sprintf("a %s has no member %q: nothing looks at it", kind, member.Name))
		}
	}
}

// noteOthers tells of members that a line which is no event does not have.
func (s *source) noteOthers(run *Run, what string, v spec.Value, known ...string) {
	for _, member := range v.Members() {
		if !slices.Contains(known, member.Name) {
			s.notes.add(run, s.place(), fmt.Sprintf("a %s has no member %q: nothing looks at it", what, member.Name))
		}
	}
}

// noteRun tells of what is not taken from the line of a run.
func (s *source) noteRun(run *Run, v spec.Value) {
	s.noteOthers(run, "run", v, "name", "format", "agent")
	for _, name := range []string{"format", "agent"} {
		if member := v.Get(name); !member.IsAbsent() && member.Kind() != spec.String {
			s.notes.add(run, s.place(), fmt.Sprintf("the %s of a run is no text, and was left out", name))
		}
	}
}

// namedRun returns the run of a line, which may have begun before.
func (s *source) namedRun(runs map[string]*Run, v spec.Value) (*Run, error) {
	name := text(v, "name")
	if name == "" {
		return nil, s.failf("a run needs a name")
	}
	if known, ok := runs[name]; ok {
		s.noteRun(known, v)
		return known, nil
	}
	run := s.newTranscript("").run
	run.Name, run.Agent = name, text(v, "agent")
	if format := text(v, "format"); format != "" {
		run.Format = format
	}
	runs[name] = run
	s.noteRun(run, v)
	return run, nil
}

// Writer writes events as Loopstone's own format has them.
type Writer struct {
	to    io.Writer
	run   *Run            // of the latest line
	names map[*Run]string // of the runs so far, no two equal
	taken map[string]bool
	line  []byte
}

// NewWriter returns a Writer that writes a line at a time.
func NewWriter(to io.Writer) *Writer {
	return &Writer{to: to, names: map[*Run]string{}, taken: map[string]bool{}}
}

// Event writes an event, and before it a line that names its run where that is another than before.
func (w *Writer) Event(e Event) error {
	if e.Run != w.run {
		name, told := w.names[e.Run]
		if !told {
			name = w.freeName(e.Run)
			w.names[e.Run], w.taken[name] = name, true
		}
		members := []spec.Member{textMember("name", name)}
		if !told {
			members = append(members, textMember("format", e.Run.Format))
			if e.Run.Agent != "" {
				members = append(members, textMember("agent", e.Run.Agent))
			}
		}
		w.run = e.Run
		if err := w.write(spec.ObjectValue(spec.Member{Name: "run", Value: spec.ObjectValue(members...)})); err != nil {
			return err
		}
	}
	return w.write(e.Value)
}

// freeName returns a name for a run that no earlier run has, since runs of one name in one file are one run: its own,
// or that with the name of its log before it, or a number behind it as well.
func (w *Writer) freeName(run *Run) string {
	name := run.Name
	for n := 1; w.taken[name]; n++ {
		name = run.Source + " " + run.Name
		if n > 1 {
			name = fmt.Sprintf("%s (%d)", name, n)
		}
	}
	return name
}

// Note writes what a reader said of a log's parts. Their places are those in the log, which is not this file, and left
// out.
func (w *Writer) Note(n Note) error {
	if n.Run == nil && n.Place == (Place{}) { // it is about files
		return nil
	}
	members := []spec.Member{textMember("note", n.Text)}
	if n.Times > 1 {
		members = append(members, spec.Member{Name: "times", Value: spec.IntValue(n.Times)})
	}
	return w.write(spec.ObjectValue(members...))
}

func (w *Writer) write(v spec.Value) error {
	w.line = append(v.AppendJSON(w.line[:0]), '\n')
	_, err := w.to.Write(wording.VisibleJSON(w.line))
	return err
}
