package faultyadapter

import (
	"context"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// Equality is a way to get equality wrong: what a port makes of a part of each event before it compares it.
type Equality struct {
	Name string
	Part Part

	change    func(spec.Value) spec.Value
	isOfTexts bool // change concerns each text within a value
}

// Part is a part of an event.
type Part string

// The parts.
const (
	Tools     Part = "tools"
	Arguments Part = "arguments" // an object
	Texts     Part = "texts"     // of arguments, at any depth
	Answers   Part = "answers"   // of tools
	Failures  Part = "failures"  // messages of errors
	Thoughts  Part = "thoughts"
	Pieces    Part = "pieces"  // of streamed text
	Outputs   Part = "outputs" // of an agent
	Messages  Part = "messages"
	Plans     Part = "plans" // the calls that a message announces
	Workers   Part = "workers"
	IDs       Part = "ids" // of calls
)

// members says in which members of which events a part is.
var members = map[Part]map[spec.EventType][]string{
	Tools:     {spec.ToolCall: {"tool"}, spec.ToolResult: {"tool"}, spec.ErrorEvent: {"tool"}},
	Arguments: {spec.ToolCall: {"args"}},
	Texts:     {spec.ToolCall: {"args"}},
	Answers:   {spec.ToolResult: {"content"}, spec.ErrorEvent: {"message"}},
	Failures:  {spec.ErrorEvent: {"message"}},
	Thoughts:  {spec.ToolCall: {"thought"}},
	Pieces:    {spec.Delta: {"text"}},
	Outputs:   {spec.Output: {"text"}, spec.Iteration: {"output"}},
	Messages:  {spec.Message: {"content"}},
	Plans:     {spec.Message: {"tool_calls"}},
	Workers:   {spec.ToolCall: {"worker"}},
	IDs:       {spec.ToolCall: {"id"}, spec.ToolResult: {"call"}, spec.ErrorEvent: {"call"}},
}

var (
	blanks  = regexp.MustCompile(`\s+`)
	digits  = regexp.MustCompile(`\d+`)
	clocks  = regexp.MustCompile(`\d\d:\d\d:\d\d`)
	colours = regexp.MustCompile("\x1b\\[[0-9;]*m")
	hidden  = strings.NewReplacer("\u200b", "", "\ufeff", "", "\x00", "")
)

// ofTexts are what ports make of texts.
var ofTexts = []struct {
	name   string
	change func(string) string
}{
	{"lower case", strings.ToLower},
	{"upper case", strings.ToUpper},
	{"collapsed blanks", func(s string) string { return blanks.ReplaceAllString(s, " ") }},
	{"no blanks", func(s string) string { return blanks.ReplaceAllString(s, "") }},
	{"trimmed", strings.TrimSpace},
	{"composed characters", func(s string) string { return strings.ReplaceAll(s, "e\u0301", "\u00e9") }},
	{"no line ends of Windows", func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }},
	{"ASCII alone", func(s string) string { return strings.Map(ascii, s) }},
	{"no end of line", func(s string) string { return strings.TrimRight(s, "\r\n") }},
	{"no colours", func(s string) string { return colours.ReplaceAllString(s, "") }},
	{"no hidden characters", hidden.Replace},
	{"no quotes around it", func(s string) string { return strings.Trim(s, `"'`) }},
	{"no mark at the end", func(s string) string { return strings.TrimRight(s, ".,;:!") }},
	{"a path without ./ and a final slash", func(s string) string {
		return strings.TrimSuffix(strings.TrimPrefix(s, "./"), "/")
	}},
	{"full-width letters as ASCII", func(s string) string { return strings.Map(narrow, s) }},
	{"masked times", func(s string) string { return clocks.ReplaceAllString(s, "HH:MM:SS") }},
	{"masked digits", func(s string) string { return digits.ReplaceAllString(s, "N") }},
	{"the first 100 characters", firstOf(100)},
	{"the first 1,000 characters", firstOf(1000)},
	{"the first 2,000 characters", firstOf(2000)},
	{"the first 10,000 characters", firstOf(10_000)},
	{"the last 1,000 characters", func(s string) string { return s[max(0, len(s)-1000):] }},
	{"a hash of 32 bits, as Java has it", hashed},
	{"sorted letters", func(s string) string { r := []rune(s); slices.Sort(r); return string(r) }},
}

// ofWholeTexts are those of ofTexts that nobody does to a piece of a text, which may end anywhere.
var ofWholeTexts = []string{"no quotes around it", "no mark at the end", "a path without ./ and a final slash"}

