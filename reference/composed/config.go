package composed

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// Rule is one rule of a configuration, with the members of CO-3.
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

// MaxPeriod bounds the periods of a cycle.
const MaxPeriod = 100 // CO-6

// RulesOf returns the rules of a configuration. It assumes that names and types are as the detector's row demands. Its
// error is a [*spec.Fault] of kind [spec.InvalidConfig].
func RulesOf(s spec.Settings) ([]Rule, error) {
	row, _ := spec.DefinitionOf(spec.Composed)
	list := s.Value("rules").Items()
	rules := make([]Rule, len(list))
	for i, written := range list {
		place := "rules/" + strconv.Itoa(i)
		r, err := ruleOf(place, i, members{written, row.Settings[0].Members})
		if err == nil {
			err = r.misplaced(place, written)
		}
		if err == nil {
			err = r.fault(place)
		}
		if err != nil {
			return nil, err
		}
		rules[i] = r
	}
	return rules, distinct("rules", rules, func(r Rule) string { return r.Name })
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

// members reads the members of an object, with defaults for absent members.
type members struct { // CO-3
	written spec.Value
	row     []spec.Parameter
}

func (m members) value(name string) spec.Value {
	v := m.written.Get(name)
	if i := slices.IndexFunc(m.row, func(p spec.Parameter) bool { return p.Name == name }); v.IsAbsent() {
		return m.row[i].Default
	}
	return v
}

// of returns a reader of v, the object or list of objects that is the member of this name.
func (m members) of(name string, v spec.Value) members {
	i := slices.IndexFunc(m.row, func(p spec.Parameter) bool { return p.Name == name })
	return members{v, m.row[i].Members}
}

func (m members) text(name string) string {
	text, _ := m.value(name).Str()
	return text
}

func (m members) is(name string) bool { return m.value(name).IsTrue() }

func (m members) number(name string) int {
	n, _ := m.value(name).Int()
	return min(n, spec.MaxSetting)
}

func (m members) texts(name string) (list []string) {
	for _, item := range m.value(name).Items() {
		text, _ := item.Str()
		list = append(list, text)
	}
	return list
}

// name is the name of a rule or rung: without one, its number.
func (m members) name(place int) string { // CO-3
	if m.written.Get("name").IsAbsent() {
		return strconv.Itoa(place + 1)
	}
	return m.text("name")
}

func ruleOf(place string, i int, m members) (Rule, error) {
	same, pattern := m.of("same", m.value("same")), m.of("pattern", m.value("pattern"))
	r := Rule{
		Name: m.name(i), Fresh: m.texts("fresh"), JudgesBefore: m.text("judged") == "before",
		Same: Same{
			By: same.text("by"), Results: same.text("results"), Outcome: same.text("outcome"),
			KeyOrder: same.text("key_order"), Order: same.text("order"),
			Prefix: same.number("prefix"), Keep: same.texts("keep"), Thought: same.is("thought"),
		},
		Pattern: Pattern{
			Sort: pattern.text("sort"), Last: pattern.number("last"), From: pattern.number("from"), To: pattern.number("to"),
			Varied: pattern.is("varied"), Highest: pattern.text("counts") == "highest", Full: pattern.is("full"),
		},
	}
	for k, rung := range m.value("rungs").Items() {
		g := m.of("rungs", rung)
		r.Rungs = append(r.Rungs, Rung{g.name(k), g.text("severity"), g.text("speaks"), g.number("at")})
	}
	var err error
	r.Tools, err = toolsOf(place+"/tools", m.of("tools", m.value("tools")))
	if err == nil {
		r.Changes, err = callsOf(place+"/changes", m.texts("changes"))
	}
	return r, err
}

// callsOf reads names such as "bash", "*_poll" or "process?action=poll".
func callsOf(place string, names []string) (sets []Calls, err error) { // CO-19
	for _, name := range names {
		tool, condition, conditional := strings.Cut(name, "?")
		argument, text, complete := strings.Cut(condition, "=")
		if tool == "" || conditional && (argument == "" || !complete) { // CO-20
			return nil, wrong(place, "want a tool, or tool?argument=text, got %q", name)
		}
		pattern := strings.ReplaceAll(regexp.QuoteMeta(tool), `\*`, `.*`)
		sets = append(sets, Calls{regexp.MustCompile(`(?s)^` + pattern + `$`), argument, text})
	}
	return sets, nil
}

func toolsOf(place string, m members) (t Tools, err error) {
	for _, list := range []struct {
		name string
		into *[]Calls
	}{{"only", &t.Only}, {"except", &t.Except}, {"silent", &t.Silent}, {"watched", &t.Watched}} {
		if *list.into, err = callsOf(place+"/"+list.name, m.texts(list.name)); err != nil {
			return t, err
		}
	}
	return t, nil
}

// misplaced returns the fault of a member that the rule may not write. (CO-6)
func (r Rule) misplaced(place string, written spec.Value) error {
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
	return nil
}

// fault returns the fault of a value that does not fit the other values of the rule. (CO-6)
func (r Rule) fault(place string) error {
	s, p := r.Same, r.Pattern
	single := s.By == "call" || s.By == "tool"
	for _, value := range []struct {
		legal          bool
		member, reason string
	}{
		{p.From <= p.To && p.To <= MaxPeriod, "pattern/to", "want at least from, and at most 100"},
		{p.Sort != "streak" || single && s.WithAnswers(), "pattern/sort", "a streak is of calls with their answers"},
		{!slices.Contains(s.Keep, ""), "same/keep", "want names that are not empty"},
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
	return r.faultOfRungs(place)
}

// faultOfRungs returns the fault of rungs that do not rise, or of two rungs with the same name. (CO-6)
func (r Rule) faultOfRungs(place string) error {
	for i, g := range r.Rungs {
		if i > 0 && g.At <= r.Rungs[i-1].At {
			return wrong(place+"/rungs/"+strconv.Itoa(i)+"/at", "want more than %d, that of the rung before", r.Rungs[i-1].At)
		}
	}
	return distinct(place+"/rungs", r.Rungs, func(g Rung) string { return g.Name })
}

// AsksArguments reports whether a set of the rule depends on the arguments of the tool's calls.
func (r Rule) AsksArguments(tool string) bool {
	sets := slices.Concat(r.Tools.Only, r.Tools.Except, r.Tools.Silent, r.Tools.Watched, r.Changes)
	return slices.ContainsFunc(sets, func(c Calls) bool { return c.argument != "" && c.tool.MatchString(tool) })
}
