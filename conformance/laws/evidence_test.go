package laws

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/spec"
)

// shorthand are events by the letters that the tables below write them with. An x is nothing that a port should have
// accepted.
var shorthand = map[string]string{
	"a":  `{"type":"tool_call","tool":"bash","args":{"command":"ls -l","n":1}}`,
	"a'": `{"type":"tool_call","tool":"bash","args":{"n":1,"command":"ls -l"}}`,
	"b":  `{"type":"tool_call","tool":"bash","args":{"command":"ls -a"}}`,
	"c":  `{"type":"tool_call","tool":"edit","args":{"command":"ls -l","n":1}}`,
	"p":  `{"type":"tool_call","tool":"bash","args":{"command":"pwd"}}`,
	"e":  `{"type":"tool_call","tool":"bash","args":{"command":" \t\n\r"}}`,
	"tl": `{"type":"tool_call","tool":"bash","args":{"command":"\tls\t-l"}}`,
	"cr": `{"type":"tool_call","tool":"bash","args":{"command":"\rls\r-l"}}`,
	"bs": `{"type":"tool_call","tool":"bash","args":{"command":"ls\b-l"}}`,
	"so": `{"type":"tool_call","tool":"bash","args":{"command":"ls\u000e-l"}}`,
	"ok": `{"type":"tool_result","content":"fine"}`,
	"ko": `{"type":"tool_result","content":"no","ok":false}`,
	"er": `{"type":"error","message":"boom"}`,
	"t+": `{"type":"test_run","passed":true}`,
	"t-": `{"type":"test_run","passed":false}`,
	"s":  `{"type":"message","role":"assistant","content":"I see"}`,
	"sc": `{"type":"message","role":"assistant","content":"I call","tool_calls":[{}]}`,
	"u":  `{"type":"message","role":"user","content":"go on"}`,
	"o":  `{"type":"output","text":"done"}`,
	"i":  `{"type":"iteration","elapsed_s":1,"output":"x","failed":false}`,
	"i-": `{"type":"iteration","elapsed_s":1,"output":"x","failed":true}`,
	"x":  `{"type":"tool_call"}`,
}

// observed plays a trace in shorthand; | is a reset and > a restore.
func observed(trace string) *Observed {
	o := &Observed{}
	for _, word := range strings.Fields(trace) {
		switch word {
		case "|":
			o.Reset()
		case ">":
			o.Restore()
		default:
			o.Add(spec.MustParse(shorthand[word]))
		}
	}
	return o
}

// proofCase is a verdict with its evidence after a trace; want is what is wrong with it, or empty.
type proofCase struct {
	why      string
	trace    string
	kind     spec.VerdictKind
	count    int
	evidence string
	want     string
}

// doesNotHold is how the problem of a proof begins.
func (p proofCase) doesNotHold(problem string) string {
	if problem == "" || strings.HasSuffix(problem, "!") {
		return strings.TrimSuffix(problem, "!")
	}
	return fmt.Sprintf("the evidence %s of %s does not hold: %s", p.evidence, p.kind, problem)
}

func checkProofs(t *testing.T, proofs []proofCase) {
	t.Helper()
	for _, p := range proofs {
		verdict := spec.MustParse(fmt.Sprintf(`{"loop":true,"kind":%q,"count":%d,"evidence":%s}`, p.kind, p.count, p.evidence))
		if got, want := CheckEvidence(observed(p.trace), verdict), p.doesNotHold(p.want); got != want {
			t.Errorf("%s: %q, %s\n got %q\nwant %q", p.why, p.trace, verdict, got, want)
		}
	}
}

