package tracegen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// composedTemplate returns a template of what composed looks at: calls with their results, in replies or not, and
// messages.
func (d *draft) composedTemplate() template {
	switch d.below(8) {
	case 0:
		if d.offer.Takes(string(spec.Delta)) && d.maybe() {
			return d.pieceTemplate()
		}
		return d.messageTemplate()
	case 1:
		return d.callTemplate()
	}
	call, replies := d.composedCall(), d.offer.Takes(string(spec.Reply)) && d.maybe()
	text, ok := pick(d.dice, answerTexts), !d.oneIn(4)
	return func(d *draft, near bool) {
		if replies {
			d.emit(spec.ObjectValue(is(spec.Reply)))
		}
		changed := near && d.maybe()
		call(d, near && !changed)
		text, ok := text, ok
		switch {
		case changed && d.maybe():
			text = pick(d.dice, answerTexts)
		case changed:
			ok = !ok
		}
		if !ok && d.maybe() {
			d.emit(spec.ObjectValue(d.belonging([]spec.Member{is(spec.ErrorEvent), says("message", text)}, "bash")...))
			return
		}
		d.emitResult("bash", text, ok)
	}
}

// pieceTemplate is of one piece of the answer; near ones have another text, or are of another channel.
func (d *draft) pieceTemplate() template {
	text := pick(d.dice, saidTexts)
	return func(d *draft, near bool) {
		piece := spec.ObjectValue(is(spec.Delta), says("text", text))
		switch {
		case near && d.maybe():
			piece = piece.With("text", spec.StringValue(pick(d.dice, saidTexts)))
		case near:
			piece = piece.With("channel", spec.StringValue(string(pick(d.dice, spec.Channels()))))
		}
		d.emit(piece)
	}
}

// usualRuled are the tools that drawn rules name.
var usualRuled = toolNames[:6]

// ruledTools returns the tools that calls are drawn of most: those that the rules of a profile name, and usual ones.
func ruledTools(profile spec.Value) []string {
	names := slices.Clone(usualRuled)
	for _, rule := range profile.Get("rules").Items() {
		patterns := rule.Get("changes").Texts()
		for _, m := range rule.Get("tools").Members() {
			patterns = append(patterns, m.Value.Texts()...)
		}
		for _, pattern := range patterns {
			name, _, _ := strings.Cut(pattern, "?")
			names = append(names, strings.ReplaceAll(name, "*", "x"))
		}
	}
	return names
}

// composedCall returns a template of calls, some with arguments that languages put into an order of their own.
func (d *draft) composedCall() template {
	switch {
	case d.maybe():
		return d.callTemplateOf(pick(d.dice, d.ruled))
	case !d.oneIn(8):
		return d.callTemplate()
	}
	args := d.shuffled(pickJSON(d.dice, indexed))
	return func(d *draft, near bool) {
		if near {
			d.emitCall("t", d.shuffled(pickJSON(d.dice, indexed)))
			return
		}
		d.emitCall("t", args)
	}
}

// indexed are arguments with names that JavaScript takes for indices of an array, or that look so.
var indexed = []string{
	`{"1":0,"0":1,"n":2}`, `{"n":2,"10":0,"9":1,"a":{"1":1,"0":2}}`, `{"01":0,"-1":1,"0":2}`, `{"4294967294":0,"n":1}`,
	`{"4294967295":0,"n":1}`,
}

// answerTexts are results that a port might take for equal: by case, by white space, as JSON or as numbers.
var answerTexts = []string{
	"ok", "OK", "ok\n", "", `"ok"`, "é", "éa", "\U0001F600", "\U0001F600b", "{", `{"a":1,"b":2}`,
	`{"b":2,"a":1}`, `{"a":1.0,"b":2}`, "1", "1.0",
}

