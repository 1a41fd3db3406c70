package laws

import (
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// grounds says what the events that a verdict names as its evidence must be.
type grounds struct {
	of      func(spec.Event) bool // each of them
	alike   []likeness            // what they have in common
	cycle   int                   // they come in turns of so many, of which the verdict counts the turns; 1 without it
	items   bool                  // as many as are counted, though the verdict has a period
	exactly int                   // how many they are, whatever is counted; as many as are counted without it
	some    bool                  // they may be as many as they like
	among   func(spec.Event) bool // the events that run and latest are about; those of `of` without it
	run     bool                  // none of these stands between them
	latest  bool                  // the last of these in the trace is the last of them
}

// likeness is what two events have in common.
type likeness struct {
	holds     func(a, b spec.Event) bool
	otherwise string // what is wrong otherwise, with the indices of the two as %d
}

// evidenceOf has what the evidence of each rule must be, by the kind of its verdict.
var evidenceOf = map[spec.VerdictKind]grounds{
	spec.KindExact:       {of: isCall, alike: sameCalls, run: true, latest: true},
	spec.KindFuzzy:       {of: isCall, alike: sameTools, run: true, latest: true},
	spec.KindTestFix:     {of: isFailedTest, among: isTest, run: true, latest: true},
	spec.KindBashCascade: {of: isFailedResult},
	spec.KindSummary:     {of: isSpeech, run: true, latest: true},

	spec.KindSignature: {of: isOutput, latest: true},

	spec.KindRepeat:    {of: isCall, alike: sameTools},
	spec.KindToolLimit: {of: isCall, alike: sameTools},
	spec.KindFirstWord: {of: isCall, alike: sameWords},

	spec.KindRepeatingAction: {of: isCall, alike: sameCalls},
	spec.KindRepeatingError:  {of: isErrorOrCall, alike: sameFailures},
	spec.KindMonologue:       {of: isSpeech},
	spec.KindAlternating:     {of: isCall, alike: sameCallsInTurn, cycle: 2},
	spec.KindContextError:    {of: isError},

	spec.KindGlobal: {of: isCall, alike: sameTools, latest: true},

	spec.KindSimilar: {of: isOutput, latest: true, exactly: 2},

	spec.KindMaxIterations:     {of: isIteration, latest: true, exactly: 1},
	spec.KindMaxRuntime:        {of: isIteration, latest: true, exactly: 1},
	spec.KindLoopDetection:     {of: isIteration, latest: true},
	spec.KindConsecutiveErrors: {of: isFailedIteration, among: isIteration, run: true, latest: true},

	spec.KindRun:      {of: isStep},
	spec.KindAmong:    {of: isStep},
	spec.KindCycle:    {of: isStep},
	spec.KindStreak:   {of: isStep},
	spec.KindRevisit:  {of: isStep},
	spec.KindPeriodic: {of: isStep, items: true},

	spec.KindTail:  pieces,
	spec.KindChunk: pieces,
	spec.KindLines: pieces,
}

// pieces: all of one channel without a gap, up to the current one.
var pieces = grounds{of: isDelta, alike: sameChannels, latest: true, some: true}

func isDelta(e spec.Event) bool { return e.Type == spec.Delta }

func isCall(e spec.Event) bool        { return e.Type == spec.ToolCall }
func isTest(e spec.Event) bool        { return e.Type == spec.TestRun }
func isError(e spec.Event) bool       { return e.Type == spec.ErrorEvent }
func isOutput(e spec.Event) bool      { return e.Type == spec.Output }
func isIteration(e spec.Event) bool   { return e.Type == spec.Iteration }
func isErrorOrCall(e spec.Event) bool { return isError(e) || isCall(e) }

func isFailedTest(e spec.Event) bool      { return isTest(e) && !e.Passed }
func isFailedResult(e spec.Event) bool    { return e.Type == spec.ToolResult && !e.OK }
func isFailedIteration(e spec.Event) bool { return isIteration(e) && e.Failed }

// isStep: a call, an assistant's message, a reply without calls or a piece of the answer.
func isStep(e spec.Event) bool {
	return isCall(e) || e.Type == spec.Message && e.Role == spec.Assistant || isDelta(e) && e.Channel == spec.Answer
}

// isSpeech: an assistant's message that calls no tool.
func isSpeech(e spec.Event) bool {
	return e.Type == spec.Message && e.Role == spec.Assistant && len(e.ToolCalls.Items()) == 0
}

var (
	sameCalls       = []likeness{{sameCall, "the calls %d and %d differ"}}
	sameCallsInTurn = []likeness{{sameCall, "the calls %d and %d, two apart, differ"}}
	sameTools       = []likeness{{sameTool, "the calls %d and %d are of different tools"}}
	sameWords       = append(sameTools,
		likeness{sameFirstWord, "the commands of %d and %d do not begin with the same word"})

	// The code reading of crow counts errors, its text reading calls that failed.
	sameFailures = []likeness{
		{func(a, b spec.Event) bool { return a.Type == b.Type }, "the events %d and %d are of different types"},
		{func(a, b spec.Event) bool { return isError(a) || sameCall(a, b) }, "the calls %d and %d differ"},
	}
)

var sameChannels = []likeness{
	{func(a, b spec.Event) bool { return a.Channel == b.Channel }, "the pieces %d and %d are of different channels"},
}

func sameTool(a, b spec.Event) bool { return a.Tool == b.Tool }

func sameCall(a, b spec.Event) bool {
	return a.Tool == b.Tool && a.Args.Canonical() == b.Args.Canonical()
}

func sameFirstWord(a, b spec.Event) bool {
	word := firstWord(a)
	return word != "" && word == firstWord(b)
}

func firstWord(e spec.Event) string {
	command := e.Args.Get("command").Text()
	words := strings.FieldsFunc(command, func(r rune) bool { return r == ' ' || '\t' <= r && r <= '\r' })
	if len(words) == 0 {
		return ""
	}
	return words[0]
}