func TestEvidenceNamesEventsThatARuleCanCount(t *testing.T) {
	checkProofs(t, []proofCase{
		{"the order is that of the trace", "a a", spec.KindRepeat, 2, "[1,0]", "[1,0] is no ascending list of indices from 0 to 1!"},
		{"no event counts twice", "a a", spec.KindRepeat, 2, "[0,0]", "[0,0] is no ascending list of indices from 0 to 1!"},
		{"nothing lies behind the end", "a a", spec.KindRepeat, 2, "[1,2]", "[1,2] is no ascending list of indices from 0 to 1!"},
		{"nothing lies before the beginning", "a a", spec.KindRepeat, 2, "[-1,1]", "[-1,1] is no ascending list of indices from 0 to 1!"},
		{"a reset forgets", "a | a a", spec.KindRepeat, 2, "[0,1]", "it names the event 0, which is from before the reset at 1 (PR-16)!"},
		{"what comes after a reset counts", "a | a a", spec.KindRepeat, 2, "[1,2]", ""},
		{"a restore has no events", "a > a a", spec.KindRepeat, 2, "[0,1]", "it names the event 0, which is from before the restore at 1 (PR-35)!"},
		{"what was counted before a restore cannot be named", "a > a a", spec.KindRepeat, 3, "[1,2]", ""},
		{"more than was counted cannot be named even then", "a > a a", spec.KindRepeat, 1, "[1,2]", "it names 2 events, and the count is 1"},
		{"a reset after a restore forgets that, too", "> a | a a", spec.KindRepeat, 3, "[1,2]", "it names 2 events, and the count is 3"},
		{"a kind without a rule claims nothing that could be checked", "a", "unheard_of", 7, "[0]", ""},
		{"but its list is checked", "a", "unheard_of", 7, "[1]", "[1] is no ascending list of indices from 0 to 0!"},
		{"an event that should have been refused keeps its index and is no evidence", "x a", spec.KindRepeat, 2, "[0,1]", "event 0, a , is nothing that the rule counts"},
		{"and those after it keep theirs", "x a er", spec.KindRepeat, 1, "[2]", "event 2, a error, is nothing that the rule counts"},
	})
}

func TestEvidenceOfNoLoopOrNoneClaimsNothing(t *testing.T) {
	for _, verdict := range []string{
		`{"loop":false,"kind":"exact","count":2,"evidence":[7]}`,
		`{"loop":true,"kind":"exact","count":2}`,
	} {
		if got := CheckEvidence(observed("a a"), spec.MustParse(verdict)); got != "" {
			t.Errorf("%s: got %q, want nothing", verdict, got)
		}
	}
}

