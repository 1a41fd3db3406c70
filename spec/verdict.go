package spec

import (
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/internal/lists"
)

// Verdict is the answer of a detector to one event. It describes the state after the event, so a detector whose rule
// still holds reports the loop again. The zero Verdict means no loop. A zero member is absent, except Loop.
type Verdict struct {
	Loop  bool        // after this event, is the agent stuck by this detector?
	Kind  VerdictKind // the rule that gave the verdict; only with a loop
	Count int         // what the rule counted

	Tool       string // present if HasTool; may be empty (fingerprint)
	Workers    int    // how many workers took part (swarm)
	Severity   string // notice, warning or critical (fingerprint)
	Signature  string // present if HasSignature; may be empty (signature)
	Similarity float64
	Confidence float64 // 0.0 to 1.0 (crow)
	Pattern    string  // crow
	Suggestion string  // crow
	Message    string  // the text to inject into the agent's conversation
	Rule       string  // the name of the rule that gave the verdict (composed)
	Rung       string  // the name of the rung that was reached (composed)
	Period     int     // how many items a lap has (composed)

	// Evidence holds the indices of exactly the events that the rule counted, ascending, from 0 since the session was
	// opened. Neither reset nor restore sets the index back; events from before a restore have no index.
	Evidence []int

	HasTool, HasSignature bool
}

// noLoop is the most frequent verdict; values are immutable, so one serves all.
var noLoop = ObjectValue(Member{"loop", BoolValue(false)})

// Value returns the verdict as the protocol writes it.
func (v Verdict) Value() Value {
	if !v.Loop && v.Count == 0 && !v.HasSignature {
		return noLoop
	}
	var most [len(verdictMembers)]Member // on the stack: the value itself takes no more room than it needs
	members := append(most[:0], Member{"loop", BoolValue(v.Loop)})
	members = with(members, "kind", string(v.Kind), StringValue)
	members = with(members, "count", v.Count, IntValue)
	if v.HasTool {
		members = append(members, Member{"tool", StringValue(v.Tool)})
	}
	members = with(members, "workers", v.Workers, IntValue)
	members = with(members, "severity", v.Severity, StringValue)
	if v.HasSignature {
		members = append(members, Member{"signature", StringValue(v.Signature)})
	}
	members = with(members, "similarity", v.Similarity, FloatValue)
	members = with(members, "confidence", v.Confidence, FloatValue)
	members = with(members, "pattern", v.Pattern, StringValue)
	members = with(members, "suggestion", v.Suggestion, StringValue)
	members = with(members, "message", v.Message, StringValue)
	members = with(members, "rule", v.Rule, StringValue)
	members = with(members, "rung", v.Rung, StringValue)
	members = with(members, "period", v.Period, IntValue)
	if v.Evidence != nil {
		members = append(members, Member{"evidence", IntsValue(v.Evidence)})
	}
	return ObjectValue(slices.Clone(members)...)
}

// with adds a member, unless it is zero.
func with[T comparable](members []Member, name string, value T, of func(T) Value) []Member {
	var zero T
	if value == zero {
		return members
	}
	return append(members, Member{name, of(value)})
}

// VerdictMember is one member that a verdict may have. A runner demands its Kind of every detector, and the further
// bounds only of the specification's detectors.
type VerdictMember struct {
	Name string
	Kind Kind
	Doc  string

	Integer     bool     // a Number without a fraction
	Least, Most int      // of a Number; both 0 if it has no bounds
	OneOf       []string // the values of a String; any value if empty
}

// MaxEvidence is the largest number of events that a verdict's evidence names: the latest events. Without a bound, the
// memory of a rule that counts for ever, and the length of its verdicts, would grow with the trace.
const MaxEvidence = 100

// MaxCount is the highest count: the largest integer that is exact as a double.
const MaxCount = 1<<53 - 1

