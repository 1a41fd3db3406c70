package crow_test

import (
	"strings"
	"testing"

	"github.com/loopstone/loopstone/internal/testing/detectortest"
	"github.com/loopstone/loopstone/reference/crow"
	"github.com/loopstone/loopstone/spec"
	"pgregory.net/rapid"
)

func TestLaws(t *testing.T) {
	detectortest.Subject{
		Detector: spec.Crow, New: crow.New, Configs: anyConfig, Traces: anyTrace,
	}.Check(t)
}

// Traces are made of few different things, so that calls repeat, messages are equal and outcomes find calls to belong
// to.

// callForms are the calls of the traces; some are identical in another spelling.
var callForms = []string{
	`"tool":"a"`, `"tool":"a","args":{}`, `"tool":"b"`,
	`"tool":"a","args":{"x":1,"y":{"p":[1,2],"q":null}}`, `"tool":"a","args":{"y":{"q":null,"p":[1,2]},"x":1}`,
	`"tool":"a","args":{"x":1.0}`, `"tool":"b","args":{"x":"1"}`,
}

var errorForms = []string{
	`"message":"boom"`, `"message":"boom","error_type":"io"`, `"message":""`, `"message":"a Context of its own"`,
	`"message":"Context WINDOW exceeded"`, `"message":"x","error_type":"context_length_exceeded"`,
}

var messageForms = []string{
	`"role":"assistant","content":"hm"`, `"role":"assistant","content":"hm","tool_calls":[]`,
	`"role":"assistant","content":"ok"`, `"role":"assistant","content":"ok","tool_calls":[{"id":"t"}]`,
	`"role":"user","content":"hm"`, `"role":"user","content":"go"`, `"role":"system","content":"hm"`,
}

func pick(t *rapid.T, label string, from ...string) string {
	return rapid.SampledFrom(from).Draw(t, label)
}

func drawCall(t *rapid.T) string {
	return `{"type":"tool_call",` + pick(t, "call", callForms...) + pick(t, "id", "", "", `,"id":"1"`, `,"id":"2"`) + `}`
}

func drawOutcome(t *rapid.T) string {
	return drawOutcomeTo(t, "", "", `,"call":"1"`, `,"call":"2"`, `,"tool":"a"`, `,"tool":"b"`)
}

// drawOutcomeTo returns a result or an error with one of the given ways to name its call.
func drawOutcomeTo(t *rapid.T, ways ...string) string {
	if rapid.IntRange(0, 2).Draw(t, "fails") == 0 {
		return `{"type":"error",` + pick(t, "error", errorForms...) + pick(t, "to", ways...) + `}`
	}
	content := pick(t, "content", `"out"`, `"out","ok":false`, `"boom"`)
	return `{"type":"tool_result","content":` + content + pick(t, "to", ways...) + `}`
}

func drawMessage(t *rapid.T) string {
	return `{"type":"message",` + pick(t, "message", messageForms...) + `}`
}

func drawEvent(t *rapid.T) string {
	switch rapid.IntRange(0, 7).Draw(t, "type") {
	case 0, 1, 2:
		return drawCall(t)
	case 3, 4, 5:
		return drawOutcome(t)
	case 6:
		return drawMessage(t)
	default:
		return `{"type":"output","text":"ignored"}`
	}
}

// drawStep returns a call that is answered at once.
func drawStep(t *rapid.T) []string {
	return []string{`{"type":"tool_call",` + pick(t, "call", callForms...) + `}`, drawOutcomeTo(t, "")}
}

// drawParallel returns calls that are made at once and answered in any order.
func drawParallel(t *rapid.T) []string {
	ids := []string{`"1"`, `"2"`, `"3"`}[:rapid.IntRange(2, 3).Draw(t, "calls")]
	call, outcome := pick(t, "call", callForms...), drawOutcomeTo(t, "")
	var turn []string
	for _, id := range ids {
		turn = append(turn, `{"type":"tool_call",`+call+`,"id":`+id+`}`)
	}
	for _, id := range rapid.Permutation(ids).Draw(t, "order") {
		turn = append(turn, strings.TrimSuffix(outcome, "}")+`,"call":`+id+`}`)
	}
	return turn
}

// drawPassage returns a few events, several times over: a run, an alternation, talk, or just anything.
func drawPassage(t *rapid.T) []string {
	var turn []string
	least := 1
	switch rapid.IntRange(0, 6).Draw(t, "passage") {
	case 0:
		turn = drawStep(t)
	case 1:
		turn, least = append(drawStep(t), drawStep(t)...), 5
	case 2:
		turn, least = []string{drawCall(t), drawCall(t)}, 4
	case 3:
		turn = drawParallel(t)
	case 4:
		turn = rapid.SliceOfN(rapid.Custom(drawMessage), 1, 5).Draw(t, "talk")
	default:
		turn = rapid.SliceOfN(rapid.Custom(drawEvent), 1, 4).Draw(t, "turn")
	}
	var events []string
	for range rapid.IntRange(least, 7).Draw(t, "times") {
		events = append(events, turn...)
	}
	return events
}

// longestTrace is enough to fill the largest window once, and little enough for rules that are told naively.
const longestTrace = 70

func anyTrace(t *rapid.T) []spec.Event {
	var trace []spec.Event
	for range rapid.IntRange(1, 5).Draw(t, "passages") {
		for _, text := range drawPassage(t) {
			event, err := spec.DecodeEvent(spec.MustParse(text))
			if err != nil {
				t.Fatal(err)
			}
			trace = append(trace, event)
		}
	}
	return trace[:min(len(trace), longestTrace)]
}

func anyConfig(t *rapid.T, reading spec.Reading) spec.Value {
	number := func(name string, of ...int) spec.Member {
		return spec.Member{Name: name, Value: spec.IntValue(rapid.SampledFrom(of).Draw(t, name))}
	}
	config := []spec.Member{number("recent", 0, 1, 7, 8, 12, 20, 24, 30, 50), number("check_every", 1, 1, 1, 2, 3)}
	if reading == spec.Code {
		config = append(config, number("threshold_cycles", 1, 2, 3, 4))
	}
	return spec.ObjectValue(config...)
}
