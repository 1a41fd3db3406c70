package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/spec"
)

// The traces are drawn here and not by package generate: what the runner draws may be blind where its cases are.

// drawTrace returns the events of a trace for a profile: of calls, or of streamed text.
func drawTrace(id spec.DetectorID, r *rand.Rand) []laws.Step {
	d := drawer{Rand: r}
	switch {
	case id == "@vllm-stream":
		d.stream([]int{100, 200, 350}, 110, true)
	case id.Row() == spec.Stream:
		d.stream([]int{300, 300, 600, 600, 1200, 6500}, 320, false)
	default:
		d.calls()
	}
	return d.steps
}

// drawer draws one trace.
type drawer struct {
	*rand.Rand

	steps []laws.Step
}

func (d *drawer) add(members ...spec.Member) {
	d.steps = append(d.steps, laws.Step{Event: spec.ObjectValue(members...)})
}

func member(name, text string) spec.Member {
	return spec.Member{Name: name, Value: spec.StringValue(text)}
}

// oneIn reports true once in n times.
func (d *drawer) oneIn(n int) bool { return d.IntN(n) == 0 }

var (
	toolNames  = []string{"bash", "read", "edit", "grep", "wait", "fetch"}
	plainArgs  = []string{"{}", `{"path":"a.go"}`, `{"path":"b.go"}`, `{"path":"A.go"}`, `{"path":"a.go","line":1}`}
	otherArgs  = []string{`{"line":1,"path":"a.go"}`, `{"q":{"x":[1,2],"y":"ä"}}`, `{"q":{"y":"ä","x":[1,2]}}`, `{"n":12}`}
	resultText = []string{"ok", "ok ", "nothing found", "error: no such file"}
)

// template is a call as it occurs again and again, with what it returns.
type template struct {
	tool    string
	args    spec.Value
	thought string
	result  string
	fails   bool
}

func (d *drawer) template() template {
	args := plainArgs
	if d.oneIn(3) {
		args = otherArgs
	}
	value, err := spec.ParseValue([]byte(pick(d, args)))
	if err != nil {
		panic(err) // the lists above are JSON
	}
	t := template{tool: pick(d, toolNames), args: value, result: pick(d, resultText), fails: d.oneIn(4)}
	if d.oneIn(4) {
		t.thought = pick(d, []string{"look", "try"})
	}
	return t
}

func pick[T any](d *drawer, list []T) T { return list[d.IntN(len(list))] }

// calls draws cycles of calls, with noise between and within them.
func (d *drawer) calls() {
	alphabet := make([]template, 1+d.IntN(6))
	for i := range alphabet {
		alphabet[i] = d.template()
	}
	most := pick(d, []int{12, 30, 60, 120})
	if d.oneIn(50) {
		most = 1000
	}
	for len(d.steps) < most {
		period, laps := 1+d.IntN(min(6, len(alphabet))), 1+d.IntN(9)
		first, noise := d.IntN(len(alphabet)), pick(d, []int{4, 12, 1000})
		for i := range period * laps {
			d.call(alphabet[(first+i%period)%len(alphabet)], noise)
		}
		d.words()
	}
}

// call draws a call of a template, which is changed once in noise times, and its answer.
func (d *drawer) call(t template, noise int) {
	if d.oneIn(noise) {
		switch d.IntN(5) {
		case 0:
			t.tool = pick(d, toolNames)
		case 1:
			t.args = d.template().args
		case 2:
			t.result = fmt.Sprint("result ", d.IntN(100))
		case 3:
			t.fails = !t.fails
		default:
			t = d.template()
		}
	}
	call := []spec.Member{member("type", "tool_call"), member("tool", t.tool), {Name: "args", Value: t.args}}
	if t.thought != "" {
		call = append(call, member("thought", t.thought))
	}
	d.add(call...)
	switch {
	case t.fails && d.oneIn(2):
		d.add(member("type", "error"), member("message", t.result))
	default:
		ok := spec.Member{Name: "ok", Value: spec.BoolValue(!t.fails)}
		d.add(member("type", "tool_result"), member("content", t.result), ok)
	}
}

// words draws messages after some calls: of the user, and then perhaps some of the agent.
func (d *drawer) words() {
	switch {
	case d.oneIn(4):
		d.add(member("type", "message"), member("role", "user"), member("content", "go on"))
		for range max(0, d.IntN(8)-3) {
			d.add(member("type", "message"), member("role", "assistant"), member("content", pick(d, resultText)))
		}
	case d.oneIn(6):
		d.add(member("type", "reply"))
	case d.oneIn(40):
		d.steps = append(d.steps, laws.Step{})
	}
}

const letters = "abcdefghijklmnopqrstuvwxyz  ,.é"

// text returns a random text of n characters.
func (d *drawer) text(n int) string {
	all := []rune(letters)
	var b strings.Builder
	for range n {
		b.WriteRune(all[d.IntN(len(all))])
	}
	return b.String()
}

// stream draws text with copies of a unit, in pieces.
func (d *drawer) stream(sizes []int, longest int, isPlain bool) {
	most, size := pick(d, sizes), pick(d, []int{1, 7, 33, 80, 240, 900})
	if size == 1 && most > 1000 {
		size = 33
	}
	d.add(member("type", "reply"))
	for n := 0; n < most; {
		text := d.copies(longest)
		if d.oneIn(3) {
			text = d.text(d.IntN(most))
		}
		n += len(text)
		d.pieces(text, size)
		if !isPlain && d.oneIn(3) {
			d.mark()
		}
		if d.oneIn(12) {
			d.words()
		}
	}
}

// copies returns some copies of a text, with something between them now and then.
func (d *drawer) copies(longest int) string {
	unit := d.text(1 + d.IntN(longest))
	between := pick(d, []int{0, 0, 0, 1, 20, 300})
	distinct := make([]string, 1+d.IntN(8)) // what stands between
	for i := range distinct {
		distinct[i] = d.text(d.IntN(between + 1))
	}
	var b strings.Builder
	for range 2 + d.IntN(14) {
		b.WriteString(unit + pick(d, distinct))
	}
	return b.String()
}

// pieces cuts a text into events: all but the last have one size.
func (d *drawer) pieces(text string, size int) {
	for rest := []rune(text); len(rest) > 0; {
		n := min(size, len(rest))
		d.add(member("type", "delta"), member("text", string(rest[:n])))
		rest = rest[n:]
	}
}

var elements = []string{
	"```\n", "# Title\n", "### Title\n", "| a | b |\n", "+---+\n", "- item\n", "* item\n", "12. item\n", "> quoted\n",
	"────",
}

// mark draws a piece that is an element of Markdown, or a call.
func (d *drawer) mark() {
	if d.oneIn(8) {
		d.call(d.template(), 1000)
		return
	}
	d.add(member("type", "delta"), member("text", "\n"))
	d.add(member("type", "delta"), member("text", pick(d, elements)))
}
