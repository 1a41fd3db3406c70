package recording

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/loopstone/loopstone/spec"
)

// trace makes the events of one run. It holds back what belongs to the reply that is being read: whether a text stands
// alone or beside calls decides what detectors make of it.
type trace struct {
	source *source
	run    *Run
	made   int               // calls
	open   map[string]called // by the recording's ids; those without a result

	reply   string // the recording's name of the reply that is being read; empty between replies
	pending pending
}

// called is a call that waits for its result.
type called struct{ id, tool string }

// pending is what is known of a reply that was not handed on yet.
type pending struct {
	place   Place
	when    []spec.Member // at
	begins  bool          // the reply itself was not handed on either
	usage   []spec.Member
	texts   []string
	thought []string
	calls   []call
}

// call is a call as a recording has it.
type call struct {
	id, tool string
	args     spec.Value
	place    Place
	when     []spec.Member
}

// mostOpen bounds the calls of a run that wait for results.
const mostOpen = 10_000

// newTrace begins a run. The suffix tells it from others of the source.
func (s *source) newTrace(suffix string) *trace {
	s.runs++
	run := &Run{Name: s.base + suffix, Source: s.name, Format: s.format}
	return &trace{source: s, run: run, open: map[string]called{}}
}

// note tells once what was left out or is not known; how often is told at the end.
func (t *trace) note(place Place, format string, args ...any) {
	t.source.notes.add(t.run, place, fmt.Sprintf(format, args...))
}

// beginReply says that what the model says next belongs to the reply of that name. An empty one is any that has begun,
// or a new one.
func (t *trace) beginReply(name string, place Place, when []spec.Member) error {
	if t.reply != "" && (name == "" || name == t.reply) {
		return nil
	}
	if err := t.endReply(); err != nil {
		return err
	}
	if t.reply = name; name == "" {
		t.reply = "unnamed"
	}
	t.pending = pending{place: place, when: when, begins: true}
	return nil
}

// endReply hands on what is left of the reply.
func (t *trace) endReply() error {
	err := t.flush()
	t.reply = ""
	return err
}

// flush hands on what was held back: the reply, its text, its calls.
func (t *trace) flush() error {
	p := t.pending
	t.pending = pending{}
	if p.begins {
		if err := t.emit(p.place, spec.Reply, p.usage, p.when); err != nil {
			return err
		}
	}
	if len(p.texts) > 0 {
		if err := t.emit(p.place, spec.Message, t.speech(p), p.when); err != nil {
			return err
		}
	}
	if len(p.thought) > 0 && len(p.calls) == 0 {
		t.note(p.place, "a thought without a call was left out")
	}
	for i, c := range p.calls {
		thought := ""
		if i == 0 {
			thought = strings.Join(p.thought, "\n")
		}
		if err := t.handOn(c, thought); err != nil {
			return err
		}
	}
	return nil
}

// speech returns the members of the assistant's message; one that stands beside calls names their tools.
func (t *trace) speech(p pending) []spec.Member {
	members := []spec.Member{
		textMember("role", string(spec.Assistant)), textMember("content", strings.Join(p.texts, "\n")),
	}
	var tools []string
	for _, c := range p.calls {
		tools = append(tools, c.tool)
	}
	if tools != nil {
		members = append(members, spec.Member{Name: "tool_calls", Value: spec.StringsValue(tools)})
	}
	return members
}

// handOn numbers a call and hands it on. The recording's own ids need not be unique.
func (t *trace) handOn(c call, thought string) error {
	t.made++
	id := "c" + strconv.Itoa(t.made)
	if _, twice := t.open[c.id]; twice && c.id != "" {
		t.note(c.place, "an id of a call was given twice, the earlier call has no result")
		delete(t.open, c.id)
	}
	if c.id != "" {
		if len(t.open) == mostOpen { // of calls that go without results
			clear(t.open)
		}
		t.open[c.id] = called{id, c.tool}
	}
	members := []spec.Member{textMember("tool", c.tool), {Name: "args", Value: c.args}, textMember("id", id)}
	if thought != "" {
		members = append(members, textMember("thought", thought))
	}
	return t.emit(c.place, spec.ToolCall, members, c.when)
}

// say hands on what somebody else than the model said.
func (t *trace) say(role spec.Role, text string, place Place, when []spec.Member) error {
	if err := t.endReply(); err != nil {
		return err
	}
	return t.emit(place, spec.Message, []spec.Member{textMember("role", string(role)), textMember("content", text)}, when)
}

// speak adds a text to the reply.
func (t *trace) speak(text string) {
	if text != "" {
		t.pending.texts = append(t.pending.texts, text)
	}
}

// think adds a thought to the reply; it goes with its first call.
func (t *trace) think(text string) {
	if text != "" {
		t.pending.thought = append(t.pending.thought, text)
	}
}

// call adds a call to the reply.
func (t *trace) call(c call) {
	if c.args.Kind() != spec.Object {
		c.args = t.objectOf(c.args, c.place)
	}
	t.pending.calls = append(t.pending.calls, c)
}