// ofArguments are what ports make of arguments.
var ofArguments = []struct {
	name   string
	change func(spec.Value) spec.Value
}{
	{"numbers as texts", numbersAsTexts},
	{"numbers as integers", wholeNumbers},
	{"floats of 15 digits", shortFloats},
	{"booleans as numbers", booleansAsNumbers},
	{"no members that are null", withoutMembers(func(m spec.Member) bool { return m.Value.Kind() == spec.Null })},
	{"no empty members", withoutMembers(isEmpty)},
	{"empty objects as lists", emptyAsLists},
	{"names that are numbers as numbers", numberedNames},
	{"texts that are JSON as its values", parsedTexts},
	{"sorted lists", sortedLists},
	{"lists as sets", listsAsSets},
	{"no order of members", sortedMembers},
	{"names of members in lower case", lowerNames},
	{"names alone", func(v spec.Value) spec.Value {
		return v.Map(func(spec.Value) spec.Value { return spec.IntValue(0) })
	}},
	{"values alone", valuesAlone},
	{"the first member alone", func(v spec.Value) spec.Value {
		return spec.ObjectValue(v.Members()[:min(1, len(v.Members()))]...)
	}},
}

// Equalities returns the ways to get equality wrong.
func Equalities() (list []Equality) {
	for _, part := range []Part{Tools, Texts, Answers, Failures, Thoughts, Pieces, Outputs, Messages, Workers, IDs} {
		for _, f := range ofTexts {
			if part == Pieces && slices.Contains(ofWholeTexts, f.name) {
				continue
			}
			list = append(list, Equality{f.name, part, inTexts(f.change), true})
		}
	}
	for _, part := range []Part{Arguments, Plans} {
		for _, f := range ofArguments {
			list = append(list, Equality{f.name, part, f.change, false})
		}
	}
	return list
}

// Of returns a port that compares what the other one compares after the change.
func (e Equality) Of(port spec.Port) spec.Port {
	return confused{port, func() func(spec.Value) spec.Value { return e.Changed }}
}

// Merging returns a port that takes for the same what is equal after the change: in the place of all such values, a
// session has the first one. So the port does nothing else wrong, and cuts no value short.
func (e Equality) Merging(port spec.Port) spec.Port {
	return confused{port, func() func(spec.Value) spec.Value {
		first := firstValues{}
		known := func(v spec.Value) spec.Value { return first.of(v, e.change(v).String()) }
		if e.isOfTexts {
			known = inEachText(known)
		}
		return func(event spec.Value) spec.Value { return e.within(event, known) }
	}}
}

// Changed returns an event after the change.
func (e Equality) Changed(event spec.Value) spec.Value { return e.within(event, e.change) }

// within returns an event with another value of the part.
func (e Equality) within(event spec.Value, change func(spec.Value) spec.Value) spec.Value {
	for _, member := range members[e.Part][spec.TypeOf(event)] {
		if v := event.Get(member); !v.IsAbsent() {
			event = event.With(member, change(v))
		}
	}
	return event
}

// firstValues are the first ones of the values that are taken for the same, by what these have in common.
type firstValues map[string]spec.Value

func (f firstValues) of(v spec.Value, common string) spec.Value {
	if _, known := f[common]; !known {
		f[common] = v
	}
	return f[common]
}

type confused struct {
	spec.Port
	changer func() func(event spec.Value) spec.Value // of a session
}

func (c confused) Open(
	ctx context.Context, id spec.DetectorID, reading spec.Reading, config spec.Value,
) (spec.Session, error) {
	session, err := c.Port.Open(ctx, id, reading, config)
	return confusedSession{session, c.changer()}, err
}

type confusedSession struct {
	spec.Session
	changed func(event spec.Value) spec.Value
}

func (s confusedSession) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	changed := make([]spec.Value, len(events))
	for i, event := range events {
		changed[i] = s.changed(event)
	}
	return s.Session.Observe(ctx, changed)
}

// inTexts changes each text within a value, at any depth.
func inTexts(change func(string) string) func(spec.Value) spec.Value {
	return inEachText(func(v spec.Value) spec.Value {
		text, _ := v.Str()
		return spec.StringValue(change(text))
	})
}

func inEachText(change func(spec.Value) spec.Value) func(spec.Value) spec.Value {
	var within func(spec.Value) spec.Value
	within = func(v spec.Value) spec.Value {
		if v.Kind() == spec.String {
			return change(v)
		}
		return v.Map(within)
	}
	return within
}

func ascii(r rune) rune {
	if r > 0x7F {
		return '?'
	}
	return r
}

func narrow(r rune) rune {
	if r >= 0xFF01 && r <= 0xFF5E {
		return r - 0xFF01 + '!'
	}
	return r
}

func firstOf(n int) func(string) string {
	return func(s string) string {
		runes := []rune(s)
		return string(runes[:min(n, len(runes))])
	}
}

