package agentlogs

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// transcript makes the events of the run that is being read. It holds back what belongs to an unfinished reply:
// detectors treat a text that stands alone otherwise than one beside calls.
type transcript struct {
	source *source
	run    *Run
	at     stamp             // of the record that is being read
	made   int               // calls
	open   map[string]called // by the recording's ids; those without a result

	reply   string // the recording's name of the reply that is being read; empty between replies
	pending pending
}

// stamp is where a record of a log stands, and when it was written: the member at of its events, if the log says it.
type stamp struct {
	place Place
	when  []spec.Member
}

// called is a call that waits for its result.
type called struct{ id, tool string }

// pending is what is known of a reply that was not handed on yet.
type pending struct {
	at      stamp
	begins  bool // the reply itself was not handed on either
	usage   []spec.Member
	texts   []string
	thought []string
	calls   []call
}

// call is a call as a recording has it.
type call struct {
	id, tool string
	args     spec.Value
	at       stamp
}

// mostOpen bounds the calls of a run that wait for results.
const mostOpen = 10_000

// newTranscript begins a run. The suffix tells it from others of the source.
func (s *source) newTranscript(suffix string) *transcript {
	s.runs++
	run := &Run{Name: s.base + suffix, Source: s.name, Format: s.format}
	return &transcript{source: s, run: run, open: map[string]called{}}
}

// note tells once what was left out or is not known; how often is told at the end.
func (t *transcript) note(format string, args ...any) {
	t.source.notes.add(t.run, t.at.place, fmt.Sprintf(format, args...))
}

// next takes the record that comes next, which read reads.
func (t *transcript) next(read func() (spec.Value, error), record func(*transcript, spec.Value) error) error {
	v, err := read()
	if err != nil {
		return err
	}
	t.at = stamp{place: t.source.place()}
	return record(t, v)
}

// beginReply says that what the model says next belongs to the reply of that name. An empty one is any that has begun,
// or a new one.
func (t *transcript) beginReply(name string) {
	if t.reply != "" && (name == "" || name == t.reply) {
		return
	}
	t.endReply()
	if t.reply = name; name == "" {
		t.reply = "unnamed"
	}
	t.pending = pending{at: t.at, begins: true}
}

// newReply says that what the model says next belongs to a reply of which the log has no name.
func (t *transcript) newReply() {
	t.endReply()
	t.beginReply("")
}

// endReply hands on what is left of the reply.
func (t *transcript) endReply() {
	t.flush()
	t.reply = ""
}

// flush hands on what was held back: the reply, its text, its calls.
func (t *transcript) flush() {
	p := t.pending
	t.pending = pending{}
	if p.begins {
		t.emit(p.at, spec.Reply, p.usage...)
	}
	if len(p.texts) > 0 {
		t.emit(p.at, spec.Message, t.speech(p)...)
	}
	if len(p.thought) > 0 && len(p.calls) == 0 {
		t.source.notes.add(t.run, p.at.place, "a thought without a call was left out")
	}
	for i, c := range p.calls {
		thought := ""
		if i == 0 {
			thought = strings.Join(p.thought, "\n")
		}
		t.handOn(c, thought)
	}
}

// speech returns the members of the assistant's message; one that stands beside calls names their tools.
func (t *transcript) speech(p pending) []spec.Member {
	members := []spec.Member{
		textMember("role", string(spec.Assistant)), textMember("content", strings.Join(p.texts, "\n")),
	}
	if len(p.calls) > 0 {
		tools := lists.Map(p.calls, func(c call) string { return c.tool })
		members = append(members, spec.Member{Name: "tool_calls", Value: spec.StringsValue(tools)})
	}
	return members
}