func TestEvidenceOfEachKind(t *testing.T) {
	const between, apart = "event 1 is between them", "the calls 0 and 1 are of different tools"
	none := func(i int, typ spec.EventType) string {
		return fmt.Sprintf("event %d, a %s, is nothing that the rule counts", i, typ)
	}
	short := func(n, count int) string { return fmt.Sprintf("it names %d events, and the count is %d", n, count) }
	behind := func(i int) string { return fmt.Sprintf("it does not reach event %d, the latest", i) }
	checkProofs(t, []proofCase{
		{"holds, whatever the order of the keys", "a ok a' u", spec.KindExact, 2, "[0,2]", ""},
		{"no call", "a ok", spec.KindExact, 2, "[0,1]", none(1, spec.ToolResult)},
		{"other arguments", "a b", spec.KindExact, 2, "[0,1]", "the calls 0 and 1 differ"},
		{"another tool", "a a c", spec.KindExact, 3, "[0,1,2]", "the calls 0 and 2 differ"},
		{"another call between", "a b a", spec.KindExact, 2, "[0,2]", between},
		{"a later call", "a a b", spec.KindExact, 2, "[0,1]", behind(2)},
		{"one too few", "a a", spec.KindExact, 2, "[1]", short(1, 2)},
		{"one too many", "a a", spec.KindExact, 1, "[0,1]", short(2, 1)},
		{"nothing at all", "a a", spec.KindExact, 2, "[]", behind(1)},
		{"nothing to name", "u", spec.KindExact, 2, "[]", short(0, 2)},
		{"nothing before the reset to reach", "a a | u", spec.KindExact, 2, "[]", short(0, 2)},
		{"the first event after a reset to reach", "u | a", spec.KindExact, 1, "[]", behind(1)},
		{"the very first event to reach", "a", spec.KindExact, 0, "[]", behind(0)},
		{"what came before the first is not between", "b a a", spec.KindExact, 2, "[1,2]", ""},

		{"holds", "a ok b", spec.KindFuzzy, 2, "[0,2]", ""},
		{"no call", "a ok", spec.KindFuzzy, 2, "[0,1]", none(1, spec.ToolResult)},
		{"another tool", "a c", spec.KindFuzzy, 2, "[0,1]", apart},
		{"another call between", "a c b", spec.KindFuzzy, 2, "[0,2]", between},
		{"a later call", "a b b", spec.KindFuzzy, 2, "[0,1]", behind(2)},
		{"one too few", "a b", spec.KindFuzzy, 3, "[0,1]", short(2, 3)},

		{"holds", "t- a t-", spec.KindTestFix, 2, "[0,2]", ""},
		{"a passed test", "t- t+", spec.KindTestFix, 2, "[0,1]", none(1, spec.TestRun)},
		{"no test", "t- a", spec.KindTestFix, 2, "[0,1]", none(1, spec.ToolCall)},
		{"a passed test between", "t- t+ t-", spec.KindTestFix, 2, "[0,2]", between},
		{"a later test", "t- t- t+", spec.KindTestFix, 2, "[0,1]", behind(2)},
		{"one too few", "t- t-", spec.KindTestFix, 3, "[0,1]", short(2, 3)},

		{"holds, whatever is between or after", "ko ok ko ok", spec.KindBashCascade, 2, "[0,2]", ""},
		{"an event that should have been refused", "x ko", spec.KindBashCascade, 2, "[0,1]", none(0, "")},
		{"a result that is well", "ko ok", spec.KindBashCascade, 2, "[0,1]", none(1, spec.ToolResult)},
		{"no result", "ko a", spec.KindBashCascade, 2, "[0,1]", none(1, spec.ToolCall)},
		{"one too few", "ko ko", spec.KindBashCascade, 3, "[0,1]", short(2, 3)},

		{"holds, whatever a user says", "s u s", spec.KindSummary, 2, "[0,2]", ""},
		{"a user's message", "s u", spec.KindSummary, 2, "[0,1]", none(1, spec.Message)},
		{"a message that calls", "s sc", spec.KindSummary, 2, "[0,1]", none(1, spec.Message)},
		{"no message", "s a", spec.KindSummary, 2, "[0,1]", none(1, spec.ToolCall)},
		{"a message between", "s s s", spec.KindSummary, 2, "[0,2]", between},
		{"a later message", "s s s", spec.KindSummary, 2, "[0,1]", behind(2)},
		{"one too few", "s s", spec.KindSummary, 3, "[0,1]", short(2, 3)},

		{"holds, whatever is between", "o o o", spec.KindSignature, 2, "[0,2]", ""},
		{"no output", "o s", spec.KindSignature, 2, "[0,1]", none(1, spec.Message)},
		{"a later output", "o o", spec.KindSignature, 1, "[0]", behind(1)},
		{"one too few", "o o", spec.KindSignature, 2, "[1]", short(1, 2)},

		{"holds, whatever is between or after", "a c b c", spec.KindRepeat, 2, "[0,2]", ""},
		{"no call", "a er", spec.KindRepeat, 2, "[0,1]", none(1, spec.ErrorEvent)},
		{"another tool", "a c", spec.KindRepeat, 2, "[0,1]", apart},
		{"one too few", "a a", spec.KindRepeat, 3, "[0,1]", short(2, 3)},
		{"holds, whatever is between or after", "a c b c", spec.KindToolLimit, 2, "[0,2]", ""},
		{"no call", "a er", spec.KindToolLimit, 2, "[0,1]", none(1, spec.ErrorEvent)},
		{"another tool", "a c", spec.KindToolLimit, 2, "[0,1]", apart},
		{"one too few", "a a", spec.KindToolLimit, 3, "[0,1]", short(2, 3)},

		{"holds", "a p b p", spec.KindFirstWord, 2, "[0,2]", ""},
		{"holds, whatever white space there is", "a tl cr", spec.KindFirstWord, 3, "[0,1,2]", ""},
		{"no call", "a er", spec.KindFirstWord, 2, "[0,1]", none(1, spec.ErrorEvent)},
		{"another tool", "a c", spec.KindFirstWord, 2, "[0,1]", apart},
		{"another word", "a p", spec.KindFirstWord, 2, "[0,1]", "the commands of 0 and 1 do not begin with the same word"},
		{"no word", "e e", spec.KindFirstWord, 2, "[0,1]", "the commands of 0 and 0 do not begin with the same word"},
		{"a control character before the tab is no white space", "a bs", spec.KindFirstWord, 2, "[0,1]", "the commands of 0 and 1 do not begin with the same word"},
		{"nor is one after the carriage return", "a so", spec.KindFirstWord, 2, "[0,1]", "the commands of 0 and 1 do not begin with the same word"},
		{"one too few", "a b", spec.KindFirstWord, 3, "[0,1]", short(2, 3)},

		{"holds, whatever is between or after", "a b a b", spec.KindRepeatingAction, 2, "[0,2]", ""},
		{"no call", "a er", spec.KindRepeatingAction, 2, "[0,1]", none(1, spec.ErrorEvent)},
		{"another call", "a b", spec.KindRepeatingAction, 2, "[0,1]", "the calls 0 and 1 differ"},
		{"one too few", "a a", spec.KindRepeatingAction, 3, "[0,1]", short(2, 3)},

		{"holds with errors", "er a er", spec.KindRepeatingError, 2, "[0,2]", ""},
		{"holds with a single error", "er", spec.KindRepeatingError, 1, "[0]", ""},
		{"holds with calls", "a er a", spec.KindRepeatingError, 2, "[0,2]", ""},
		{"a call among errors", "er a", spec.KindRepeatingError, 2, "[0,1]", "the events 0 and 1 are of different types"},
		{"an error among calls", "a er", spec.KindRepeatingError, 2, "[0,1]", "the events 0 and 1 are of different types"},
		{"another call", "a b", spec.KindRepeatingError, 2, "[0,1]", "the calls 0 and 1 differ"},
		{"neither", "s s", spec.KindRepeatingError, 2, "[0,1]", none(0, spec.Message)},
		{"nothing", "s", spec.KindRepeatingError, 2, "[]", short(0, 2)},
		{"one too few", "er er", spec.KindRepeatingError, 3, "[0,1]", short(2, 3)},

		{"holds, whatever is between or after", "s s s a", spec.KindMonologue, 2, "[0,2]", ""},
		{"a user's message", "s u", spec.KindMonologue, 2, "[0,1]", none(1, spec.Message)},
		{"one too few", "s s", spec.KindMonologue, 3, "[0,1]", short(2, 3)},

		{"holds with two events for each that is counted", "a b a b", spec.KindAlternating, 2, "[0,1,2,3]", ""},
		{"no call", "a b a er", spec.KindAlternating, 2, "[0,1,2,3]", none(3, spec.ErrorEvent)},
		{"the third is not like the first", "a b p b", spec.KindAlternating, 2, "[0,1,2,3]", "the calls 0 and 2, two apart, differ"},
		{"the fourth is not like the second", "a b a p", spec.KindAlternating, 2, "[0,1,2,3]", "the calls 1 and 3, two apart, differ"},
		{"half of them", "a b a b", spec.KindAlternating, 4, "[0,1,2,3]", short(4, 4)},

		{"holds, whatever is between or after", "er er er a", spec.KindContextError, 2, "[0,2]", ""},
		{"no error", "er a", spec.KindContextError, 2, "[0,1]", none(1, spec.ToolCall)},
		{"one too few", "er er", spec.KindContextError, 3, "[0,1]", short(2, 3)},

		{"holds, whatever is between", "a c b", spec.KindGlobal, 2, "[0,2]", ""},
		{"no call", "a ok", spec.KindGlobal, 2, "[0,1]", none(1, spec.ToolResult)},
		{"another tool", "a c", spec.KindGlobal, 2, "[0,1]", apart},
		{"a later call", "a b c", spec.KindGlobal, 2, "[0,1]", behind(2)},
		{"one too few", "a b", spec.KindGlobal, 3, "[0,1]", short(2, 3)},

		{"holds, whatever is between", "o o o", spec.KindSimilar, 1, "[0,2]", ""},
		{"no output", "a o", spec.KindSimilar, 1, "[0,1]", none(0, spec.ToolCall)},
		{"a later output", "o o o", spec.KindSimilar, 1, "[0,1]", behind(2)},
		{"one of the two", "o o", spec.KindSimilar, 1, "[1]", "it names 1 events instead of 2"},
		{"three", "o o o", spec.KindSimilar, 1, "[0,1,2]", "it names 3 events instead of 2"},
		{"the earlier one may lie before a restore", "o > o", spec.KindSimilar, 1, "[1]", ""},
		{"both are after it", "o > o o", spec.KindSimilar, 1, "[1,2]", ""},
		{"no more than two even then", "> o o o", spec.KindSimilar, 1, "[0,1,2]", "it names 3 events instead of 2"},

		{"holds", "i i-", spec.KindMaxIterations, 7, "[1]", ""},
		{"no iteration", "o", spec.KindMaxIterations, 7, "[0]", none(0, spec.Output)},
		{"a later one", "i i", spec.KindMaxIterations, 7, "[0]", behind(1)},
		{"two", "i i", spec.KindMaxIterations, 2, "[0,1]", "it names 2 events instead of 1"},
		{"holds", "i i-", spec.KindMaxRuntime, 7, "[1]", ""},
		{"no iteration", "o", spec.KindMaxRuntime, 7, "[0]", none(0, spec.Output)},
		{"a later one", "i i", spec.KindMaxRuntime, 7, "[0]", behind(1)},
		{"two", "i i", spec.KindMaxRuntime, 2, "[0,1]", "it names 2 events instead of 1"},

		{"holds, whatever is between", "i i- i", spec.KindLoopDetection, 2, "[0,2]", ""},
		{"no iteration", "i o", spec.KindLoopDetection, 2, "[0,1]", none(1, spec.Output)},
		{"a later one", "i i i", spec.KindLoopDetection, 2, "[0,1]", behind(2)},
		{"one too few", "i i", spec.KindLoopDetection, 3, "[0,1]", short(2, 3)},

		{"holds", "i- o i-", spec.KindConsecutiveErrors, 2, "[0,2]", ""},
		{"one that did not fail", "i- i", spec.KindConsecutiveErrors, 2, "[0,1]", none(1, spec.Iteration)},
		{"no iteration", "i- o", spec.KindConsecutiveErrors, 2, "[0,1]", none(1, spec.Output)},
		{"one that did not fail between", "i- i i-", spec.KindConsecutiveErrors, 2, "[0,2]", between},
		{"a later one", "i- i- i", spec.KindConsecutiveErrors, 2, "[0,1]", behind(2)},
		{"one too few", "i- i-", spec.KindConsecutiveErrors, 3, "[0,1]", short(2, 3)},
	})
}

