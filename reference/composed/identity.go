package composed

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopstone/loopstone/spec"
)

// appendCall appends a text that two calls have in common where they are the same, their answers aside.
func (s same) appendCall(b []byte, e spec.Event) []byte {
	b = appendPart(b, e.Tool) // CO-9, CO-12
	if s.by == "tool" {
		return b
	}
	args := without(e.Args, s.strip) // CO-10
	if s.keyOrder == "kept" {
		b = appendKept(b, args) // CO-9
	} else {
		b = args.AppendCanonical(b) // CO-9
	}
	if s.thought {
		b = appendPart(b, e.Thought) // CO-11
	}
	return b
}

// appendAnswer appends a text that two answers have in common where they are the same.
func (s same) appendAnswer(b []byte, e spec.Event) []byte {
	content := e.Content
	if e.Type == spec.ErrorEvent {
		content = e.Message // CO-2
	}
	switch s.results {
	case "text": // CO-13
		b = strconv.AppendBool(b, succeeded(e)) // CO-13
		return append(b, s.bare(content)...)    // CO-13
	case "outcome": // CO-14
		return strconv.AppendBool(b, succeeded(e)) // CO-14
	case "exit_code": // CO-14
		return append(b, exitCode(e, content)...) // CO-14
	default:
		return b
	}
}

// bare is a result without what is stripped from it: where it is JSON, and not a text or number alone. [CO-13]
func (s same) bare(content string) string {
	if len(s.stripResults) == 0 {
		return content
	}
	v := structureIn(content)
	if v.IsAbsent() { // CO-13
		return content
	}
	return without(v, s.stripResults).Canonical() // CO-13
}

// exitCode is the integer that a result names so, else whether it succeeded. [CO-14]
func exitCode(e spec.Event, content string) string {
	code := structureIn(content).Get("exit_code")
	if f, is := code.Float(); is && f == math.Trunc(f) && !math.IsInf(f, 0) { // CO-14
		return code.Canonical() // CO-14
	}
	if succeeded(e) {
		return "0"
	}
	return "1"
}

// structureIn returns the object or array that a text is as JSON, with blanks around it or not; an absent value of any
// other text. [CO-13]
func structureIn(text string) spec.Value {
	bare := strings.TrimLeft(text, " \t\r\n") // CO-13
	if !strings.HasPrefix(bare, "{") && !strings.HasPrefix(bare, "[") {
		return spec.Value{}
	}
	v, err := spec.ParseValue([]byte(text))
	if errors.Is(err, jsontext.ErrDuplicateName) {
		v = lastOfEach(text) // CO-13
	}
	return v
}

// lastOfEach reads JSON in which members of one name stand in one object: of these the last counts. [CO-13]
func lastOfEach(text string) spec.Value {
	var read any
	if err := json.Unmarshal([]byte(text), &read); err != nil { // CO-13
		return spec.Value{}
	}
	once, _ := json.Marshal(read) // what was read from JSON can be written as JSON
	v, _ := spec.ParseValue(once)
	return v
}

// succeeded reports whether an answer is a success. [CO-2]
func succeeded(e spec.Event) bool { return e.Type == spec.ToolResult && e.OK }

// counts reports whether an answer, which is a success or none, has the outcome that the rule is about. [CO-15]
func (s same) counts(success bool) bool { return s.outcome == "any" || success == (s.outcome == "ok") }

// appendPart appends a text so that what comes after it cannot be taken for a part of it.
func appendPart(b []byte, text string) []byte {
	b = strconv.AppendInt(b, int64(len(text)), 10) // CO-9, CO-11
	return append(append(b, ':'), text...)
}

// without returns a value that lacks the members of these names, at every depth. [CO-10] [CO-13]
func without(v spec.Value, names []string) spec.Value {
	if len(names) == 0 {
		return v
	}
	switch v.Kind() {
	case spec.Object:
		var members []spec.Member
		for _, m := range v.Members() {
			if !slices.Contains(names, m.Name) {
				members = append(members, spec.Member{Name: m.Name, Value: without(m.Value, names)})
			}
		}
		return spec.ObjectValue(members...)
	case spec.Array:
		items := make([]spec.Value, len(v.Items()))
		for i, item := range v.Items() {
			items[i] = without(item, names)
		}
		return spec.ArrayValue(items...)
	default:
		return v
	}
}

