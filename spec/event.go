package spec

import "slices"

// EventType names what an agent did or saw.
type EventType string

// The event types of the protocol.
const (
	ToolCall   EventType = "tool_call"
	ToolResult EventType = "tool_result"
	ErrorEvent EventType = "error"
	Message    EventType = "message"
	Output     EventType = "output"
	TestRun    EventType = "test_run"
	Iteration  EventType = "iteration"
	Reply      EventType = "reply"
	Delta      EventType = "delta"
)

// Role says who wrote a message.
type Role string

// The roles of a message.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	System    Role = "system"
)

// Roles lists the roles of a message.
func Roles() []Role { return []Role{User, Assistant, System} }

// Channel says what a piece of streamed text belongs to.
type Channel string

// The channels of a stream.
const (
	Answer    Channel = "answer"    // what the user reads
	Thinking  Channel = "thought"   // what the model thinks
	Arguments Channel = "arguments" // the arguments of a call that is being written
)

// Channels lists the channels of a stream.
func Channels() []Channel { return []Channel{Answer, Thinking, Arguments} }

// Event is one thing that an agent did or saw. Which members are set depends on Type; a string member that the event
// does not have is empty.
type Event struct {
	Type  EventType
	Index int // position in the session, from 0 since it was opened; not part of the JSON

	At    float64 // milliseconds; meaningful only if HasAt
	HasAt bool

	Tool    string // tool_call; if known also tool_result, error
	Args    Value  // tool_call: an object, {} if the event has none
	ID      string // tool_call
	Worker  string // tool_call
	Thought string // tool_call
	Call    string // tool_result, error: the ID of the tool_call that this answers

	HasTool, HasID, HasWorker, HasThought, HasCall bool // whether the optional member is there, even as an empty string

	Content   string // tool_result, message
	OK        bool   // tool_result: true unless it failed
	Message   string // error
	ErrorType string // error
	Role      Role   // message
	ToolCalls Value  // message: an array, or absent

	Text     string  // output: what one iteration of an agent printed; iteration: its output; delta: the piece
	Channel  Channel // delta: [Answer] where the event does not say it
	Passed   bool    // test_run
	ElapsedS float64 // iteration: seconds since the agent started
	Failed   bool    // iteration
}

// EventMember is what the protocol demands of one member of an event.
type EventMember struct {
	Name     string
	Kind     Kind
	Required bool
	Doc      string
}

// anyMembers are the members that an event of any type may have. All but the first came with the feature [Replies].
var anyMembers = []EventMember{
	{"at", Number, false, "When it happened, in milliseconds since any fixed moment."},
	{"cost_usd", Number, false, "What it cost, in US dollars."},
	{"input_tokens", Number, false, "How many tokens the model read for it."},
	{"output_tokens", Number, false, "How many tokens the model wrote for it."},
}

// eventMembers is the protocol's table of events: what DecodeEvent checks, whatever the detector.
var eventMembers = map[EventType][]EventMember{
	ToolCall: {
		{"tool", String, true, "The tool's name."},
		{"args", Object, false, "The arguments; {} where they are absent."},
		{"id", String, false, "The name by which an outcome says that it belongs to this call."},
		{"worker", String, false, "Which worker of a swarm made the call; swarm demands it."},
		{"thought", String, false, "What the model thought before it made the call."},
	},
	ToolResult: {
		{"content", String, true, "What it returned, as text."},
		{"tool", String, false, "The tool's name, where known."},
		{"call", String, false, "The id of the tool_call that this answers."},
		{"ok", Bool, false, "Whether it succeeded; true where it is absent."},
	},
	ErrorEvent: {
		{"message", String, true, "The instruction to the agent."},
		{"error_type", String, false, "The class of error, such as context_length_exceeded."},
		{"call", String, false, "The id of the tool_call that failed."},
		{"tool", String, false, "The tool's name, where known."},
	},
	Message: {
		{"role", String, true, "Who said it: user, assistant or system."},
		{"content", String, true, "What was said."},
		{"tool_calls", Array, false, "The calls that the message carries, in whatever form."},
	},
	Output:  {{"text", String, true, "What the iteration printed."}},
	TestRun: {{"passed", Bool, true, "Whether all of them passed."}},
	Iteration: {
		{"elapsed_s", Number, true, "How long the agent has been running, in seconds."},
		{"output", String, true, "What the iteration printed."},
		{"failed", Bool, true, "Whether it ended in an error."},
	},
	Reply: {},
	Delta: {
		{"text", String, true, "The piece of text."},
		{"channel", String, false, "What it belongs to: answer, thought or arguments; answer where it is absent."},
	},
}