// The lists of which parts of a rule are drawn.
var (
	toolSets = []string{
		`["bash"]`, `["t"]`, `["*a*"]`, `["bash?command=cat f","read_file"]`, `["*"]`, `["edit","t","B*h"]`, `["t?n=1"]`,
	}
	keptSets   = []string{`["command"]`, `["timeout","path"]`, `["n"]`, `["nothing"]`}
	freshStart = []string{`["user"]`, `["message"]`, `["call"]`, `["reply"]`, `["user","message"]`}
)

// composedRules draws a list of rules that go together with themselves.
func (d *draft) composedRules() spec.Value {
	rules := make([]spec.Value, d.between(1, 3))
	for i := range rules {
		rules[i] = d.composedRule(i)
	}
	return spec.ArrayValue(rules...)
}

// object is an object while it is drawn.
type object struct{ members []spec.Member }

func (o *object) has(name string, v spec.Value) {
	if v.Kind() != spec.Object || len(v.Members()) > 0 {
		o.members = append(o.members, spec.Member{Name: name, Value: v})
	}
}

func (o *object) says(name, text string) { o.members = append(o.members, says(name, text)) }

func (o *object) value() spec.Value { return spec.ObjectValue(o.members...) }

// composedRule draws the rule at a place of the list.
func (d *draft) composedRule(place int) spec.Value {
	var rule object
	by := pick(d.dice, []string{"call", "call", "call", "call", "tool", "step", "speech", "message", "piece"})
	single, spoken := isOfCalls(by), !isOfCalls(by) && by != "step"
	same, answered := d.composedSame(by)
	sort := pick(d.dice, d.sorts())
	if sort == "streak" && (!single || !answered) {
		if !d.offer.HasRule(spec.KindRun) {
			return d.composedRule(place)
		}
		sort = "run"
	}
	rule.has("same", same)
	pattern, highest := d.composedPattern(sort, single)
	rule.has("pattern", pattern)
	if !spoken && (d.oneIn(4) || highest && d.maybe()) {
		rule.has("tools", d.composedTools(single))
	}
	if single && !highest && d.oneIn(4) && isJudgedBefore(sort, answered) {
		rule.says("judged", "before")
	}
	d.composedFresh(&rule, by)
	if d.oneIn(8) {
		rule.says("name", fmt.Sprintf("r%d%s", place, d.text())) // which no other rule has
	}
	rule.has("rungs", d.composedRungs())
	return d.shuffled(rule.value())
}

// isJudgedBefore reports whether a pattern can count before the item of a call is recorded.
func isJudgedBefore(sort string, answered bool) bool {
	return sort != "revisit" && !(answered && sort == "among")
}

// isOfCalls reports whether an item is one call.
func isOfCalls(by string) bool { return by == "call" || by == "tool" }

// composedFresh draws after what the rule starts afresh, for most rules nothing.
func (d *draft) composedFresh(rule *object, by string) {
	if start := pick(d.dice, freshStart); d.oneIn(4) && composedStarts(start, by) {
		rule.has("fresh", spec.MustParse(start))
	} else if d.oneIn(4) {
		rule.has("fresh", spec.MustParse(`["change"]`))
		rule.has("changes", pickJSON(d.dice, toolSets))
	}
}

// sorts returns the sorts of rules that the port has, runs twice as they are drawn as often.
func (d *draft) sorts() []string {
	all := []string{"run", "run", "cycle", "among", "streak", "revisit", "periodic"}
	return slices.DeleteFunc(all, func(sort string) bool { return !d.offer.HasRule(spec.VerdictKind(sort)) })
}

// composedStarts reports whether a fresh start leaves items of a sort to compare.
func composedStarts(start, by string) bool {
	switch start {
	case `["call"]`:
		return !isOfCalls(by) && by != "step"
	case `["reply"]`:
		return by != "step"
	case `["message"]`, `["user","message"]`:
		return by != "speech" && by != "message"
	default:
		return true
	}
}