// appendKept appends a value in canonical form, but with the members of objects in the order that they have. [CO-9]
func appendKept(b []byte, v spec.Value) []byte {
	switch v.Kind() {
	case spec.Object:
		for _, m := range indicesFirst(v.Members()) {
			b = append(appendKept(appendPart(b, m.Name), m.Value), ',')
		}
		return append(b, '}')
	case spec.Array:
		b = append(b, '[')
		for _, item := range v.Items() {
			b = append(appendKept(b, item), ',')
		}
		return append(b, ']')
	default:
		return v.AppendCanonical(b)
	}
}

// indicesFirst returns the members with those in front, by value, that JavaScript takes for indices of an array: it keeps
// no other order of them. [CO-9]
func indicesFirst(members []spec.Member) []spec.Member {
	if !slices.ContainsFunc(members, func(m spec.Member) bool { return indexOf(m.Name) >= 0 }) {
		return members
	}
	ordered := slices.Clone(members)
	slices.SortStableFunc(ordered, func(a, b spec.Member) int {
		return cmp.Compare(uint64(indexOf(a.Name)), uint64(indexOf(b.Name))) // what is none, -1, comes last
	})
	return ordered
}

// largestIndex is the last that an array of JavaScript has.
const largestIndex = 1<<32 - 2

// indexOf returns the number that a name is as an index of an array; -1 where it is none. [CO-9]
func indexOf(name string) int64 {
	n, _ := strconv.ParseUint(name, 10, 64)                    // 0 or the largest where it is no number
	if n > largestIndex || strconv.FormatUint(n, 10) != name { // CO-9
		return -1
	}
	return int64(n)
}

// toolPattern is a set of calls: of tools whose names match, and where a member is named, with that text as the argument
// of that name. [CO-19]
type toolPattern struct {
	parts        []string // of the name; any text stands between two of them
	member, text string   // empty member: whatever the arguments
}

// toolsOf reads a tool pattern, such as "bash", "*_poll" or "process?action=poll". [CO-19]
func toolsOf(into *toolPattern) spec.Setting {
	return func(field string, v spec.Value) error {
		s, _ := v.Str()
		name, argument, conditional := strings.Cut(s, "?")
		member, text, complete := strings.Cut(argument, "=")
		if name == "" || conditional && (member == "" || !complete) { // CO-20
			return wrong(field, "want a tool, or tool?member=text, got %s", v)
		}
		*into = toolPattern{strings.Split(name, "*"), member, text}
		return nil
	}
}

// has reports whether the call is one of the set. [CO-19]
func (p toolPattern) has(call spec.Event) bool {
	if p.member != "" {
		if text, isText := call.Args.Get(p.member).Str(); !isText || text != p.text {
			return false
		}
	}
	return matches(p.parts, call.Tool)
}

// matches reports whether a name consists of the parts, with any text between them. [CO-19]
func matches(parts []string, name string) bool {
	first, last := parts[0], parts[len(parts)-1]
	if len(parts) == 1 {
		return name == first
	}
	rest, begins := strings.CutPrefix(name, first)
	rest, ends := strings.CutSuffix(rest, last)
	if !begins || !ends {
		return false
	}
	for _, part := range parts[1 : len(parts)-1] {
		_, behind, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = behind
	}
	return true
}

// among reports whether one of the patterns has the call.
func among(patterns []toolPattern, call spec.Event) bool {
	return slices.ContainsFunc(patterns, func(p toolPattern) bool { return p.has(call) })
}

// sees reports whether a call is an item of the rule, or belongs to one. [CO-21]
func (t tools) sees(call spec.Event) bool {
	return (len(t.only) == 0 || among(t.only, call)) && !among(t.except, call)
}

// hush reports whether the rule is silent after the call. [CO-22]
func (t tools) hush(call spec.Event) bool {
	return among(t.silent, call) || len(t.watched) > 0 && !among(t.watched, call)
}

// asksArguments reports whether what a call of the tool is to the rule may depend on its arguments.
func (r rule) asksArguments(tool string) bool {
	lists := slices.Concat(r.tools.only, r.tools.except, r.tools.silent, r.tools.watched, r.changes)
	return slices.ContainsFunc(lists, func(p toolPattern) bool { return p.member != "" && matches(p.parts, tool) })
}

// threshold returns the count at which a rung is reached where the counted calls are of a tool. [CO-35]
func (g *rung) threshold(tool string) int {
	if own, has := g.own[tool]; has {
		return own
	}
	return g.at
}
