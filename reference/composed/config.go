package composed

import (
	"slices"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// Rule is one rule of a configuration; its members are those of CO-3.
type Rule struct {
	Name         string
	Same         Same
	Pattern      Pattern
	Tools        Tools
	Fresh        []string
	Changes      []Calls
	JudgesBefore bool
	Rungs        []Rung
}

// Same says what an item is, and which items are equal.
type Same struct {
	By, Results, Outcome, KeyOrder, Order string
	Prefix                                int // 0: the whole text
	Keep                                  []string
	Thought                               bool
}

// Pattern says which items are counted.
type Pattern struct {
	Sort                  string
	Last, From, To        int
	Varied, Highest, Full bool
}

// Rung is a count at which the rule reports, and how.
type Rung struct {
	Name, Severity, Speaks string
	At                     int
}

// MaxPeriod bounds the periods of a cycle. [CO-6]
const MaxPeriod = 100

// ReadConfig reads a configuration; its error is a [*spec.Fault] of kind [spec.InvalidConfig]. The names, the types and
// the defaults are those of the detector's row in [spec.Detectors].
func ReadConfig(v spec.Value) ([]Rule, error) {
	definition, _ := spec.DefinitionOf(spec.Composed)
	config, err := complete(spec.Parameter{Kind: spec.Object, Members: definition.Settings}, "", v)
	if err != nil {
		return nil, err
	}
	list := config.Get("rules").Items()
	rules := make([]Rule, len(list))
	for i, rule := range list {
		place := "rules/" + strconv.Itoa(i)
		if rules[i], err = readRule(place, named(rule, i)); err == nil && v.Get("rules").Kind() == spec.Array {
			err = rules[i].fault(place, v.Get("rules").Items()[i])
		}
		if err != nil {
			return nil, err
		}
	}
	return rules, distinct("rules", rules, func(r Rule) string { return r.Name })
}

// named gives a rule or rung without a name its number. [CO-3]
func named(v spec.Value, place int) spec.Value {
	if v.Get("name").IsAbsent() {
		return v.With("name", spec.StringValue(strconv.Itoa(place+1)))
	}
	return v
}

// distinct refuses an empty list, and two of one name. [CO-5]
func distinct[T any](place string, list []T, name func(T) string) error {
	if len(list) == 0 {
		return wrong(place, "want one at least")
	}
	seen := map[string]bool{}
	for i, one := range list {
		if seen[name(one)] {
			return wrong(place+"/"+strconv.Itoa(i)+"/name", "another one has it")
		}
		seen[name(one)] = true
	}
	return nil
}

// complete returns a value with the defaults that it lacks. Its error says what is not as the parameter wants it. [CO-4]
func complete(p spec.Parameter, place string, v spec.Value) (spec.Value, error) {
	text, _ := v.Str()
	number, isInteger := v.Int()
	switch {
	case v.IsAbsent() && !p.Default.IsAbsent():
		v = p.Default
	case v.IsAbsent() && p.Kind == spec.Object:
		v = spec.ObjectValue()
	case v.IsAbsent():
		return v, nil
	case v.Kind() != p.Kind:
		return v, wrong(place, "want %s, got %s", p.Kind, v)
	case p.Kind == spec.Number && (!isInteger || number < p.Least):
		return v, wrong(place, "want an integer of at least %d, got %s", p.Least, v)
	case p.Kind == spec.Number:
		return spec.IntValue(min(number, spec.MaxSetting)), nil
	case p.Kind == spec.String && text == "", p.Kind == spec.String && p.OneOf != nil && !slices.Contains(p.OneOf, text):
		return v, wrong(place, "want %s, got %s", wanted(p), v)
	}
	if p.Kind == spec.Array {
		return completeItems(p, place, v)
	}
	return completeMembers(p, place, v)
}

func wanted(p spec.Parameter) string {
	if p.OneOf != nil {
		return "one of " + strings.Join(p.OneOf, ", ")
	}
	return "a text"
}

func completeItems(p spec.Parameter, place string, v spec.Value) (spec.Value, error) {
	items := slices.Clone(v.Items())
	for i, item := range items {
		var err error
		of := spec.Parameter{Kind: p.Of, OneOf: p.OneOf, Members: p.Members}
		if items[i], err = complete(of, place+"/"+strconv.Itoa(i), item); err != nil {
			return v, err
		}
	}
	return spec.ArrayValue(items...), nil
}

func completeMembers(p spec.Parameter, place string, v spec.Value) (spec.Value, error) {
	if v.Kind() != spec.Object {
		return v, nil
	}
	for _, m := range v.Members() {
		if !slices.ContainsFunc(p.Members, func(known spec.Parameter) bool { return known.Name == m.Name }) {
			return v, wrong(join(place, m.Name), "unknown member")
		}
	}
	for _, member := range p.Members {
		value, err := complete(member, join(place, member.Name), v.Get(member.Name))
		if err != nil {
			return v, err
		}
		if !value.IsAbsent() {
			v = v.With(member.Name, value)
		}
	}
	return v, nil
}

func join(place, name string) string { return strings.TrimPrefix(place+"/"+name, "/") }

// wrong returns the fault at a place below rules. [CO-4] [CO-40]
func wrong(place, format string, args ...any) error {
	return spec.BadConfig("rules", place+": "+format, args...)
}

// readRule reads a complete rule.
func readRule(place string, v spec.Value) (r Rule, err error) {
	same, pattern, tools := v.Get("same"), v.Get("pattern"), v.Get("tools")
	r = Rule{
		Name: text(v, "name"), Fresh: texts(v, "fresh"), JudgesBefore: text(v, "judged") == "before",
		Same: Same{
			By: text(same, "by"), Results: text(same, "results"), Outcome: text(same, "outcome"),
			KeyOrder: text(same, "key_order"), Order: text(same, "order"), Prefix: number(same, "prefix"),
			Keep: texts(same, "keep"), Thought: same.Get("thought").IsTrue(),
		},
		Pattern: Pattern{
			Sort: text(pattern, "sort"), Last: number(pattern, "last"), From: number(pattern, "from"), To: number(pattern, "to"),
			Varied: pattern.Get("varied").IsTrue(), Highest: text(pattern, "counts") == "highest", Full: pattern.Get("full").IsTrue(),
		},
	}
	for i, rung := range v.Get("rungs").Items() {
		g := named(rung, i)
		r.Rungs = append(r.Rungs, Rung{text(g, "name"), text(g, "severity"), text(g, "speaks"), number(g, "at")})
	}
	for _, list := range []struct {
		into   *[]Calls
		in     spec.Value
		member string
	}{
		{&r.Tools.Only, tools, "only"}, {&r.Tools.Except, tools, "except"}, {&r.Tools.Silent, tools, "silent"},
		{&r.Tools.Watched, tools, "watched"}, {&r.Changes, v, "changes"},
	} {
		for _, name := range texts(list.in, list.member) {
			calls, err := callsOf(place+"/"+list.member, name)
			if err != nil {
				return r, err
			}
			*list.into = append(*list.into, calls)
		}
	}
	return r, nil
}

func text(v spec.Value, name string) string {
	text, _ := v.Get(name).Str()
	return text
}

func texts(v spec.Value, name string) (list []string) {
	for _, item := range v.Get(name).Items() {
		text, _ := item.Str()
		list = append(list, text)
	}
	return list
}

func number(v spec.Value, name string) int {
	n, _ := v.Get(name).Int()
	return n
}

// fault returns what does not go together in a rule: members that are written where they mean nothing, and values. [CO-6]
func (r Rule) fault(place string, written spec.Value) error {
	s, p := r.Same, r.Pattern
	single := s.By == "call" || s.By == "tool"
	for _, where := range []struct {
		holds   bool
		members []string
		reason  string
	}{
		{s.By == "call" || s.By == "step", []string{"same/key_order", "same/keep", "same/thought"}, "only by call and step"},
		{s.By == "step", []string{"same/order"}, "only by step"},
		{s.Results == "text", []string{"same/prefix"}, "only of the results text"},
		{s.By != "speech", []string{"same/results", "tools"}, "messages have none"},
		{single, []string{"same/outcome", "pattern/varied", "tools/silent", "tools/watched"}, "only by call and tool"},
		{p.Sort == "among" || p.Sort == "streak", []string{"pattern/last"}, "only of among and streak"},
		{p.Sort == "cycle", []string{"pattern/from", "pattern/to", "pattern/varied"}, "only of cycle"},
		{p.Sort == "among", []string{"pattern/counts", "pattern/full"}, "only of among"},
		{slices.Contains(r.Fresh, "change"), []string{"changes"}, "go with fresh: change"},
	} {
		for _, member := range where.members {
			part, name, _ := strings.Cut(member, "/")
			if value := written.Get(part); !where.holds && !value.IsAbsent() && (name == "" || !value.Get(name).IsAbsent()) {
				return wrong(place+"/"+member, "%s", where.reason)
			}
		}
	}
	for _, value := range []struct {
		legal          bool
		member, reason string
	}{
		{p.From <= p.To && p.To <= MaxPeriod, "pattern/to", "want at least from, and at most 100"},
		{p.Sort != "streak" || single && s.WithAnswers(), "pattern/sort", "a streak is of calls with their answers"},
		{!slices.Contains(r.Fresh, "message") || s.By != "speech", "fresh", "no two messages would be left"},
		{!slices.Contains(r.Fresh, "reply") || s.By != "step", "fresh", "no two steps would be left"},
		{!slices.Contains(r.Fresh, "call") || s.By == "speech", "fresh", "no two calls would be left"},
		{!slices.Contains(r.Fresh, "change") || r.Changes != nil, "changes", "go with fresh: change"},
		{!r.JudgesBefore || single && !p.Highest, "judged", "before goes with the calls that are judged"},
		{!r.JudgesBefore || p.Sort != "among" || !s.WithAnswers(), "judged", "what counts is known only after"},
	} {
		if !value.legal {
			return wrong(place+"/"+value.member, "%s", value.reason)
		}
	}
	for i, g := range r.Rungs {
		if i > 0 && g.At <= r.Rungs[i-1].At {
			return wrong(place+"/rungs/"+strconv.Itoa(i)+"/at", "want more than %d, that of the rung before", r.Rungs[i-1].At)
		}
	}
	return distinct(place+"/rungs", r.Rungs, func(g Rung) string { return g.Name })
}