// TestEvidenceMayBeCutToTheLatest shows the bound of a list: at it the count may be larger, and only there.
func TestEvidenceMayBeCutToTheLatest(t *testing.T) {
	list := func(from, to int) string {
		return strings.ReplaceAll(fmt.Sprint(indices(from, to)), " ", ",")
	}
	checkProofs(t, []proofCase{
		{"cut to the bound", strings.Repeat("a ", 103), spec.KindRepeat, 103, list(3, 103), ""},
		{"cut to less", strings.Repeat("a ", 103), spec.KindRepeat, 103, list(4, 103), "it names 99 events, and the count is 103"},
		{"the bound itself", strings.Repeat("a ", 100), spec.KindRepeat, 100, list(0, 100), ""},
		{"more than was counted", strings.Repeat("a ", 100), spec.KindRepeat, 99, list(0, 100), "it names 100 events, and the count is 99"},
	})
}

func indices(from, to int) []int {
	var list []int
	for i := from; i < to; i++ {
		list = append(list, i)
	}
	return list
}

// echo is a port whose verdict on an event is the one that the event brings along. It opens no session in a reading.
type echo struct{ spec.Port }

func (echo) Open(_ context.Context, _ spec.DetectorID, reading spec.Reading, _ spec.Value) (spec.Session, error) {
	if reading != "" {
		return nil, errAway
	}
	return echoSession{}, nil
}