var eventDocs = map[EventType]string{
	ToolCall:   "The agent called a tool. It counts as soon as it is made, before there is a result.",
	ToolResult: "A tool returned.",
	ErrorEvent: "Something failed that gave no result.",
	Message:    "Somebody said something in the conversation.",
	Output:     "One iteration of an agent ended, and printed this.",
	TestRun:    "The tests of the code that the agent works on were run.",
	Iteration:  "One iteration of an agent ended, with all that the guards need.",
	Reply:      "A reply of the model began; what follows until the next one belongs to it.",
	Delta:      "A piece of the text that the model is writing arrived.",
}

// Doc says in one sentence what an event of the type reports.
func (t EventType) Doc() string { return eventDocs[t] }

// EventTypes lists the types of the protocol.
func EventTypes() []EventType {
	return []EventType{ToolCall, ToolResult, ErrorEvent, Message, Output, TestRun, Iteration, Reply, Delta}
}

// EventMembers lists the members of events of a type, except type and [AnyMembers]; none if the protocol does not know
// the type. The caller must not change the list.
func EventMembers(t EventType) []EventMember { return eventMembers[t] }

// AnyMembers lists the members beside type that an event of any type may have. The caller must not change the list.
func AnyMembers() []EventMember { return anyMembers }

// NeedsReplies reports whether only ports that declare [Replies] know a type, or a member of an event.
func NeedsReplies(name string) bool {
	switch name {
	case string(Reply), "thought", "cost_usd", "input_tokens", "output_tokens":
		return true
	}
	return false
}

// TypeOf returns the type that an event names; the empty one if it names none. It does not check the event.
func TypeOf(event Value) EventType { return EventType(event.Get("type").Text()) }

// DecodeEvent checks one event completely, as the protocol demands, and returns it. Unknown members are ignored. The
// error is always a [*Fault] of kind [InvalidEvent] that names the first offending member.
func DecodeEvent(v Value) (Event, error) {
	e := Event{Type: TypeOf(v), OK: true}
	members, known := eventMembers[e.Type]
	if !known {
		return Event{}, BadEvent("type", "%s is no event type", v.Get("type"))
	}
	if err := e.fill(v, members); err != nil {
		return Event{}, err
	}
	if err := e.fill(v, anyMembers); err != nil {
		return Event{}, err
	}
	if e.Type == Message && !slices.Contains(Roles(), e.Role) {
		return Event{}, BadEvent("role", "%q is none of user, assistant, system", e.Role)
	}
	if e.Type == Delta && e.Channel == "" && v.Get("channel").IsAbsent() {
		e.Channel = Answer
	}
	if e.Type == Delta && !slices.Contains(Channels(), e.Channel) {
		return Event{}, BadEvent("channel", "%q is none of answer, thought, arguments", e.Channel)
	}
	if e.Type == ToolCall && e.Args.IsAbsent() {
		e.Args = ObjectValue()
	}
	return e, nil
}

// fill checks members of an event and sets them; members of other types are ignored.
func (e *Event) fill(v Value, members []EventMember) error {
	for i := range members {
		m := &members[i]
		value := v.Get(m.Name)
		switch {
		case value.kind == m.Kind:
			e.set(m.Name, value)
		case value.kind != Absent || m.Required:
			return BadEvent(m.Name, "want %s, got %s", m.Kind, value.kind)
		}
	}
	return nil
}

func (e *Event) set(name string, v Value) {
	text, isText := v.Str()
	switch name {
	case "at":
		e.At, e.HasAt = v.Float()
	case "tool":
		e.Tool, e.HasTool = text, isText
	case "args":
		e.Args = v
	case "id":
		e.ID, e.HasID = text, isText
	case "worker":
		e.Worker, e.HasWorker = text, isText
	case "thought":
		e.Thought, e.HasThought = text, isText
	case "call":
		e.Call, e.HasCall = text, isText
	case "content":
		e.Content = text
	case "ok":
		e.OK = v.IsTrue()
	case "message":
		e.Message = text
	case "error_type":
		e.ErrorType = text
	case "channel":
		e.Channel = Channel(text)
	case "role":
		e.Role = Role(text)
	case "tool_calls":
		e.ToolCalls = v
	case "text", "output":
		e.Text = text
	case "passed":
		e.Passed = v.IsTrue()
	case "elapsed_s":
		e.ElapsedS, _ = v.Float()
	case "failed":
		e.Failed = v.IsTrue()
	}
}