// verdictMembers is the protocol's table of verdicts; only loop must be there.
var verdictMembers = [...]VerdictMember{
	{Name: "loop", Kind: Bool, Doc: "After this event, is the agent stuck by this detector?"},
	{Name: "kind", Kind: String, Doc: "The rule that reports; absent without a loop."},
	{Name: "count", Kind: Number, Doc: "What the rule counted, an integer.", Integer: true, Least: 1, Most: MaxCount},
	{Name: "tool", Kind: String, Doc: "The tool of the current call."},
	{
		Name: "workers", Kind: Number, Doc: "How many workers took part, an integer.",
		Integer: true, Least: 1, Most: MaxCount,
	},
	{
		Name: "severity", Kind: String, Doc: "notice, warning or critical.",
		OneOf: []string{"notice", "warning", "critical"},
	},
	{Name: "signature", Kind: String, Doc: "What was taken from the output."},
	{Name: "similarity", Kind: Number, Doc: "How similar the two outputs are, in percent.", Most: 100},
	{Name: "confidence", Kind: Number, Doc: "How sure the rule is, from 0 to 1.", Most: 1},
	{Name: "pattern", Kind: String, Doc: "What repeats, in words."},
	{Name: "suggestion", Kind: String, Doc: "What to do about it, in words."},
	{Name: "message", Kind: String, Doc: "The text to inject into the agent's conversation."},
	{Name: "rule", Kind: String, Doc: "The name of the rule that reports, as the configuration has it."},
	{Name: "rung", Kind: String, Doc: "The name of the rung of its ladder that was reached."},
	{
		Name: "period", Kind: Number, Doc: "How many items, or characters, one repetition has, an integer.",
		Integer: true, Least: 1, Most: MaxCount,
	},
	{
		Name: "evidence", Kind: Array,
		Doc: "The indices of exactly the events that the rule counted, ascending, from 0 since the session was opened.",
	},
}

// VerdictMemberOf returns the member of that name and whether a verdict may have it.
func VerdictMemberOf(name string) (VerdictMember, bool) {
	for _, m := range verdictMembers {
		if m.Name == name {
			return m, true
		}
	}
	return VerdictMember{}, false
}

// VerdictMembers lists the names of all members that a verdict may have.
func VerdictMembers() []string {
	return lists.Map(verdictMembers[:], func(m VerdictMember) string { return m.Name })
}

// Agrees reports whether two values of a verdict's member are the same, as far as ports must agree (PR-32): numbers may
// lie a little apart ([Value.Near]), integers may not. Any other name is that of a member whose numbers may.
func Agrees(member string, v, w Value) bool {
	if v.Equal(w) {
		return true
	}
	m, _ := VerdictMemberOf(member)
	return !m.Integer && v.Near(w)
}

// KnownMembers returns a verdict without the members that the protocol does not know: nobody compares them (PR-4).
func KnownMembers(verdict Value) Value {
	isUnknown := func(m Member) bool { _, known := VerdictMemberOf(m.Name); return !known }
	if !slices.ContainsFunc(verdict.Members(), isUnknown) {
		return verdict
	}
	return ObjectValue(slices.DeleteFunc(slices.Clone(verdict.Members()), isUnknown)...)
}

// CheckVerdict returns an error if v is not a verdict: no object, no boolean loop, or a member of a wrong type.
// Members that the protocol does not know are ignored.
func CheckVerdict(v Value) error {
	if v.Kind() != Object {
		return fmt.Errorf("a verdict must be an object, got %s", v.Kind())
	}
	if loop := v.Get("loop").Kind(); loop != Bool {
		return wrongVerdict("loop", Bool, loop)
	}
	for _, m := range v.Members() {
		if want, known := VerdictMemberOf(m.Name); known && m.Value.Kind() != want.Kind {
			return wrongVerdict(m.Name, want.Kind, m.Value.Kind())
		}
	}
	for i, index := range v.Get("evidence").Items() {
		if _, ok := index.Whole(); !ok {
			return fmt.Errorf("verdict member evidence/%d: want an integer, got %s", i, index)
		}
	}
	return nil
}

func wrongVerdict(member string, want, got Kind) error {
	return fmt.Errorf("verdict member %s: want %s, got %s", member, want, got)
}
