package laws

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// Observed is what a session has seen, kept to verify the evidence of its verdicts by rules of their own, not by those
// of any detector. The zero Observed has seen nothing.
type Observed struct {
	events   []spec.Event
	from     int  // the first event that a rule can count: the one after the last reset
	restored bool // events from before a restore have no index, so evidence may fall short of the count
}

// Add notes the next event.
func (o *Observed) Add(v spec.Value) {
	e, err := spec.DecodeEvent(v)
	if err != nil {
		e = spec.Event{} // a port that accepted it is judged by its verdict; the event can be no evidence
	}
	e.Index = len(o.events)
	o.events = append(o.events, e)
}

// Reset notes that the session was reset.
func (o *Observed) Reset() { o.from, o.restored = len(o.events), false }

// Restore notes that the session's state was replaced.
func (o *Observed) Restore() { o.from, o.restored = len(o.events), true }

var evidenceHolds = Law{
	ID:       "evidence",
	Clause:   "PR-34",
	Sentence: "The events that a verdict names are of the sort that its rule counts, and as many as it counts.",
	Why:      "Evidence that does not hold sends whoever debugs the agent to the wrong place.",
	Needs:    []spec.Feature{spec.Evidence},
	Check: func(ctx context.Context, port spec.Port, t Trace) error {
		verdicts, err := Play(ctx, port, t)
		if err != nil {
			return err
		}
		seen := map[int]*Observed{}
		for i, s := range t.Steps {
			o := seen[s.Session]
			if o == nil {
				o = &Observed{}
				seen[s.Session] = o
			}
			if s.IsReset() {
				o.Reset()
				continue
			}
			o.Add(s.Event)
			if problem := CheckEvidence(o, verdicts[i]); problem != "" {
				return &Breach{Law: "evidence", Step: i, Got: verdicts[i], Problem: problem}
			}
		}
		return nil
	},
}

// proof is the evidence of one verdict, with the events that it names.
type proof struct {
	seen  *Observed
	kind  spec.VerdictKind
	count int
	named []spec.Event
}

// CheckEvidence returns what is wrong with the evidence of a verdict, or nothing. A verdict without a loop, or
// without evidence, proves nothing and claims nothing.
func CheckEvidence(seen *Observed, verdict spec.Value) string {
	indices := verdict.Get("evidence")
	if !verdict.Get("loop").IsTrue() || indices.IsAbsent() {
		return ""
	}
	kind, _ := verdict.Get("kind").Str()
	count, _ := verdict.Get("count").Int()
	p := proof{seen: seen, kind: spec.VerdictKind(kind), count: count}
	last := seen.from - 1
	for _, v := range indices.Items() {
		index, _ := v.Int() // CheckVerdict has seen that it is one
		if index <= last || index >= len(seen.events) {
			return fmt.Sprintf("%s is no ascending list of indices from %d to %d", indices, seen.from, len(seen.events)-1)
		}
		last = index
		p.named = append(p.named, seen.events[index])
	}
	rules, known := evidenceRules[p.kind]
	if !known {
		return ""
	}
	for _, rule := range rules {
		if problem := rule(&p); problem != "" {
			return fmt.Sprintf("the evidence %s of %s does not hold: %s", indices, kind, problem)
		}
	}
	return ""
}

// evidenceRule returns what is wrong with a proof, or nothing.
type evidenceRule func(*proof) string

// evidenceRules says, for each kind of verdict, what the events that it rests on must have in common.
var evidenceRules = map[spec.VerdictKind][]evidenceRule{
	spec.KindExact:       {all(isCall), identical, adjacent(isCall), reachesEnd(isCall), asManyAs(1)},
	spec.KindFuzzy:       {all(isCall), sameTool, adjacent(isCall), reachesEnd(isCall), asManyAs(1)},
	spec.KindTestFix:     {all(isFailedTest), adjacent(isTest), reachesEnd(isTest), asManyAs(1)},
	spec.KindBashCascade: {all(isFailedResult), asManyAs(1)},
	spec.KindSummary:     {all(isSpeech), adjacent(isSpeech), reachesEnd(isSpeech), asManyAs(1)},

	spec.KindSignature: {all(isOutput), reachesEnd(isOutput), asManyAs(1)},

	spec.KindRepeat:    {all(isCall), sameTool, asManyAs(1)},
	spec.KindToolLimit: {all(isCall), sameTool, asManyAs(1)},
	spec.KindFirstWord: {all(isCall), sameTool, sameFirstWord, asManyAs(1)},

	spec.KindRepeatingAction: {all(isCall), identical, asManyAs(1)},
	spec.KindRepeatingError:  {errorsOrCalls, asManyAs(1)},
	spec.KindMonologue:       {all(isSpeech), asManyAs(1)},
	spec.KindAlternating:     {all(isCall), alternate, asManyAs(2)},
	spec.KindContextError:    {all(isError), asManyAs(1)},

	spec.KindGlobal: {all(isCall), sameTool, reachesEnd(isCall), asManyAs(1)},

	spec.KindSimilar: {all(isOutput), reachesEnd(isOutput), pair},

	spec.KindMaxIterations:     {all(isIteration), reachesEnd(isIteration), single},
	spec.KindMaxRuntime:        {all(isIteration), reachesEnd(isIteration), single},
	spec.KindLoopDetection:     {all(isIteration), reachesEnd(isIteration), asManyAs(1)},
	spec.KindConsecutiveErrors: {all(isFailedIteration), adjacent(isIteration), reachesEnd(isIteration), asManyAs(1)},
}