// composedSame draws what makes items equal, and whether answers have to do with it.
func (d *draft) composedSame(by string) (spec.Value, bool) {
	var same object
	if by != "call" || d.oneIn(4) {
		same.says("by", by)
	}
	results, outcome := "none", "any"
	if (by == "step" || isOfCalls(by)) && d.maybe() {
		results = "text"
		if isOfCalls(by) && d.oneIn(8) {
			results = "any"
		}
		same.says("results", results)
		if results == "text" && d.oneIn(4) {
			same.has("prefix", spec.IntValue(d.between(1, 3)))
		}
	}
	if isOfCalls(by) && d.oneIn(4) {
		outcome = pick(d.dice, []string{"failed", "ok"})
		same.says("outcome", outcome)
	}
	if by == "call" || by == "step" {
		d.composedArguments(&same, by == "step")
	}
	return same.value(), results != "none" || outcome != "any"
}

// composedArguments draws how the arguments of calls are compared, alone or all of a step.
func (d *draft) composedArguments(same *object, ofStep bool) {
	if d.oneIn(8) {
		same.says("key_order", "kept")
	}
	if d.oneIn(4) {
		same.has(pick(d.dice, []string{"keep", "keep", "omit"}), pickJSON(d.dice, keptSets))
	}
	if ofStep && d.maybe() {
		same.says("order", "any")
	}
	if d.oneIn(8) {
		same.has("thought", spec.BoolValue(true))
	}
}

func (d *draft) composedPattern(sort string, single bool) (pattern spec.Value, highest bool) {
	var p object
	if sort != "run" || d.oneIn(4) {
		p.says("sort", sort)
	}
	switch sort {
	case "among":
		if highest = d.maybe(); highest {
			p.says("counts", "highest")
		}
		if d.oneIn(8) {
			p.has("full", spec.BoolValue(true))
		}
		if d.oneIn(4) {
			p.has("seconds", spec.IntValue(d.between(1, 40)))
		}
		fallthrough
	case "streak", "revisit":
		if !d.oneIn(4) {
			p.has("last", spec.IntValue(d.between(1, 8)))
		}
	case "cycle", "periodic":
		if d.maybe() {
			p.has("from", spec.IntValue(d.between(1, 2)))
		}
		if d.maybe() {
			p.has("to", spec.IntValue(d.between(2, 4)))
		}
		if single && d.oneIn(4) {
			p.has("varied", spec.BoolValue(true))
		}
	}
	return p.value(), highest
}

// agesIn returns the ages, in seconds, from which rules of the configurations do not count an item.
func agesIn(configs ...spec.Value) (ages []int) {
	for _, config := range configs {
		for _, rule := range config.Get("rules").Items() {
			if seconds, limited := rule.Get("pattern").Get("seconds").Int(); limited {
				ages = append(ages, seconds)
			}
		}
	}
	return ages
}

// timesAbout returns times in milliseconds, many of which are about so many seconds apart.
func timesAbout(seconds int) (list []string) {
	const age = 1000
	for _, at := range []int{0, age / 2, age - 1, age, age + 1, 2*age - 1, 2 * age} {
		list = append(list, strconv.Itoa(at*seconds))
	}
	return append(list, strconv.Itoa(age*seconds-1), "1")
}

func (d *draft) composedTools(single bool) spec.Value {
	var tools object
	names := []string{"only", "except"}
	if single {
		names = []string{"only", "except", "silent", "watched"}
	}
	tools.has(pick(d.dice, names), pickJSON(d.dice, toolSets))
	return tools.value()
}

// composedRungs draws a ladder.
func (d *draft) composedRungs() spec.Value {
	rungs := make([]spec.Value, d.between(1, 2))
	at := 0
	for i := range rungs {
		var rung object
		at += d.between(1, 3)
		rung.has("at", spec.IntValue(at))
		if d.maybe() {
			rung.says("severity", pick(d.dice, []string{"critical", "warning", "notice"}))
		}
		if d.maybe() {
			rung.says("speaks", pick(d.dice, []string{"once", "restart", "stays", "each"}))
		}
		rungs[i] = rung.value()
	}
	return spec.ArrayValue(rungs...)
}
