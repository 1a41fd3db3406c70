package composed

import (
	"slices"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// rule is one rule of a configuration: what makes two items the same, which pattern of them counts, what starts afresh,
// and what it says then.
type rule struct {
	name    string
	same    same
	pattern pattern
	tools   tools
	fresh   []string
	changes []toolPattern
	before  bool // it judges a call before that is recorded
	rungs   []rung
}

// same says what an item is, and what makes two of them equal.
type same struct {
	by           string
	results      string
	outcome      string
	keyOrder     string
	strip        []string // members of arguments that do not count
	stripResults []string // members of results that do not count
	thought      bool     // the thought before the call counts
}

// pattern says which items are counted.
type pattern struct {
	sort     string
	last     int  // how many items the window holds
	from, to int  // the periods of a cycle
	varied   bool // its laps must have different calls
	counts   string
	full     bool // the window must be full
}

// tools says which calls a rule sees, and after which it speaks.
type tools struct{ only, except, silent, watched []toolPattern }

// rung is one step of a rule's ladder.
type rung struct {
	name, severity, speaks string

	at  int
	own map[string]int // for some tools, another threshold
}

// The words of a configuration.
var (
	ways       = []string{"call", "tool", "step", "message", "speech"}
	results    = []string{"none", "text", "outcome", "exit_code"}
	outcomes   = []string{"any", "ok", "failed"}
	keyOrders  = []string{"any", "kept"}
	sorts      = []string{"run", "among", "cycle", "interleaved", "streak"}
	countings  = []string{"current", "highest"}
	starts     = []string{"user", "reply", "message", "call", "change"}
	moments    = []string{"after", "before"}
	severities = []string{"notice", "warning", "critical"}
	manners    = []string{"each", "once", "restart", "stays"}
)

// longestPeriod bounds the periods of a cycle, and so the work that an item costs.
const longestPeriod = 100

// looksAtAnswers reports whether an item is a call with its answer. [CO-7]
func (s same) looksAtAnswers() bool { return s.results != "none" || s.outcome != "any" }

// isOfCalls reports whether the items are single calls.
func (s same) isOfCalls() bool { return s.by == "call" || s.by == "tool" }

// isOfMessages reports whether the items are messages.
func (s same) isOfMessages() bool { return s.by == "message" || s.by == "speech" }

// readConfig reads a configuration; its error is a [*spec.Fault] of kind [spec.InvalidConfig].
func readConfig(v spec.Value) ([]rule, error) {
	rules := []rule{usual("1")} // CO-3
	err := spec.ReadConfig(v, map[string]spec.Setting{"rules": readRules(&rules)})
	if fault, ok := err.(*spec.Fault); ok && fault.Kind == spec.InvalidConfig {
		field, _, _ := strings.Cut(fault.Field, "/")
		return nil, spec.BadConfig(field, "%s: %s", fault.Field, fault.Message) // CO-4, CO-40
	}
	return rules, err
}

// readRules reads the list; a name stands for one rule. [CO-5]
func readRules(into *[]rule) spec.Setting {
	return func(field string, v spec.Value) error {
		var rules []rule
		if err := listOf(&rules, readRule)(field, v); err != nil {
			return err
		}
		if len(rules) == 0 {
			return wrong(field, "want one at least") // CO-5
		}
		for i, r := range rules {
			if slices.ContainsFunc(rules[:i], func(o rule) bool { return o.name == r.name }) {
				return wrong(field+"/"+strconv.Itoa(i)+"/name", "another rule has it") // CO-5
			}
		}
		*into = rules
		return nil
	}
}

// usual is a rule with the defaults: three equal calls in a row. [CO-3]
func usual(name string) rule {
	return rule{
		name:    name,
		same:    same{by: "call", results: "none", outcome: "any"},
		pattern: pattern{sort: "run", last: 20, from: 2, to: 5, counts: "current"},
		rungs:   []rung{usualRung("1")},
	}
}

func usualRung(name string) rung {
	return rung{name: name, severity: "critical", at: 3} // CO-3
}

// readRule reads the rule that stands at a place of the list.
func readRule(place int, v spec.Value) (rule, error) {
	r := usual(strconv.Itoa(place + 1)) // CO-3
	var moment string
	err := object(map[string]spec.Setting{
		"name": text(&r.name),
		"same": object(map[string]spec.Setting{
			"by": oneOf(ways, &r.same.by), "results": oneOf(results, &r.same.results),
			"outcome": oneOf(outcomes, &r.same.outcome), "key_order": oneOf(keyOrders, &r.same.keyOrder),
			"strip": texts(&r.same.strip), "strip_results": texts(&r.same.stripResults), "thought": truth(&r.same.thought),
		}),
		"pattern": object(map[string]spec.Setting{
			"sort": oneOf(sorts, &r.pattern.sort), "last": spec.AtLeast(1, &r.pattern.last),
			"from": spec.AtLeast(1, &r.pattern.from), "to": spec.AtLeast(1, &r.pattern.to),
			"counts": oneOf(countings, &r.pattern.counts), "full": truth(&r.pattern.full),
			"varied": truth(&r.pattern.varied),
		}),
		"tools": object(map[string]spec.Setting{
			"only": patterns(&r.tools.only), "except": patterns(&r.tools.except),
			"silent": patterns(&r.tools.silent), "watched": patterns(&r.tools.watched),
		}),
		"fresh":   listOf(&r.fresh, each(func(s *string) spec.Setting { return oneOf(starts, s) })),
		"changes": patterns(&r.changes),
		"judged":  oneOf(moments, &moment),
		"rungs":   listOf(&r.rungs, readRung),
	})("", v)
	r.before = moment == "before"
	if err == nil {
		err = r.sense(v)
	}
	return r, err
}

func readRung(place int, v spec.Value) (rung, error) {
	r := usualRung(strconv.Itoa(place + 1)) // CO-3
	err := object(map[string]spec.Setting{
		"name": text(&r.name), "severity": oneOf(severities, &r.severity), "at": spec.AtLeast(1, &r.at),
		"speaks": oneOf(manners, &r.speaks), "own": numbers(&r.own),
	})("", v)
	return r, err
}

// sense returns the fault of a rule whose members do not go together. What is written is a fault whatever it says, what
// is not never. [CO-6]
func (r rule) sense(written spec.Value) error {
	says := func(place ...string) bool {
		v := written
		for _, name := range place {
			v = v.Get(name)
		}
		return !v.IsAbsent()
	}
	s, p := r.same, r.pattern
	windowed := p.sort == "among" || p.sort == "interleaved" || p.sort == "streak"
	for _, w := range []struct {
		is    bool
		fault error
	}{
		{says("same", "key_order") && s.by != "call" && s.by != "step", wrong("same/key_order", "only of call and step")},
		{says("same", "strip") && s.by != "call" && s.by != "step", wrong("same/strip", "only of call and step")},
		{says("same", "thought") && s.by != "call" && s.by != "step", wrong("same/thought", "only of call and step")},
		{says("same", "results") && s.isOfMessages(), wrong("same/results", "a message has none")},
		{says("same", "outcome") && !s.isOfCalls(), wrong("same/outcome", "only of call and tool")},
		{says("same", "strip_results") && s.results != "text", wrong("same/strip_results", "only of the results text")},
		{says("pattern", "last") && !windowed, wrong("pattern/last", "only of among, interleaved and streak")},
		{says("pattern", "from") && p.sort != "cycle", wrong("pattern/from", "only of cycle")},
		{says("pattern", "to") && p.sort != "cycle", wrong("pattern/to", "only of cycle")},
		{p.to < p.from, wrong("pattern/to", "want at least from")},
		{p.to > longestPeriod, wrong("pattern/to", "want at most 100")},
		{says("pattern", "counts") && p.sort != "among", wrong("pattern/counts", "only of among")},
		{says("pattern", "full") && p.sort != "among", wrong("pattern/full", "only of among")},
		{says("pattern", "varied") && p.sort != "cycle", wrong("pattern/varied", "only of cycle")},
		{says("pattern", "varied") && !s.isOfCalls(), wrong("pattern/varied", "only of call and tool")},
		{p.sort == "streak" && (!s.isOfCalls() || !s.looksAtAnswers()), wrong("pattern/sort", "a streak needs calls and their results")},
		{says("tools") && s.isOfMessages(), wrong("tools", "a message has none")},
		{says("tools", "silent") && !s.isOfCalls(), wrong("tools/silent", "only of call and tool")},
		{says("tools", "watched") && !s.isOfCalls(), wrong("tools/watched", "only of call and tool")},
		{slices.Contains(r.fresh, "message") && s.isOfMessages(), wrong("fresh", "no two messages would be left")},
		{slices.Contains(r.fresh, "reply") && s.by == "step", wrong("fresh", "no two steps would be left")},
		{slices.Contains(r.fresh, "call") && !s.isOfMessages(), wrong("fresh", "no two calls would be left")},
		{slices.Contains(r.fresh, "change") && len(r.changes) == 0, wrong("changes", "go with fresh: change")},
		{says("changes") && !slices.Contains(r.fresh, "change"), wrong("changes", "go with fresh: change")},
		{r.before && !s.isOfCalls(), wrong("judged", "only calls are judged before")},
		{r.before && s.looksAtAnswers() && (p.sort == "among" || p.sort == "interleaved"), wrong("judged", "what counts is known only after")},
		{r.before && p.counts == "highest", wrong("judged", "what counts need not be the current call")},
		{len(r.rungs) == 0, wrong("rungs", "want one at least")}, // CO-5
	} {
		if w.is {
			return w.fault
		}
	}
	return r.climb()
}

// climb returns the fault of a ladder. [CO-5] [CO-6]
func (r rule) climb() error {
	for i, g := range r.rungs {
		switch {
		case i > 0 && g.at <= r.rungs[i-1].at:
			return wrong("rungs/"+strconv.Itoa(i)+"/at", "want more than %d, that of the rung before", r.rungs[i-1].at)
		case g.own != nil && !r.same.isOfCalls():
			return wrong("rungs/"+strconv.Itoa(i)+"/own", "only of call and tool")
		case slices.ContainsFunc(r.rungs[:i], func(o rung) bool { return o.name == g.name }): // CO-5
			return wrong("rungs/"+strconv.Itoa(i)+"/name", "another rung has it") // CO-5
		}
	}
	return nil
}

// The readers of one member each. Their faults name the place below it.

func listOf[T any](into *[]T, read func(place int, v spec.Value) (T, error)) spec.Setting {
	return func(field string, v spec.Value) error {
		if v.Kind() != spec.Array {
			return wrong(field, "want an array, got %s", v)
		}
		list := make([]T, len(v.Items()))
		for i, item := range v.Items() {
			var err error
			if list[i], err = read(i, item); err != nil {
				return below(field+"/"+strconv.Itoa(i), err)
			}
		}
		*into = list
		return nil
	}
}

// wrong returns the fault at a place below rules. [CO-4]
func wrong(place, format string, args ...any) error { return spec.BadConfig(place, format, args...) }

// below moves a fault from a member to the place where that stands.
func below(place string, err error) error {
	fault := err.(*spec.Fault)
	return wrong(strings.Trim(place+"/"+fault.Field, "/"), "%s", fault.Message)
}

func object(settings map[string]spec.Setting) spec.Setting {
	return func(field string, v spec.Value) error {
		if err := spec.ReadConfig(v, settings); err != nil {
			return below(field, err)
		}
		return nil
	}
}

func text(into *string) spec.Setting {
	return func(field string, v spec.Value) error {
		s, _ := v.Str()
		if s == "" {
			return wrong(field, "want a text, got %s", v)
		}
		*into = s
		return nil
	}
}

func oneOf(words []string, into *string) spec.Setting {
	return func(field string, v spec.Value) error {
		s, _ := v.Str()
		if !slices.Contains(words, s) {
			return wrong(field, "want one of %v, got %s", words, v)
		}
		*into = s
		return nil
	}
}

func truth(into *bool) spec.Setting {
	return func(field string, v spec.Value) error {
		if v.Kind() != spec.Bool {
			return wrong(field, "want a boolean, got %s", v)
		}
		*into = v.IsTrue()
		return nil
	}
}

func texts(into *[]string) spec.Setting { return listOf(into, each(text)) }

func patterns(into *[]toolPattern) spec.Setting { return listOf(into, each(toolsOf)) }

// each reads one item of a list as a member is read.
func each[T any](setting func(*T) spec.Setting) func(int, spec.Value) (T, error) {
	return func(_ int, v spec.Value) (read T, err error) {
		err = setting(&read)("", v)
		return read, err
	}
}

func numbers(into *map[string]int) spec.Setting {
	return func(field string, v spec.Value) error {
		if v.Kind() != spec.Object {
			return wrong(field, "want an object, got %s", v)
		}
		all := map[string]int{}
		for _, m := range v.Members() {
			var n int
			if err := spec.AtLeast(1, &n)(m.Name, m.Value); err != nil {
				return below(field, err)
			}
			all[m.Name] = n
		}
		*into = all
		return nil
	}
}