// handOn numbers a call and hands it on. The recording's own ids need not be unique.
func (t *transcript) handOn(c call, thought string) {
	t.made++
	id := "c" + strconv.Itoa(t.made)
	if _, twice := t.open[c.id]; twice && c.id != "" {
		t.source.notes.add(t.run, c.at.place, "an id of a call was given twice, the earlier call has no result")
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
	t.emit(c.at, spec.ToolCall, members...)
}

// say hands on what somebody else than the model said.
func (t *transcript) say(role spec.Role, text string) {
	t.endReply()
	t.emit(t.at, spec.Message, textMember("role", string(role)), textMember("content", text))
}

// speak adds a text to the reply.
func (t *transcript) speak(text string) {
	if text != "" {
		t.pending.texts = append(t.pending.texts, text)
	}
}

// think adds a thought to the reply; it goes with its first call.
func (t *transcript) think(text string) {
	if text != "" {
		t.pending.thought = append(t.pending.thought, text)
	}
}

// call adds a call to the reply.
func (t *transcript) call(id, tool string, args spec.Value) {
	if args.Kind() != spec.Object {
		args = t.objectOf(args)
	}
	t.pending.calls = append(t.pending.calls, call{id, tool, args, t.at})
}

// objectOf returns arguments that were written as a text of JSON. What is no object is kept as it stands, under a name.
func (t *transcript) objectOf(v spec.Value) spec.Value {
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
	t.note("arguments are no JSON object, and kept as they are under the name arguments")
	return spec.ObjectValue(spec.Member{Name: "arguments", Value: v})
}

// outcome says whether a call succeeded, as far as the recording does.
type outcome int

const (
	unknown outcome = iota
	succeeded
	failed
)

// succeededIf returns the outcome of a call of which it is known.
func succeededIf(success bool) outcome {
	if success {
		return succeeded
	}
	return failed
}

// failedIf returns the outcome of a flag; unknown where it is no boolean.
func failedIf(flag spec.Value) outcome {
	if flag.Kind() != spec.Bool {
		return unknown
	}
	return succeededIf(!flag.IsTrue())
}

// result hands on what a call returned. The id is that of the recording.
func (t *transcript) result(id, content string, how outcome) {
	t.flush()
	waiting, ok := t.open[id]
	if !ok || id == "" {
		t.note("a result that answers no call was left out")
		return
	}
	delete(t.open, id)
	members := []spec.Member{
		textMember("content", content), textMember("tool", waiting.tool), textMember("call", waiting.id),
	}
	switch how {
	case failed:
		members = append(members, spec.Member{Name: "ok", Value: spec.BoolValue(false)})
	case unknown:
		t.note("it is not said whether a call succeeded, and its result counts as a success")
	}
	t.emit(t.at, spec.ToolResult, members...)
}

// fail hands on an error that is no call's result.
func (t *transcript) fail(message string) {
	t.endReply()
	t.emit(t.at, spec.ErrorEvent, textMember("message", message))
}

// end hands on what is left of the run, and returns the error that ended its log: of a broken one, nobody knows which
// results were to come.
func (t *transcript) end(err error) error {
	t.endReply()
	t.at.place = t.source.place()
	for range t.open {
		if err == nil {
			t.note("a call has no result")
		}
	}
	return err
}

// emit hands on an event, unless the sink has refused one.
func (t *transcript) emit(at stamp, typ spec.EventType, members ...spec.Member) {
	if t.source.refused != nil {
		return
	}
	all := make([]spec.Member, 0, len(members)+len(at.when)+1)
	all = append(append(append(all, textMember("type", string(typ))), members...), at.when...)
	t.source.refused = t.source.sink.Event(Event{Run: t.run, Value: spec.ObjectValue(all...), Place: at.place})
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
func (t *transcript) plainText(content spec.Value) string {
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
			t.note("a block of type %s was left out", typeName(block))
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
func typeName(v spec.Value) string { return nameForNote(text(v, "type")) }

func nameForNote(name string) string { return cmp.Or(plainName.FindString(name), "unknown") }

var plainName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,40}$`)

// tally is the notes of a source, each with how often it was so.
type tally []Note

// mostNotes bounds the different notes of a source; a hostile one could have as many as records.
const mostNotes = 100

// furtherNote is the note of a source that has more than these. It is handed on first, where a person sees it.
var furtherNote = fmt.Sprintf("a note was left out, since there are more than %d different ones", mostNotes)

func (n *tally) add(run *Run, place Place, text string) {
	find := func(text string) int {
		return slices.IndexFunc(*n, func(known Note) bool { return known.Text == text })
	}
	i := find(text)
	if i < 0 && len(*n) >= mostNotes {
		text = furtherNote
		i = find(text)
	}
	if i >= 0 {
		(*n)[i].Times++
		return
	}
	note := Note{Run: run, Place: place, Text: text, Times: 1}
	if text == furtherNote {
		*n = slices.Insert(*n, 0, note)
		return
	}
	*n = append(*n, note)
}

// tell hands the notes on: each once, at the place where it was first so, with how often.
func (n tally) tell(sink Sink, source string, runs int) {
	for _, note := range n {
		if note.Source = source; runs != 1 {
			note.Run = nil
		}
		sink.Note(note)
	}
}
