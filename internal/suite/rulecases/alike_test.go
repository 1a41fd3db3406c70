package rulecases

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/internal/testing/faultyadapter"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/reference/stream"
	"github.com/loopstone/loopstone/spec"
)

// TestPortsOfProfilesCompareAsTheyShall plants each way to get equality wrong in a port of each profile whose rules it
// breaks: the cases that are made for the profile notice each.
func TestPortsOfProfilesCompareAsTheyShall(t *testing.T) {
	if testing.Short() {
		t.Skip("each way in each profile: make long runs it")
	}
	t.Parallel()
	all, err := profile.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		planted := lists.Filter(mistakes(), func(m mistake) bool { return m.breaks(p.Offer()) })
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			notices(t, p.Offer(), planted)
		})
	}
	for _, m := range mistakes() {
		if !slices.ContainsFunc(all, func(p profile.Profile) bool { return m.breaks(p.Offer()) }) {
			t.Errorf("%s: %s: it is planted in no profile", m.Part, m.Name)
		}
	}
}

// TestDeclaredRulesCompareAsTheyShall does the same for rules that a port declares.
func TestDeclaredRulesCompareAsTheyShall(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ reason, rules string }{
		{"a run of results", `[{"same":{"results":"text","thought":true,"key_order":"kept"},"rungs":[{"at":4}]}]`},
		{"steps", `[{"same":{"by":"step","results":"text"},"pattern":{"sort":"among","last":6},"rungs":[{"at":3}]}]`},
		{"failures of a tool", `[{"same":{"by":"tool","results":"text","outcome":"failed"},"judged":"before"}]`},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			offer := ownRules("@mine", `{"rules":`+tt.rules+`}`)
			notices(t, offer, lists.Filter(mistakes(), func(m mistake) bool { return m.breaks(offer) }))
		})
	}
}

// notices reports each way to get equality wrong that the cases of rules do not notice.
func notices(t *testing.T, offer spec.Offer, planted []mistake) {
	t.Helper()
	made, others := lists.Partition(askedOf(t, offer), func(c cases.Case) bool { return strings.Contains(c.ID, "-alike-") })
	if len(planted) < 3 || len(made) < 5 {
		t.Errorf("%d ways are planted, and %d cases made", len(planted), len(made))
	}
	for _, e := range planted {
		port := e.Of(reference.Port(offer))
		if passes(t, port, made) && passes(t, port, others) {
			t.Errorf("%s: %s: no case notices it", e.Part, e.Name)
		}
	}
}

func passes(t *testing.T, port spec.Port, asked []cases.Case) bool {
	t.Helper()
	return outcomeOf(t, port, asked) == conformance.Conformant
}

// outcomeOf returns the outcome of a run that stops at its first failure.
func outcomeOf(t *testing.T, port spec.Port, asked []cases.Case) conformance.Outcome {
	t.Helper()
	options := conformance.Options{FailFast: true, Suite: conformance.SuiteInfo{Selected: len(asked)}}
	r, err := conformance.Run(t.Context(), port, asked, options)
	if err != nil {
		t.Fatal(err)
	}
	return r.Outcome()
}

// mistake is a way to get equality wrong in a part of events that rules of composed or stream compare.
type mistake struct {
	faultyadapter.Equality

	pairs []twins // events that the port takes for the same
}

var mistakes = sync.OnceValue(func() (list []mistake) {
	for _, e := range faultyadapter.Equalities() {
		m := mistake{Equality: e}
		for _, l := range likenesses {
			m.pairs = append(m.pairs, lists.Filter(l.samples(e.Part), func(p twins) bool {
				return e.Changed(p.one).String() == e.Changed(p.other).String()
			})...)
		}
		if !slices.Contains(partsOfRules, e.Part) {
			continue
		}
		list = append(list, m)
	}
	return list
})

// partsOfRules are the parts that rules of composed and stream may compare.
var partsOfRules = []faultyadapter.Part{
	faultyadapter.Tools, faultyadapter.Arguments, faultyadapter.Texts, faultyadapter.Answers, faultyadapter.Thoughts, faultyadapter.Pieces, faultyadapter.Messages,
}

// breaks reports whether a port that makes a mistake breaks the rules: they compare the part, and tell two events apart
// that a port may be asked and that this one takes for the same.
func (m mistake) breaks(rules spec.Offer) bool {
	return compare(rules, m.Part) && slices.ContainsFunc(m.pairs, func(pair twins) bool {
		return tellApart(rules, pair) && mayBeAsked(rules, pair)
	})
}