// objectOf returns arguments that were written as a text of JSON. What is no object is kept as it stands, under a name.
func (t *trace) objectOf(v spec.Value, place Place) spec.Value {
	text, isText := v.Str()
	if v.IsAbsent() || v.Kind() == spec.Null || isText && strings.TrimSpace(text) == "" {
		return spec.ObjectValue()
	}
	if isText {
		args, err := parse([]byte(text))
		if err == nil && args.Kind() == spec.Object {
			return args
		}
	}
	t.note(place, "arguments are no JSON object, and kept as they are under the name arguments")
	return spec.ObjectValue(spec.Member{Name: "arguments", Value: v})
}

// outcome says whether a call succeeded, as far as the recording does.
type outcome int

const (
	unknown outcome = iota
	succeeded
	failed
)

// failedIf returns an outcome of a flag; unknown where it is no boolean.
func failedIf(flag spec.Value) outcome {
	switch {
	case flag.Kind() != spec.Bool:
		return unknown
	case flag.IsTrue():
		return failed
	default:
		return succeeded
	}
}

// result hands on what a call returned. The id is that of the recording.
func (t *trace) result(id, content string, how outcome, place Place, when []spec.Member) error {
	if err := t.flush(); err != nil {
		return err
	}
	waiting, ok := t.open[id]
	if !ok || id == "" {
		t.note(place, "a result that answers no call was left out")
		return nil
	}
	delete(t.open, id)
	members := []spec.Member{
		textMember("content", content), textMember("tool", waiting.tool), textMember("call", waiting.id),
	}
	switch how {
	case failed:
		members = append(members, spec.Member{Name: "ok", Value: spec.BoolValue(false)})
	case unknown:
		t.note(place, "it is not said whether a call succeeded, and its result counts as a success")
	}
	return t.emit(place, spec.ToolResult, members, when)
}

// fail hands on an error that is no call's result.
func (t *trace) fail(message string, place Place, when []spec.Member) error {
	if err := t.endReply(); err != nil {
		return err
	}
	return t.emit(place, spec.ErrorEvent, []spec.Member{textMember("message", message)}, when)
}

// end hands on what is left of the run.
func (t *trace) end(place Place) error {
	if err := t.endReply(); err != nil {
		return err
	}
	for range t.open {
		t.note(place, "a call has no result")
	}
	return nil
}

func (t *trace) emit(place Place, typ spec.EventType, members, when []spec.Member) error {
	all := make([]spec.Member, 0, len(members)+len(when)+1)
	all = append(append(append(all, textMember("type", string(typ))), members...), when...)
	return t.source.sink.Event(Event{Run: t.run, Value: spec.ObjectValue(all...), Place: place})
}

func textMember(name, text string) spec.Member {
	return spec.Member{Name: name, Value: spec.StringValue(text)}
}

// timed returns the member at for a time as logs write it; none where it is no such time.
func timed(v spec.Value) []spec.Member {
	text, isText := v.Str()
	if !isText {
		return nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999"} {
		if when, err := time.Parse(layout, text); err == nil {
			return []spec.Member{{Name: "at", Value: spec.NumberValue(strconv.FormatInt(when.UnixMilli(), 10))}}
		}
	}
	return nil
}

// usage returns the members that say what a reply cost, of those values that are numbers.
func usage(cost, input, output spec.Value) []spec.Member {
	var members []spec.Member
	for i, name := range []string{"cost_usd", "input_tokens", "output_tokens"} {
		if v := []spec.Value{cost, input, output}[i]; v.Kind() == spec.Number {
			members = append(members, spec.Member{Name: name, Value: v})
		}
	}
	return members
}

// plainText returns the text of a content: a text, or a list of blocks, of which those that are no text are left out.
func (t *trace) plainText(content spec.Value, place Place) string {
	if text, isText := content.Str(); isText {
		return text
	}
	var texts []string
	for _, block := range content.Items() {
		if text, isText := block.Str(); isText {
			texts = append(texts, text)
			continue
		}
		text, isText := block.Get("text").Str()
		if !isText {
			t.note(place, "a block of type %s was left out", typeName(block))
			continue
		}
		texts = append(texts, text)
	}
	if kind := content.Kind(); kind == spec.Object || kind == spec.Number || kind == spec.Bool {
		return content.String()
	}
	return strings.Join(texts, "\n")
}

// typeName returns the type of a block or record for a note: a word of few letters, or nothing that could do harm.
func typeName(v spec.Value) string {
	name, _ := v.Get("type").Str()
	if name == "" || len(name) > 40 || strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && r != '-' && r != '.' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) {
		return "unknown"
	}
	return name
}

// tally collects the notes of a source.
type tally struct {
	list  []Note
	count map[string]int
}

// mostNotes bounds the different notes of a source; a hostile one could have as many as records.
const mostNotes = 100

func (n *tally) add(run *Run, place Place, text string) {
	if n.count == nil {
		n.count = map[string]int{}
	}
	if n.count[text] == 0 {
		if len(n.list) == mostNotes {
			return
		}
		n.list = append(n.list, Note{Run: run, Place: place, Text: text})
	}
	n.count[text]++
}

// tell hands the notes on: each once, at the place where it was first so, with how often.
func (n *tally) tell(sink Sink, source string, runs int) {
	for _, note := range n.list {
		note.Times = n.count[note.Text]
		if note.Source = source; runs != 1 {
			note.Run = nil
		}
		sink.Note(note)
	}
}
