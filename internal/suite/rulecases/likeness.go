package rulecases

import (
	"fmt"
	"strings"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// likeness is a way in which values that differ are alike: a library, or a habit, takes them for the same. Some rules
// do so, too; the reference says what the rules of a profile make of each pair.
type likeness struct {
	word, title, why string

	texts [][2]string // for each part of an event that is a text
	own   func(tool string) string

	values  []string // for an argument: two values, as JSON
	members []string // two objects, whose members are among the arguments
	steps   []string // the calls of two steps, by number
}

// twins are two values in which two events differ.
type twins struct{ one, other spec.Value }

// twinsOf returns the values of texts such as "1 ~ 2".
func twinsOf(texts []string) []twins {
	return lists.Map(texts, func(text string) twins {
		one, other, _ := strings.Cut(text, " ~ ")
		return twins{spec.MustParse(one), spec.MustParse(other)}
	})
}

// twinTexts returns the values that are texts.
func twinTexts(texts [][2]string) []twins {
	return lists.Map(texts, func(t [2]string) twins { return twins{spec.StringValue(t[0]), spec.StringValue(t[1])} })
}

// longText is longer than what ports that compare only a part of a text read of it.
var longText = strings.Repeat("x", 12_000)

var likenesses = []likeness{
	{
		word: "case", title: "upper and lower case alone",
		why:   "On most systems Makefile and makefile are two files. A port that lowers texts takes them for one.",
		texts: [][2]string{{"Make", "make"}, {"make", "MAKE"}, {"É", "é"}}, own: strings.ToUpper,
		members: []string{`{"Path":1} ~ {"path":1}`}, values: []string{`["A"] ~ ["a"]`},
	},
	{
		word: "blanks", title: "blanks within a text alone",
		why:    "Indentation is meaning in Python and in YAML. A port that collapses blanks misses the edit.",
		texts:  [][2]string{{"a b", "a  b"}, {"a b", "a\tb"}, {"a b", "a\nb"}, {"a\nb", "a\r\nb"}, {"a b", "ab"}},
		values: []string{`["a b"] ~ ["a  b"]`},
	},
	{
		word: "ends", title: "blanks at the ends of a text alone",
		why:   "An edit that adds the line feed at the end of a file is no repetition. A port that trims takes it for one.",
		texts: [][2]string{{"a", " a"}, {"a", "a "}, {"a", "a\n"}, {"", " "}}, own: spaced,
		values: []string{`["a"] ~ ["a "]`},
	},
	{
		word: "unicode", title: "characters that Unicode, or a library, takes for the same",
		why: "Names of files are compared as they are written. A port that normalises them takes two files for one.",
		texts: [][2]string{
			{"\u00e9", "e\u0301"},
			{"\u00e9", "e"},
			{"\ufb01", "fi"},
			{"a\u00a0b", "a b"},
			{"z", "\ufeffz"},
			{"x", "x\x00y"},
			{"\U0001f600", "\U0001f601"},
			{"\uff5e", "?"},
		},
	},
	{
		word: "signs", title: "digits, signs and escapes alone",
		why: "The next page, line or file is progress. A port that masks numbers or signs takes it for the same.",
		texts: [][2]string{
			{"a 1", "a 2"}, {"a-b", "a_b"}, {"a\nb", `a\nb`}, {`"a"`, "'a'"}, {"a/b", `a\b`}, {"a.", "a"},
		},
	},
	{
		word: "marks", title: "colours, quotes, hidden characters and other marks alone",
		why: "The same words in red, in quotes or behind ./ are another text. A port that cleans texts takes them for one.",
		texts: [][2]string{
			{"a", "\x1b[31ma\x1b[0m"},
			{"a", "a\u200b"},
			{"a", "'a'"},
			{"a", "./a"},
			{"a", "a/"},
			{"a", "\uff41"},
			{"at 10:00:01", "at 10:00:02"},
		},
		members: []string{`{"1":1} ~ {"01":1}`},
	},
	{
		word: "hashes", title: "their letters alone, with equal sums",
		why:   "Hashes of 32 bits such as Java's and CRC-32, and sums of characters, are equal for texts that differ.",
		texts: [][2]string{{"Aa", "BB"}, {"plumless", "buckeroo"}, {"ab", "ba"}},
	},
	{
		word: "long", title: "one character of 12,000",
		why: "A call that writes a file carries the whole file. A port that compares a part of it takes two edits for one.",
		texts: [][2]string{
			{longText + "a", longText + "b"},
			{"a" + longText, "b" + longText},
			{longText[:6000] + "a" + longText, longText[:6000] + "b" + longText},
		},
	},
	{
		word: "types", title: "the types of values alone",
		why: "Loose equality and conversion to text take 1, true and \"1\" for the same, and an empty list for nothing.",
		values: []string{
			`1 ~ "1"`, `true ~ "true"`, `null ~ "null"`, `true ~ 1`, `false ~ 0`, `null ~ 0`, `"" ~ null`, `0 ~ ""`,
			`[] ~ {}`, `[] ~ null`, `[1] ~ 1`, `[1] ~ "[1]"`, `{"a":1} ~ "{\"a\":1}"`,
		},
	},
	{
		word: "numbers", title: "numbers",
		why: "A port that cuts numbers to integers, 32 bits or 15 digits takes two for one; to others, 1 and 1.0 differ.",
		values: []string{
			`1 ~ 1.5`, `16777216 ~ 16777217`, `9007199254740990 ~ 9007199254740991`, `1 ~ -1`, `0.1 ~ 0.10`,
			`0.1 ~ 0.10000000000000002`, `1 ~ 1.0`, `100 ~ 1e2`,
		},
	},
	{
		word: "absence", title: "members that are there, with no value",
		why: "Null, an empty text and an empty list are arguments. A port that drops them takes two calls for one.",
		members: []string{
			`{"v":null} ~ {}`, `{"v":""} ~ {}`, `{"v":[]} ~ {}`, `{"v":{}} ~ {}`, `{"v":false} ~ {}`,
			`{"v":{"w":null}} ~ {"v":{}}`,
		},
	},
	{
		word: "items", title: "the items of lists and their order",
		why: "Commands are lists of words. A port that sorts lists, or joins their items, takes two commands for one.",
		values: []string{
			`[1,2] ~ [2,1]`, `[1,1] ~ [1]`, `["a","b"] ~ ["b","a"]`, `[1,2] ~ [1,2,3]`, `[[1],2] ~ [1,[2]]`,
			`["a","b"] ~ ["a,b"]`, `["a b","c"] ~ ["a","b c"]`, `[{"b":2,"a":[2,1]}] ~ [{"a":[1,2],"b":2}]`,
		},
	},
	{
		word: "members", title: "the names, the values and the order of members",
		why: "A port that compares only names, only values, or the first few members takes two calls for one.",
		members: []string{
			`{"a":1} ~ {"b":1}`, `{"a":1} ~ {"a":2}`, `{"a":1} ~ {"a":1,"b":2}`, `{"a":1,"b":2} ~ {"a":2,"b":1}`,
			`{"a":{"c":1}} ~ {"a":{"d":1}}`, `{"a":{"c":1}} ~ {"a":{"c":2}}`, `{"a":1,"b":2} ~ {"b":2,"a":1}`,
			`{"a":{"c":1,"d":2}} ~ {"a":{"d":2,"c":1}}`, `{"a":[{"c":1,"d":2}]} ~ {"a":[{"d":2,"c":1}]}`,
		},
	},
	{
		word: "calls", title: "the calls of a step and their order",
		why:   "A port that compares steps as sets, or by their first call, takes two steps for one.",
		steps: []string{`[1,1] ~ [1]`, `[1,1,2] ~ [1,2,2]`, `[1,2] ~ [2,1]`, `[1,2] ~ [1]`},
	},
}

// spaced returns a text with a blank at its end.
func spaced(text string) string { return text + " " }

// The sites.
const (
	ofTool      = "tool"
	ofArgument  = "argument"
	ofName      = "name of an argument"
	ofArguments = "arguments"
	ofAnswer    = "answer"
	ofThought   = "thought"
	ofStep      = "step"
	ofText      = "text"
)

// sites returns the parts of events that a rule may compare.
func (r rule) sites() (list []site) {
	add := func(name, clause, how string, put func(event, value spec.Value) []spec.Value) {
		list = append(list, site{name, clause, name + " " + clause + " " + how, put})
	}
	tool := inCalls(func(call, v spec.Value) spec.Value { return call.With("tool", v) })
	how := r.Same.By + " " + r.Same.KeyOrder + strings.Join(r.Same.Keep, ",") + "-" + strings.Join(r.Same.Omit, ",")
	switch {
	case r.Same.By == "tool":
		add(ofTool, "CO-12", "", tool)
	case r.ofCalls():
		add(ofTool, "CO-9", r.Same.By, tool)
		add(ofArgument, r.clauseOfArguments(), how, inCalls(r.withArgument))
		add(ofName, "CO-9", how, inCalls(withName))
		add(ofArguments, "CO-9", how, inCalls(withArguments))
	}
	if r.comparesTexts() {
		add(ofText, "CO-46", r.Same.By, r.withText)
	}
	if r.Same.By == "step" {
		add(ofStep, "CO-16", r.Same.Order, asSteps)
	}
	if r.Same.Results == "text" {
		clause := "CO-13"
		if !r.written.Get("same").Get("prefix").IsAbsent() {
			clause = "CO-14"
		}
		add(ofAnswer, clause, fmt.Sprint(r.Same.By, r.Same.Prefix), r.withAnswer)
	}
	if r.Same.Thought {
		add(ofThought, "CO-11", r.Same.By, inCalls(func(call, v spec.Value) spec.Value { return call.With("thought", v) }))
	}
	return list
}

func (r rule) clauseOfArguments() string {
	if len(r.Same.Keep) > 0 {
		return "CO-10"
	}
	return "CO-9"
}

// inCalls returns a function that changes calls and leaves other events as they are.
func inCalls(change func(call, value spec.Value) spec.Value) func(event, value spec.Value) []spec.Value {
	return func(event, value spec.Value) []spec.Value {
		if spec.TypeOf(event) == spec.ToolCall {
			event = change(event, value)
		}
		return []spec.Value{event}
	}
}

// withArgument gives a call an argument that the rule compares.
func (r rule) withArgument(call, value spec.Value) spec.Value {
	name := "text"
	if len(r.Same.Keep) > 0 {
		name = r.Same.Keep[0]
	}
	return call.With("args", call.Get("args").With(name, value))
}

// withName gives a call an argument of a name.
func withName(call, name spec.Value) spec.Value {
	return call.With("args", call.Get("args").With(name.Text(), spec.IntValue(1)))
}

// withArguments gives a call further arguments; a text is an argument of its own.
func withArguments(call, object spec.Value) spec.Value {
	args := call.Get("args")
	for _, m := range object.Members() {
		args = args.With(m.Name, m.Value)
	}
	return call.With("args", args)
}

// asSteps puts several calls, which differ by their numbers, in the place of one.
func asSteps(event, numbers spec.Value) (calls []spec.Value) {
	if spec.TypeOf(event) != spec.ToolCall {
		return []spec.Value{event}
	}
	for _, n := range numbers.Items() {
		calls = append(calls, event.With("args", spec.ObjectValue(spec.Member{Name: plainArgument, Value: n})))
	}
	return calls
}

// withText gives a message, or a piece, another text.
func (r rule) withText(event, text spec.Value) []spec.Value {
	said := r.said(text.Text())
	if spec.TypeOf(event) == spec.TypeOf(said) && event.Get("role").Equal(said.Get("role")) {
		event = said
	}
	return []spec.Value{event}
}

// withAnswer gives an answer a text; a call in a step, whose traces have no answers, gets one.
func (r rule) withAnswer(event, text spec.Value) []spec.Value {
	switch typ := spec.TypeOf(event); {
	case typ == spec.ToolCall && r.Same.By == "step":
		return []spec.Value{event, spec.ObjectValue(
			spec.Member{Name: "type", Value: spec.StringValue(string(spec.ToolResult))},
			spec.Member{Name: "content", Value: text})}
	case typ == spec.ToolResult:
		event = event.With("content", text)
	case typ == spec.ErrorEvent:
		event = event.With("message", text)
	}
	return []spec.Value{event}
}

// pairsOf returns the pairs of a likeness for a site.
func (l likeness) pairsOf(v variants) []twins {
	texts := l.texts
	switch v.name {
	case ofArguments:
		return twinsOf(l.members)
	case ofStep:
		return twinsOf(l.steps)
	case ofArgument:
		return append(twinTexts(texts), twinsOf(l.values)...)
	case ofTool:
		if tool := v.trace[v.at].Get("tool").Text(); l.own != nil {
			texts = append([][2]string{{tool, l.own(tool)}}, texts...)
		}
	}
	return twinTexts(texts)
}

// usual returns two values for a site that no likeness has: nothing takes them for the same.
func (v variants) usual() (one, other spec.Value) {
	switch v.name {
	case ofTool:
		for _, event := range v.trace {
			if tool, isCall := event.Get("tool").Str(); isCall {
				return spec.StringValue(tool), spec.StringValue(tool + "-other")
			}
		}
	case ofArguments:
		return spec.MustParse(`{"one":1}`), spec.MustParse(`{"two":2}`)
	case ofStep:
		return spec.IntsValue([]int{1}), spec.IntsValue([]int{2})
	}
	return spec.StringValue("one"), spec.StringValue("two")
}
