package composed

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/reference/parts/memory"
	"github.com/loopstone/loopstone/spec"
)

// New returns the detector with an empty trace. Its error is a [*spec.Fault] of kind [spec.InvalidConfig].
func New(s spec.Settings) (spec.Detector, error) {
	list, err := RulesOf(s)
	if err != nil {
		return nil, err
	}
	return memory.NewDetector(rules(list).fresh, rules(list).observe), nil
}

// RulesOf returns the rules of a configuration. Its error is a [*spec.Fault] of kind [spec.InvalidConfig].
func RulesOf(s spec.Settings) ([]Rule, error) {
	written := s.Value("rules").Items()
	list := make([]Rule, len(written))
	for i, settings := range s.Objects("rules") {
		place := "rules/" + strconv.Itoa(i)
		r, err := ruleOf(place, i, settings)
		if err = cmp.Or(err, unfit(place, r, written[i]), r.fault(place)); err != nil {
			return nil, err
		}
		list[i] = r
	}
	return list, distinct("rules", list, func(r Rule) string { return r.Name })
}

func ruleOf(place string, i int, s spec.Settings) (Rule, error) {
	same, pattern, tools := s.Object("same"), s.Object("pattern"), s.Object("tools")
	r := Rule{
		Name: nameOf(s, i),
		Same: Same{
			By: same.Text("by"), KeyOrder: same.Text("key_order"), Keep: same.Texts("keep"), Omit: same.Texts("omit"),
			Thought: same.IsTrue("thought"),
			Results: same.Text("results"), Prefix: cmp.Or(same.Number("prefix"), math.MaxInt), Outcome: same.Text("outcome"),
			Order: same.Text("order"),
		},
		Pattern: Pattern{
			Sort: pattern.Text("sort"), Last: pattern.Number("last"),
			Highest: pattern.Text("counts") == "highest", Full: pattern.IsTrue("full"),
			Seconds: pattern.Number("seconds"),
			From:    pattern.Number("from"), To: pattern.Number("to"), Varied: pattern.IsTrue("varied"),
		},
		Fresh:        s.Texts("fresh"),
		JudgesBefore: s.Text("judged") == "before",
	}
	for k, g := range s.Objects("rungs") {
		r.Rungs = append(r.Rungs, Rung{nameOf(g, k), g.Text("severity"), g.Number("at"), g.Text("speaks")})
	}
	err := cmp.Or(
		readCalls(&r.Tools.Only, tools, "only", place+"/tools"),
		readCalls(&r.Tools.Except, tools, "except", place+"/tools"),
		readCalls(&r.Tools.Silent, tools, "silent", place+"/tools"),
		readCalls(&r.Tools.Watched, tools, "watched", place+"/tools"),
		readCalls(&r.Changes, s, "changes", place),
	)
	return r, err
}

// nameOf is the name of a rule or rung: without one, its number.
func nameOf(s spec.Settings, i int) string { // CO-3
	if s.Value("name").IsAbsent() {
		return strconv.Itoa(i + 1)
	}
	return s.Text("name")
}

// readCalls reads a list of entries such as "bash", "*_poll" or "process?action=poll".
func readCalls(into *Calls, s spec.Settings, list, place string) error { // CO-19
	for _, entry := range s.Texts(list) {
		tool, condition, conditional := strings.Cut(entry, "?")
		argument, text, complete := strings.Cut(condition, "=")
		if tool == "" || conditional && (argument == "" || !complete) { // CO-4, CO-20
			return wrong(place+"/"+list, "want a tool, or tool?argument=text, got %q", entry)
		}
		*into = append(*into, Entry{ToolPattern(tool), argument, text})
	}
	return nil
}

// wrong returns the fault at a place.
func wrong(place, format string, args ...any) error { // CO-4, CO-40
	return spec.BadConfig("rules", place+": "+format, args...)
}

// distinct refuses an empty list, an empty name, and two equal names.
func distinct[T any](place string, list []T, name func(T) string) error { // CO-4, CO-5
	if len(list) == 0 {
		return wrong(place, "want one at least")
	}
	seen := map[string]bool{"": true}
	for i, one := range list {
		if seen[name(one)] {
			return wrong(place+"/"+strconv.Itoa(i)+"/name", "want a name that no other has, got %q", name(one))
		}
		seen[name(one)] = true
	}
	return nil
}

// The limits of settings.
const (
	MaxPeriod  = 100       // of a cycle; CO-6
	MaxSeconds = 1_000_000 // CO-6
)

