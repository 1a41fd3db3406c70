package rulecases

import (
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// pair is a declared rule and the same rule after a change: what the traces are made for that tell them apart.
type pair struct{ declared, changed rule }

// plainArgument is the argument that calls differ in.
const plainArgument = "n"

// longestText bounds the answers whose beginnings are compared.
const longestText = 4096

// alphabet returns what traces for the two rules are made of: first what repeats, then whatever a rule may take for
// something else.
func (p pair) alphabet() [][]spec.Value {
	call, text := p.plainCall(), p.text()
	list := p.texts()
	add := func(events ...spec.Value) { list = append(list, events) }
	add(p.answered(call, text)...)
	for _, tool := range p.tools() {
		add(p.answered(called(tool, 0), text)...)
		add(p.answered(called(tool, 1), text)...)
		add(called(tool, 0), p.otherAnswer(text))
	}
	for _, args := range p.arguments(call.Get("args")) {
		add(p.answered(call.With("args", args), text)...)
	}
	add(p.answered(call.With("thought", spec.StringValue("I try again")), text)...)
	for _, at := range p.places(text) {
		add(p.answered(call, text[:at]+"x"+text[at+1:])...)
	}
	add(call, p.otherAnswer(text))
	add(call, event("error", "message", text))
	add(call)
	other := called(plainTools[1], 1)
	add(p.answered(other, text)...)
	add(call, other, p.answer(text), p.answer(text))
	add(other, call, p.answer(text), p.answer(text))
	add(event("message", "role", "user", "content", "go on"))
	add(event("message", "role", "assistant", "content", "hm"))
	add(event("reply"))
	return p.inSteps(list)
}

// texts returns texts of the sorts that the rules compare.
func (p pair) texts() (list [][]spec.Value) {
	for _, r := range []rule{p.declared, p.changed} {
		if !r.comparesTexts() || len(list) > 0 && r.Same.By == p.declared.Same.By {
			continue
		}
		for _, text := range []string{"hm", "hm, hm", ""} {
			list = append(list, []spec.Value{r.said(text)})
		}
		if r.Same.By == "piece" {
			list = append(list, []spec.Value{r.said("hm").With("channel", spec.StringValue(string(spec.Thinking)))})
		}
	}
	return list
}

// answer returns the answer that calls mostly have: one with which the declared rule counts them.
func (p pair) answer(text string) spec.Value {
	answer := event("tool_result", "content", text)
	if p.declared.Same.Outcome == "failed" {
		answer = answer.With("ok", spec.BoolValue(false))
	}
	return answer
}

// otherAnswer returns a failure in the place of a success, and a success in that of a failure.
func (p pair) otherAnswer(text string) spec.Value {
	return event("tool_result", "content", text).With("ok", spec.BoolValue(p.declared.Same.Outcome == "failed"))
}

func (p pair) answered(call spec.Value, text string) []spec.Value {
	return []spec.Value{call, p.answer(text)}
}

// inSteps begins what has calls with a reply, if one of the rules compares steps.
func (p pair) inSteps(list [][]spec.Value) [][]spec.Value {
	if p.declared.Same.By != "step" && p.changed.Same.By != "step" {
		return list
	}
	for i, events := range list {
		if spec.TypeOf(events[0]) == spec.ToolCall {
			list[i] = append([]spec.Value{event("reply")}, events...)
		}
	}
	return list
}

// plainCall returns a call that both rules see, with all arguments that they may keep; rather one that both report.
func (p pair) plainCall() spec.Value {
	call := called(plainTools[0], 0)
	for _, r := range []rule{p.declared, p.changed} {
		if c := r.tool(0); c != nil {
			call = *c
			break
		}
	}
	args := call.Get("args").With("m", spec.MustParse(`{"a":1,"b":2}`))
	one, other := p.declared.Same, p.changed.Same
	for _, name := range slices.Concat(one.Keep, one.Omit, other.Keep, other.Omit) {
		if args.Get(name).IsAbsent() {
			args = args.With(name, spec.StringValue("a"))
		}
	}
	return call.With("args", args)
}

// arguments returns arguments that differ from the usual ones in one member each, or in the order of members.
func (p pair) arguments(usual spec.Value) []spec.Value {
	list := []spec.Value{reversed(usual), spec.ObjectValue(usual.Members()[:1]...), spec.ObjectValue()}
	for _, m := range usual.Members() {
		list = append(list, usual.With(m.Name, spec.StringValue("other")), usual.Without(m.Name))
	}
	return list
}

// text returns the answer to a call, longer than what is compared of it.
func (p pair) text() string {
	longest := 1
	for _, prefix := range []int{p.declared.Same.Prefix, p.changed.Same.Prefix} {
		if prefix <= longestText {
			longest = max(longest, prefix)
		}
	}
	return strings.Repeat("r", longest+2)
}

// places returns where answers may differ: at the ends of the text, and on both sides of where a rule stops comparing.
func (p pair) places(text string) []int {
	at := []int{0, len(text) - 1}
	for _, prefix := range []int{p.declared.Same.Prefix, p.changed.Same.Prefix} {
		at = append(at, min(prefix-1, len(text)-1), min(prefix, len(text)-1))
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// tools returns the entries of lists that one of the rules has and the other has not; if both have the same, one entry
// of each list.
func (p pair) tools() []string {
	one, other := p.declared.entries(), p.changed.entries()
	var differ, some []string
	for i := range one {
		for _, entry := range slices.Concat(one[i], other[i]) {
			if slices.Contains(one[i], entry) != slices.Contains(other[i], entry) {
				differ = append(differ, entry)
			}
		}
		some = append(some, one[i][:min(len(one[i]), 1)]...)
	}
	if differ != nil {
		return slices.Compact(differ)
	}
	return some
}

// entries returns the lists of tools that a rule has, each list in the place of its kind.
func (r rule) entries() [][]string {
	lists := [][]string{r.written.Get("changes").Texts()}
	for _, name := range []string{"only", "except", "silent", "watched"} {
		lists = append(lists, r.written.Get("tools").Get(name).Texts())
	}
	return lists
}

// word is a trace, as the numbers of symbols of an alphabet; those beyond it are further calls, which all differ.
type word []int

// repeated returns a symbol so many times.
func repeated(symbol, n int) word { return slices.Repeat(word{symbol}, max(n, 0)) }

// different returns so many further calls, with so many symbols.
func different(symbols, n int) word {
	calls := make(word, max(n, 0))
	for i := range calls {
		calls[i] = symbols + i
	}
	return calls
}

// mostCounts bounds how many thresholds of a rule are tried, and mostPeriods how many periods.
const (
	mostCounts  = 4
	mostPeriods = 12
	drawnWords  = 150
	longestWord = 40
)

// counts returns what the rules count up to.
func (p pair) counts() []int {
	var list []int
	for _, r := range []rule{p.declared, p.changed} {
		for k, g := range r.Rungs[:min(len(r.Rungs), mostCounts)] {
			if r.length(k) <= MostEvents {
				list = append(list, g.At)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// words returns what may tell the rules apart, with so many symbols: the shapes that loop detectors are about, with
// each symbol in the place of one that repeats, then words by chance, which are the same each time.
func (p pair) words(symbols int) iter.Seq[word] {
	return func(yield func(word) bool) {
		for _, n := range p.counts() {
			for _, w := range slices.Concat(p.windows(n, symbols), p.cycles(n, symbols)) {
				if !yield(w) {
					return
				}
			}
		}
		for _, n := range p.counts() {
			for _, shape := range shapes {
				for x := range symbols {
					if !yield(shape(n, x)) {
						return
					}
				}
			}
		}
		dice := rand.New(rand.NewPCG(1, 1))
		for range drawnWords {
			w := make(word, 2+dice.IntN(longestWord))
			for i := range w {
				if dice.IntN(5) > 2 {
					w[i] = dice.IntN(symbols + 2)
				}
			}
			if !yield(w) {
				return
			}
		}
	}
}

// shapes are arrangements of the first symbol and another one about a count.
var shapes = []func(n, x int) word{
	func(n, x int) word { return repeated(x, 2*n+2) },
	func(n, x int) word { return slices.Concat(repeated(0, n), word{x}, repeated(0, n+1)) },
	func(n, x int) word { return slices.Concat(repeated(0, n-1), word{x}, repeated(0, 2)) },
	func(n, x int) word { return slices.Concat(word{x}, repeated(0, n+1)) },
	func(n, x int) word { return slices.Concat(repeated(x, n-1), word{0}, repeated(x, 2)) },
	func(n, x int) word { return slices.Repeat(word{0, x}, n+2) },
	func(n, x int) word { return slices.Concat(repeated(0, n+1), repeated(x, n+1)) },
	func(n, x int) word { return slices.Repeat(word{x, x + 1}, n+2) },
}

// windows returns words whose first symbol is just within a window, or just outside.
func (p pair) windows(n, symbols int) []word {
	var list []word
	for _, r := range []rule{p.declared, p.changed} {
		gap := r.Pattern.Last - n
		if r.Pattern.Sort == "run" || r.hasPeriods() || gap < 0 || gap > MostEvents {
			continue
		}
		if gap > longestWord && p.declared.Pattern == p.changed.Pattern {
			continue // the window is not what differs
		}
		fill := different(symbols, gap+1)
		list = append(list,
			slices.Concat(word{0}, fill[:gap], repeated(0, n)), slices.Concat(word{0}, fill, repeated(0, n)),
			slices.Concat(fill[:gap], repeated(0, n), word{symbols, 0}), slices.Concat(fill, repeated(0, n), word{symbols, 0}))
	}
	return list
}

// cycles returns laps of calls that all differ, of each period that one of the rules tries and of their neighbours.
func (p pair) cycles(n, symbols int) []word {
	var periods []int
	for _, r := range []rule{p.declared, p.changed} {
		if r.hasPeriods() {
			periods = append(periods, r.Pattern.From-1, r.Pattern.From, r.Pattern.From+1, r.Pattern.To, r.Pattern.To+1)
		}
	}
	slices.Sort(periods)
	var list []word
	for _, period := range slices.Compact(periods) {
		laps := n + 2
		if p.declared.Pattern.Sort == "periodic" && period > 0 {
			laps = n/period + 2
		}
		list = append(list, slices.Repeat(different(symbols, period), laps))
	}
	return list[:min(len(list), mostPeriods)]
}

// speller writes words as traces, in a variation: the one in which earlier rules do not see what the rule does.
type speller struct {
	pair
	variation
	alphabet [][]spec.Value
	spelled  map[[2]int][]spec.Value // by letter and, in a variation, by place
}

func newSpeller(p pair, offer spec.Offer, v variation) *speller {
	alphabet := lists.Filter(p.alphabet(), func(symbol []spec.Value) bool { return takes(offer, symbol) })
	return &speller{p, v, alphabet, map[[2]int][]spec.Value{}}
}

// spell returns the trace that a word is; false if it has too many events.
func (s *speller) spell(w word) (trace []spec.Value, ok bool) {
	if len(w) > MostEvents {
		return nil, false
	}
	if s.declared.Same.By == "step" || s.changed.Same.By == "step" {
		w = append(slices.Clip(w), last)
	}
	for i, letter := range w {
		if len(trace) > MostEvents {
			return trace, false
		}
		trace = append(trace, s.at(letter, i)...)
	}
	s.setTimes(trace, w)
	return trace, len(trace) <= MostEvents
}

// setTimes lets the first item be so old that one of the rules counts it and the other does not, if the ages that they
// count differ.
func (s *speller) setTimes(trace []spec.Value, w word) {
	one, other := s.declared.Pattern.Seconds, s.changed.Pattern.Seconds
	if one == other || len(w) == 0 {
		return
	}
	age := max(one, other)
	if one > 0 && other > 0 {
		age = min(one, other)
	}
	first := len(s.at(w[0], 0))
	for i := range trace {
		at := 0
		if i >= first {
			at = 1000 * age
		}
		trace[i] = trace[i].With("at", spec.IntValue(at))
	}
}

// last stands for the reply that completes the last step.
const last = -1

// at returns the symbol that a letter stands for at a place of a word.
func (s *speller) at(letter, i int) []spec.Value {
	if s.variation == 0 {
		i = 0
	}
	one, known := s.spelled[[2]int{letter, i}]
	if known {
		return one
	}
	one = s.of(letter)
	if s.variation != 0 {
		one = variedSymbol(one, i, s.variation)
	}
	s.spelled[[2]int{letter, i}] = one
	return one
}

// of returns the symbol that a letter stands for.
func (s *speller) of(letter int) []spec.Value {
	switch {
	case letter >= 0 && letter < len(s.alphabet):
		return s.alphabet[letter]
	case letter == last:
		return []spec.Value{event("reply")}
	case s.declared.comparesTexts():
		return []spec.Value{s.declared.said("text " + strconv.Itoa(letter))}
	default:
		call := called("x"+strconv.Itoa(letter), letter)
		if c := s.declared.tool(letter); c != nil {
			call = *c
		}
		return s.inSteps([][]spec.Value{s.answered(call, "done")})[0]
	}
}

// variedSymbol returns a symbol in a variation, at a place of a word.
func variedSymbol(values []spec.Value, i int, v variation) []spec.Value {
	list := between(v, i)
	for _, value := range values {
		switch typ := spec.TypeOf(value); {
		case typ == spec.ToolCall:
			value = varied(value, i, v)
		case typ == spec.ToolResult && v&otherResults != 0:
			value = value.With("content", spec.StringValue(value.Get("content").Text()+" "+strconv.Itoa(i)))
		}
		list = append(list, value)
	}
	return list
}