// compare reports whether one of the rules compares a part of events.
func compare(rules spec.Offer, part faultyadapter.Part) bool {
	if rules.Detector.Row() == spec.Stream {
		return part == faultyadapter.Pieces
	}
	return slices.ContainsFunc(rulesOf(rules.Fixed), func(r rule) bool {
		switch part {
		case faultyadapter.Tools:
			return r.ofCalls() && len(r.Tools.Only) == 0 // no two tools that it looks at are alike
		case faultyadapter.Texts, faultyadapter.Arguments:
			return r.ofCalls() && r.Same.By != "tool"
		case faultyadapter.Answers:
			return r.Same.Results == "text"
		case faultyadapter.Thoughts:
			return r.Same.Thought
		case faultyadapter.Pieces:
			return r.Same.By == "piece"
		case faultyadapter.Messages:
			return r.Same.By == "message"
		default:
			return false
		}
	})
}

// tellApart reports whether a rule tells two events apart that differ: not two orders of members if it keeps none, not
// two texts that differ behind the characters that it compares, and not two lines that differ in the blanks at their
// ends.
func tellApart(rules spec.Offer, pair twins) bool {
	one, other := pair.one, pair.other
	if c := profile.StreamOf(rules.Fixed); rules.Detector.Row() == spec.Stream {
		return len(c.Rules) > 1 || c.Rules[0] != spec.KindLines || linesOf(one) != linesOf(other)
	}
	return slices.ContainsFunc(rulesOf(rules.Fixed), func(r rule) bool {
		begins := func(v spec.Value) string {
			text, _ := v.Get("content").Str()
			characters := []rune(text)
			return string(characters[:min(len(characters), r.Same.Prefix)])
		}
		switch {
		case r.comparesTexts():
			return !one.Equal(other)
		case !one.Get("content").IsAbsent():
			return r.Same.Results == "text" && begins(one) != begins(other)
		case r.Same.KeyOrder == "kept":
			return one.String() != other.String()
		default:
			return !one.Equal(other)
		}
	})
}

// linesOf returns the text of a piece as the rule lines compares it.
func linesOf(piece spec.Value) string {
	text, _ := piece.Get("text").Str()
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = stream.Trimmed(lines[i])
	}
	return strings.Join(lines, "\n")
}

// mayBeAsked reports whether two events show no gap that the profile states, and whether as many pieces of their length
// as make a loop are no longer than a trace may be.
func mayBeAsked(rules spec.Offer, pair twins) bool {
	if text, isPiece := pair.one.Get("text").Str(); isPiece && rules.Detector.Row() == spec.Composed {
		isLoop := func(r rule) bool { return r.Rungs[0].At*len([]rune(text)) <= MostCharacters }
		if !slices.ContainsFunc(rulesOf(rules.Fixed), isLoop) {
			return false
		}
	}
	call := called(plainTools[0], 0)
	for _, event := range []spec.Value{pair.one, pair.other} {
		trace := []spec.Value{call, event}
		if spec.TypeOf(event) == spec.ToolCall {
			trace = []spec.Value{event, spec.MustParse(`{"type":"tool_result","content":""}`)}
		}
		if len(askable(rules.Detector, laws.Observing(trace))) < len(trace) {
			return false
		}
	}
	return true
}

// samples returns the pairs of a likeness as events that differ in a part.
func (l likeness) samples(part faultyadapter.Part) (list []twins) {
	add := func(pairs []twins, put func(spec.Value) spec.Value) {
		for _, p := range pairs {
			list = append(list, twins{put(p.one), put(p.other)})
		}
	}
	texts := twinTexts(l.texts)
	call := called(plainTools[0], 0)
	argument := func(v spec.Value) spec.Value { return rule{}.withArgument(call, v) }
	switch part {
	case faultyadapter.Tools:
		add(texts, func(v spec.Value) spec.Value { return call.With("tool", v) })
	case faultyadapter.Texts:
		add(texts, argument)
	case faultyadapter.Arguments:
		add(twinsOf(l.values), argument)
		add(twinsOf(l.members), func(v spec.Value) spec.Value { return withArguments(call, v) })
	case faultyadapter.Answers:
		add(texts, func(v spec.Value) spec.Value { return event("tool_result").With("content", v) })
	case faultyadapter.Thoughts:
		add(texts, func(v spec.Value) spec.Value { return call.With("thought", v) })
	case faultyadapter.Pieces:
		add(texts, func(v spec.Value) spec.Value { return event("delta").With("text", v) })
	case faultyadapter.Messages:
		add(texts, func(v spec.Value) spec.Value {
			return event("message", "role", "assistant").With("content", v)
		})
	}
	return list
}