func isCall(e spec.Event) bool      { return e.Type == spec.ToolCall }
func isTest(e spec.Event) bool      { return e.Type == spec.TestRun }
func isError(e spec.Event) bool     { return e.Type == spec.ErrorEvent }
func isOutput(e spec.Event) bool    { return e.Type == spec.Output }
func isIteration(e spec.Event) bool { return e.Type == spec.Iteration }

func isFailedTest(e spec.Event) bool      { return isTest(e) && !e.Passed }
func isFailedResult(e spec.Event) bool    { return e.Type == spec.ToolResult && !e.OK }
func isFailedIteration(e spec.Event) bool { return isIteration(e) && e.Failed }

// isSpeech: an assistant's message that calls no tool.
func isSpeech(e spec.Event) bool {
	return e.Type == spec.Message && e.Role == spec.Assistant && len(e.ToolCalls.Items()) == 0
}

// all demands that every named event is of a sort.
func all(is func(spec.Event) bool) evidenceRule {
	return func(p *proof) string {
		for _, e := range p.named {
			if !is(e) {
				return fmt.Sprintf("event %d, a %s, is nothing that the rule counts", e.Index, e.Type)
			}
		}
		return ""
	}
}

// identical demands that all calls have the same tool and the same arguments.
func identical(p *proof) string {
	for _, e := range p.named {
		if !sameCall(e, p.named[0]) {
			return fmt.Sprintf("the calls %d and %d differ", p.named[0].Index, e.Index)
		}
	}
	return ""
}

func sameCall(a, b spec.Event) bool {
	return a.Tool == b.Tool && a.Args.Canonical() == b.Args.Canonical()
}

func sameTool(p *proof) string {
	for _, e := range p.named {
		if e.Tool != p.named[0].Tool {
			return fmt.Sprintf("the calls %d and %d are of different tools", p.named[0].Index, e.Index)
		}
	}
	return ""
}

func sameFirstWord(p *proof) string {
	for _, e := range p.named {
		if firstWord(e) == "" || firstWord(e) != firstWord(p.named[0]) {
			return fmt.Sprintf("the commands of %d and %d do not begin with the same word", p.named[0].Index, e.Index)
		}
	}
	return ""
}

func firstWord(e spec.Event) string {
	command, _ := e.Args.Get("command").Str()
	words := strings.FieldsFunc(command, func(r rune) bool { return r == ' ' || '\t' <= r && r <= '\r' })
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// adjacent demands that no event of the sort stands between the named ones.
func adjacent(is func(spec.Event) bool) evidenceRule {
	return func(p *proof) string {
		if len(p.named) == 0 {
			return ""
		}
		first, last := p.named[0].Index, p.named[len(p.named)-1].Index
		for _, e := range p.seen.events[first:last] {
			if is(e) && !slices.ContainsFunc(p.named, func(n spec.Event) bool { return n.Index == e.Index }) {
				return fmt.Sprintf("event %d stands between them", e.Index)
			}
		}
		return ""
	}
}

// reachesEnd demands that the last named event is the last of the sort in the trace.
func reachesEnd(is func(spec.Event) bool) evidenceRule {
	return func(p *proof) string {
		for i := len(p.seen.events) - 1; i >= p.seen.from; i-- {
			if !is(p.seen.events[i]) {
				continue
			}
			if len(p.named) == 0 || p.named[len(p.named)-1].Index != i {
				return fmt.Sprintf("it does not reach event %d, the latest", i)
			}
			return ""
		}
		return ""
	}
}

// asManyAs demands that n events are named for each that the verdict counts. A list may be cut to the latest
// [spec.MaxEvidence], and fall short where events from before a restore were counted.
func asManyAs(n int) evidenceRule {
	return func(p *proof) string {
		want, got := n*p.count, len(p.named)
		if got == want || got < want && (p.seen.restored || got == spec.MaxEvidence) {
			return ""
		}
		return fmt.Sprintf("it names %d events, and the count is %d", got, p.count)
	}
}

// errorsOrCalls: the two readings of crow count errors, respectively calls that failed.
func errorsOrCalls(p *proof) string {
	if len(p.named) > 0 && isError(p.named[0]) {
		return all(isError)(p)
	}
	if problem := all(isCall)(p); problem != "" {
		return problem
	}
	return identical(p)
}

// alternate demands two calls in turn.
func alternate(p *proof) string {
	for i := 2; i < len(p.named); i++ {
		if !sameCall(p.named[i], p.named[i-2]) {
			return fmt.Sprintf("the calls %d and %d, two apart, differ", p.named[i-2].Index, p.named[i].Index)
		}
	}
	return ""
}

// pair: two outputs are similar; the earlier one may lie before a restore.
func pair(p *proof) string {
	if len(p.named) == 2 || len(p.named) == 1 && p.seen.restored {
		return ""
	}
	return fmt.Sprintf("it names %d events instead of two", len(p.named))
}

func single(p *proof) string {
	if len(p.named) == 1 {
		return ""
	}
	return fmt.Sprintf("it names %d events instead of one", len(p.named))
}