// unfit returns the fault of a member that the rule writes and may not write: the first part of the table of CO-6.
func unfit(place string, r Rule, written spec.Value) error {
	by := func(words ...string) bool { return slices.Contains(words, r.Same.By) }
	sort := func(words ...string) bool { return slices.Contains(words, r.Pattern.Sort) }
	onlyIf := func(members string, holds bool, condition string) error {
		for member := range strings.FieldsSeq(members) {
			part, name, nested := strings.Cut(member, "/")
			v := written.Get(part)
			if nested {
				v = v.Get(name)
			}
			if !holds && !v.IsAbsent() {
				return wrong(place+"/"+member, "may be written only if %s", condition)
			}
		}
		return nil
	}
	return cmp.Or( // CO-6
		onlyIf("same/key_order same/keep same/omit same/thought", by("call", "step"), "by is call or step"),
		onlyIf("same/order", by("step"), "by is step"),
		onlyIf("same/results tools", !r.isOfTexts(), "by is call, tool or step"),
		onlyIf("same/prefix", r.Same.Results == "text", "results is text"),
		onlyIf("same/outcome tools/silent tools/watched pattern/varied", r.isOfCalls(), "by is call or tool"),
		onlyIf("pattern/last", sort("among", "streak", "revisit"), "sort is among, streak or revisit"),
		onlyIf("pattern/from pattern/to pattern/varied", sort("cycle", "periodic"), "sort is cycle or periodic"),
		onlyIf("pattern/counts pattern/full pattern/seconds", sort("among"), "sort is among"),
		onlyIf("changes", slices.Contains(r.Fresh, "change"), "change is in fresh"),
	)
}

// isOfTexts reports whether each item is a message or a piece of text.
func (r Rule) isOfTexts() bool {
	return slices.Contains([]string{"speech", "message", "piece"}, r.Same.By)
}

// isOfCalls reports whether each item is a call, with its answer or without it.
func (r Rule) isOfCalls() bool { return r.Same.By == "call" || r.Same.By == "tool" }

// fault returns the fault of a value that does not fit the other values: the second part of the table of CO-6.
func (r Rule) fault(place string) error {
	return cmp.Or(r.faultOfItems(ruleAt(place)), r.faultOfJudging(ruleAt(place)), r.faultOfRungs(place))
}

// ruleAt is the place of a rule, such as rules/0.
type ruleAt string

// legal returns a fault that begins with the place, unless what must hold does.
func (place ruleAt) legal(holds bool, fault string) error {
	if holds {
		return nil
	}
	return spec.BadConfig("rules", "%s/%s", string(place), fault) // CO-40
}

func (r Rule) faultOfItems(at ruleAt) error {
	s, p := r.Same, r.Pattern
	return cmp.Or( // CO-6
		at.legal(!slices.Contains(s.Keep, ""), "same/keep: want names that are not empty"), // CO-4
		at.legal(!slices.Contains(s.Omit, ""), "same/omit: want names that are not empty"), // CO-4
		at.legal(s.Omit == nil || s.Keep == nil, "same/omit: what keep does not name is omitted"),
		at.legal(s.Results != "any" || r.isOfCalls(), "same/results: any, only a single call awaits its answer"),
		at.legal(p.From <= p.To && p.To <= MaxPeriod, "pattern/to: want at least from, and at most 100"),
		at.legal(p.Seconds <= MaxSeconds, "pattern/seconds: want at most 1000000"),
		at.legal(p.Sort != "streak" || r.isOfCalls() && s.WithAnswers(), "pattern/sort: a streak is of answered calls"),
	)
}

func (r Rule) faultOfJudging(at ruleAt) error {
	by, sort := r.Same.By, r.Pattern.Sort
	fresh := func(word string) bool { return slices.Contains(r.Fresh, word) }
	return cmp.Or( // CO-6
		at.legal(!fresh("message") || by != "speech" && by != "message", "fresh: no message would meet another"),
		at.legal(!fresh("reply") || by != "step", "fresh: each reply would make the rule forget all steps"),
		at.legal(!fresh("call") || r.isOfTexts(), "fresh: each call would make the rule forget all others"),
		at.legal(!fresh("change") || r.Changes != nil, "changes: fresh: change needs calls whose success is one"),
		at.legal(!r.JudgesBefore || r.isOfCalls(), "judged: only a call can be judged before its item is recorded"),
		at.legal(!r.JudgesBefore || !r.Pattern.Highest, "judged: before, only the current call is counted"),
		at.legal(!r.JudgesBefore || sort != "revisit", "judged: before an item is recorded, it is no revisit"),
		at.legal(!r.JudgesBefore || sort != "among" || !r.Same.WithAnswers(), "judged: before, among has no answers"),
	)
}

// faultOfRungs returns the fault of rungs that do not rise, or of two rungs with the same name.
func (r Rule) faultOfRungs(place string) error { // CO-5, CO-6
	for i, g := range r.Rungs {
		if i > 0 && g.At <= r.Rungs[i-1].At {
			return wrong(place+"/rungs/"+strconv.Itoa(i)+"/at", "want more than %d, as the rung before", r.Rungs[i-1].At)
		}
	}
	return distinct(place+"/rungs", r.Rungs, func(g Rung) string { return g.Name })
}
