package spec

import (
	"fmt"
	"slices"
)

// VerdictKind names the rule that spoke.
type VerdictKind string

// The kinds of verdict, by detector.
const (
	KindExact       VerdictKind = "exact"        // fingerprint
	KindFuzzy       VerdictKind = "fuzzy"        // fingerprint
	KindTestFix     VerdictKind = "test_fix"     // fingerprint
	KindBashCascade VerdictKind = "bash_cascade" // fingerprint
	KindSummary     VerdictKind = "summary"      // fingerprint

	KindSignature VerdictKind = "signature" // signature

	KindRepeat    VerdictKind = "repeat"     // history
	KindToolLimit VerdictKind = "tool_limit" // history
	KindFirstWord VerdictKind = "first_word" // history

	KindRepeatingAction VerdictKind = "repeating_action" // crow
	KindRepeatingError  VerdictKind = "repeating_error"  // crow
	KindMonologue       VerdictKind = "monologue"        // crow
	KindAlternating     VerdictKind = "alternating"      // crow
	KindContextError    VerdictKind = "context_error"    // crow

	KindGlobal VerdictKind = "global" // swarm

	KindSimilar VerdictKind = "similar" // ralph

	KindMaxIterations     VerdictKind = "max_iterations"     // guards
	KindMaxRuntime        VerdictKind = "max_runtime"        // guards
	KindLoopDetection     VerdictKind = "loop_detection"     // guards
	KindConsecutiveErrors VerdictKind = "consecutive_errors" // guards
)

// Verdict is what a detector says after one event: the state after it, so that a detector whose rule still holds says
// so again. The zero Verdict says that there is no loop. A zero member is absent; Loop is always there.
type Verdict struct {
	Loop  bool        // after this event, is the agent stuck by this detector?
	Kind  VerdictKind // the rule that spoke; only with a loop
	Count int         // what the rule counted

	Tool       string
	Workers    int    // how many workers took part (swarm)
	Severity   string // notice, warning or critical (fingerprint)
	Signature  string // present wherever HasSignature, be it empty (signature)
	Similarity float64
	Confidence float64 // 0.0 to 1.0 (crow)
	Pattern    string  // crow
	Suggestion string  // crow
	Message    string  // the text to inject into the agent's conversation

	// Evidence holds the indices of exactly the events that the rule counted, ascending, from 0 since the session was
	// opened; reset does not turn the index back, and events from before a restore have none.
	Evidence []int

	HasSignature bool
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
	text := func(name, s string) {
		if s != "" {
			members = append(members, Member{name, StringValue(s)})
		}
	}
	number := func(name string, n int) {
		if n != 0 {
			members = append(members, Member{name, IntValue(n)})
		}
	}
	decimal := func(name string, f float64) {
		if f != 0 {
			members = append(members, Member{name, FloatValue(f)})
		}
	}
	text("kind", string(v.Kind))
	number("count", v.Count)
	text("tool", v.Tool)
	number("workers", v.Workers)
	text("severity", v.Severity)
	if v.HasSignature {
		members = append(members, Member{"signature", StringValue(v.Signature)})
	}
	decimal("similarity", v.Similarity)
	decimal("confidence", v.Confidence)
	text("pattern", v.Pattern)
	text("suggestion", v.Suggestion)
	text("message", v.Message)
	if v.Evidence != nil {
		members = append(members, Member{"evidence", IntsValue(v.Evidence)})
	}
	return ObjectValue(slices.Clone(members)...)
}

// verdictMembers is the protocol's table of verdicts; only loop must be there.
var verdictMembers = [...]memberType{
	{"loop", Bool, true},
	{"kind", String, false},
	{"count", Number, false},
	{"tool", String, false},
	{"workers", Number, false},
	{"severity", String, false},
	{"signature", String, false},
	{"similarity", Number, false},
	{"confidence", Number, false},
	{"pattern", String, false},
	{"suggestion", String, false},
	{"message", String, false},
	{"evidence", Array, false},
}

// verdictKinds is the same by name.
var verdictKinds = func() map[string]Kind {
	kinds := map[string]Kind{}
	for _, m := range verdictMembers {
		kinds[m.name] = m.kind
	}
	return kinds
}()

// VerdictMembers lists the names of all members that a verdict may have.
func VerdictMembers() []string {
	names := make([]string, len(verdictMembers))
	for i, m := range verdictMembers {
		names[i] = m.name
	}
	return names
}

// CheckVerdict returns an error where v is no verdict: no object, no boolean loop, or a member of a wrong type.
// Members that the protocol does not know are ignored.
func CheckVerdict(v Value) error {
	if v.Kind() != Object {
		return fmt.Errorf("a verdict must be an object, got %s", v.Kind())
	}
	if loop := v.Get("loop").Kind(); loop != Bool {
		return wrongVerdict("loop", Bool, loop)
	}
	for _, m := range v.Members() {
		if want, known := verdictKinds[m.Name]; known && m.Value.Kind() != want {
			return wrongVerdict(m.Name, want, m.Value.Kind())
		}
	}
	for i, index := range v.Get("evidence").Items() {
		if _, ok := index.Int(); !ok {
			return fmt.Errorf("verdict member evidence/%d: want an integer, got %s", i, index)
		}
	}
	return nil
}

func wrongVerdict(member string, want, got Kind) error {
	return fmt.Errorf("verdict member %s: want %s, got %s", member, want, got)
}
