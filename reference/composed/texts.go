package composed

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/loopstone/loopstone/reference/parts/memory"
	"github.com/loopstone/loopstone/spec"
)

// compare puts the calls of a step in an order in which only equal calls are level.
func (c part) compare(other part) int {
	return cmp.Or(bytes.Compare(c.Call[:], other.Call[:]), bytes.Compare(c.Answer[:], other.Answer[:]))
}

// digestOfCall is the digest of what is compared of a call.
func (s Same) digestOfCall(call spec.Event) memory.Digest {
	text := strconv.AppendQuote(nil, call.Tool) // CO-12
	if s.By == "tool" {
		return memory.DigestOf(text)
	}
	if s.Thought {
		text = strconv.AppendQuote(text, call.Thought) // CO-11
	}
	return memory.DigestOf(s.appendArguments(text, call.Args)) // CO-9
}

// digestOfAnswer is the digest of what is compared of an answer; zero if answers are not compared.
func (s Same) digestOfAnswer(answer spec.Event) memory.Digest { // CO-13
	if s.Results != "text" {
		return memory.Digest{}
	}
	text := answer.Content
	if answer.Type == spec.ErrorEvent {
		text = answer.Message // CO-2
	}
	return memory.DigestOf(append(strconv.AppendBool(nil, succeeded(&answer)), prefix(text, s.Prefix)...)) // CO-13
}

// prefix returns the first n characters of a text; all of a shorter text.
func prefix(text string, n int) string { // CO-14
	for at := range text {
		if n == 0 {
			return text[:at]
		}
		n--
	}
	return text
}

// appendArguments appends a text that equal arguments have in common.
func (s Same) appendArguments(b []byte, args spec.Value) []byte { // CO-9
	args = kept(args, s.Keep)
	for _, name := range s.Omit { // CO-45
		args = args.Without(name)
	}
	if s.KeyOrder == "kept" {
		args = numbered(args)
	}
	return args.AppendCanonical(b) // whose members are sorted
}

// kept returns the arguments of these names, or all arguments if the call has none of them.
func kept(args spec.Value, names []string) spec.Value { // CO-10
	var members []spec.Member
	for _, m := range args.Members() {
		if slices.Contains(names, m.Name) {
			members = append(members, m)
		}
	}
	if members == nil {
		return args
	}
	return spec.ObjectValue(members...)
}

// numbered returns a value in which the name of each member begins with its place, at every depth. A name that is an
// array index stays as it is and has no place: JavaScript moves such members to the front, sorted.
func numbered(v spec.Value) spec.Value { // CO-9
	v = v.Map(numbered)
	if v.Kind() != spec.Object {
		return v
	}
	members, place := slices.Clone(v.Members()), 0
	for i, m := range members {
		if !isIndex(m.Name) {
			members[i].Name = strconv.Itoa(place) + " " + m.Name
			place++
		}
	}
	return spec.ObjectValue(members...)
}

// isIndex reports whether a name is a whole number from 0 to 4294967294, without leading zeros.
func isIndex(name string) bool { // CO-9
	n, err := strconv.ParseUint(name, 10, 32)
	return err == nil && n < math.MaxUint32 && strconv.FormatUint(n, 10) == name
}