func (echo) Describe(context.Context) (spec.Description, error) { return spec.Description{}, nil }

var errAway = errors.New("gone away")

type echoSession struct{ spec.Session }

func (echoSession) Observe(_ context.Context, events []spec.Value) ([]spec.Value, error) {
	verdicts := make([]spec.Value, len(events))
	for i, e := range events {
		verdicts[i] = e.Get("verdict")
	}
	return verdicts, nil
}

func (echoSession) Reset(context.Context) error { return nil }
func (echoSession) Close(context.Context) error { return nil }

// speech is an event that brings along a verdict of as many messages as its evidence names.
func speech(session, count int, evidence string) Step {
	text := `{"type":"message","role":"assistant","content":"well","verdict":{"loop":true,"kind":"monologue","count":%d,"evidence":%s}}`
	return Step{Session: session, Event: spec.MustParse(fmt.Sprintf(text, count, evidence))}
}

// TestEvidenceLawReadsEachSessionByItself shows that the law keeps agents apart, hears of resets, and names the step.
func TestEvidenceLawReadsEachSessionByItself(t *testing.T) {
	right := Trace{Steps: []Step{speech(0, 1, "[0]"), speech(1, 1, "[0]"), speech(0, 2, "[0,1]"), {Session: 0}, speech(0, 1, "[2]"), speech(1, 2, "[0,1]")}}
	if err := evidenceHolds.Check(t.Context(), echo{}, right); err != nil {
		t.Errorf("got %v, want no breach", err)
	}
	wrong := right.with(append(right.Steps[:5:5], speech(1, 1, "[2]"), speech(1, 1, "[0]")))
	want := `law evidence, step 6: [2] is no ascending list of indices from 0 to 1: want null, got ` + wrong.Steps[5].Event.Get("verdict").String()
	if err := evidenceHolds.Check(t.Context(), echo{}, wrong); err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
	forgotten := right.with(append(right.Steps[:4:4], speech(0, 1, "[1]")))
	if err := evidenceHolds.Check(t.Context(), echo{}, forgotten); err == nil {
		t.Error("an event from before the reset was named, and nothing was said")
	}
	right.Reading = spec.Code
	if err := evidenceHolds.Check(t.Context(), echo{}, right); !errors.Is(err, errAway) {
		t.Errorf("a port that is gone: got %v, want %v", err, errAway)
	}
}

// TestEvidenceLawIsDescribed pins what the runner goes by.
func TestEvidenceLawIsDescribed(t *testing.T) {
	law := evidenceHolds
	got := fmt.Sprintf("%s %s %v %v %s %s", law.ID, law.Clause, law.Needs, law.Detectors, law.Sentence, law.Why)
	want := "evidence PR-34 [evidence] [] The events that a verdict names have the type that its rule counts, and their number is the count. " +
		"Wrong evidence leads the person who debugs the agent to the wrong place."
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