// hashed returns the sum of the characters' codes, each times a power of 31, as a text.
func hashed(s string) string {
	var sum int32
	for _, r := range s {
		sum = 31*sum + r
	}
	return string(spec.IntValue(int(sum)).String())
}

func numbersAsTexts(v spec.Value) spec.Value {
	if spelling, isNumber := v.Spelling(); isNumber {
		return spec.StringValue(spelling)
	}
	return v.Map(numbersAsTexts)
}

func wholeNumbers(v spec.Value) spec.Value {
	if f, isNumber := v.Float(); isNumber && f > -1e15 && f < 1e15 {
		return spec.IntValue(int(f))
	}
	return v.Map(wholeNumbers)
}

// shortFloats writes floats as C and Perl do, where nobody asks for more digits.
func shortFloats(v spec.Value) spec.Value {
	f, isNumber := v.Float()
	if !isNumber || v.IsIntegerLiteral() || math.IsInf(f, 0) {
		return v.Map(shortFloats)
	}
	text := strconv.FormatFloat(f, 'g', 15, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return spec.MustParse(text)
}

func booleansAsNumbers(v spec.Value) spec.Value {
	switch {
	case v.Kind() != spec.Bool:
		return v.Map(booleansAsNumbers)
	case v.IsTrue():
		return spec.IntValue(1)
	default:
		return spec.IntValue(0)
	}
}

// withoutMembers leaves members out, at any depth.
func withoutMembers(is func(spec.Member) bool) func(spec.Value) spec.Value {
	var within func(spec.Value) spec.Value
	within = func(v spec.Value) spec.Value {
		for _, m := range v.Members() {
			if is(m) {
				v = v.Without(m.Name)
			}
		}
		return v.Map(within)
	}
	return within
}

func isEmpty(m spec.Member) bool {
	text, isText := m.Value.Str()
	switch {
	case isText:
		return text == ""
	case m.Value.Kind() == spec.Array || m.Value.Kind() == spec.Object:
		return len(m.Value.Items())+len(m.Value.Members()) == 0
	default:
		return m.Value.Kind() == spec.Null
	}
}

func emptyAsLists(v spec.Value) spec.Value {
	if v.Kind() == spec.Object && len(v.Members()) == 0 {
		return spec.ArrayValue()
	}
	return v.Map(emptyAsLists)
}

func numberedNames(v spec.Value) spec.Value {
	return withNames(v, func(name string) string {
		if n, err := strconv.Atoi(name); err == nil {
			return strconv.Itoa(n)
		}
		return name
	})
}

func parsedTexts(v spec.Value) spec.Value {
	if text, isText := v.Str(); isText && strings.HasPrefix(text, "{") {
		if parsed, err := spec.ParseValue([]byte(text)); err == nil {
			return parsed
		}
	}
	return v.Map(parsedTexts)
}

func sortedLists(v spec.Value) spec.Value {
	v = v.Map(sortedLists)
	if v.Kind() != spec.Array {
		return v
	}
	items := slices.Clone(v.Items())
	slices.SortFunc(items, func(a, b spec.Value) int { return strings.Compare(a.String(), b.String()) })
	return spec.ArrayValue(items...)
}

func listsAsSets(v spec.Value) spec.Value {
	v = v.Map(listsAsSets)
	if v.Kind() != spec.Array {
		return v
	}
	return spec.ArrayValue(slices.CompactFunc(slices.Clone(v.Items()), spec.Value.Equal)...)
}

func sortedMembers(v spec.Value) spec.Value {
	if v = v.Map(sortedMembers); v.Kind() != spec.Object {
		return v
	}
	sorted := slices.Clone(v.Members())
	slices.SortFunc(sorted, func(a, b spec.Member) int { return strings.Compare(a.Name, b.Name) })
	return spec.ObjectValue(sorted...)
}

func lowerNames(v spec.Value) spec.Value { return withNames(v, strings.ToLower) }

// withNames changes the names of members, at any depth.
func withNames(v spec.Value, change func(string) string) spec.Value {
	v = v.Map(func(inner spec.Value) spec.Value { return withNames(inner, change) })
	if v.Kind() != spec.Object {
		return v
	}
	changed := spec.ObjectValue()
	for _, m := range v.Members() {
		changed = changed.With(change(m.Name), m.Value)
	}
	return changed
}

// valuesAlone numbers the names of members.
func valuesAlone(v spec.Value) spec.Value {
	numbered := slices.Clone(v.Members())
	for i := range numbered {
		numbered[i].Name = strings.Repeat("m", i+1)
	}
	return spec.ObjectValue(numbered...)
}
