package conformance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// CheckAdapter carries out the cases of the protocol: it speaks with the adapter line by line, as no client would, and
// returns a result for each. Exchanges that leave the adapter in order share one process; after one that ends it, or
// fails, the next gets a fresh one. The port is what the adapter says of itself; its first detector is the one that
// the exchanges use. Of the limits, those for the start and for a request count.
func CheckAdapter(
	ctx context.Context, dial stdio.Dial, port spec.Description, suite []cases.Case, limits stdio.Options,
) ([]Result, error) {
	if len(port.Detectors) == 0 || len(port.Detectors[0].Readings) == 0 {
		return nil, errors.New("the adapter offers no detector in any reading")
	}
	checker := &adapterCheck{
		dial: dial, port: port, offer: port.Detectors[0], loop: loopFor(port, suite),
		opened: map[string]spec.Value{}, closed: map[string]bool{},
		startLimit: cmp.Or(limits.StartTimeout, stdio.DefaultStartTimeout),
		lineLimit:  cmp.Or(limits.RequestTimeout, stdio.DefaultRequestTimeout),
	}
	checker.limit = max(checker.lineLimit, limits.StopTimeout)
	defer checker.hangUp()
	var results []Result
	for _, c := range suite {
		if c.IsOfProtocol() {
			results = append(results, checker.check(ctx, c))
		}
	}
	return results, nil
}

// maxSilences is how often an adapter is waited for that does not answer: the first time as long as the limit says.
const maxSilences = 3

// adapterCheck is the connection that exchanges share.
type adapterCheck struct {
	dial       stdio.Dial
	port       spec.Description // what the port said when it was started
	offer      spec.Offer
	loop       *loop                 // nil where the suite has none for the port
	plays      bool                  // the exchange is about the loop
	startLimit time.Duration         // for the first line of a process
	lineLimit  time.Duration         // for any other line
	limit      time.Duration         // for an exit
	wire       *stdio.Wire           // nil where the next exchange needs a fresh one
	heard      bool                  // the process has printed a line
	changes    bool                  // a process described itself otherwise than the port, which was told
	greeting   spec.Value            // the id of the initialize that the exchange sent last
	asked      spec.Value            // the last request of an exchange
	opened     map[string]spec.Value // the params by which the process opened each name
	closed     map[string]bool       // the names that it says it closed
	trace      []string
	inputEnded bool   // the exchange ended the adapter's input
	broken     string // the clause that an exchange broke, where that is not the business of its case
	lingers    bool   // a process did not exit in time
	stubborn   bool   // a process outlived the end of its input, so that the next are not asked
	silences   int    // exchanges without an answer in time
	probes     int    // requests that belong to no exchange
	undecided  bool   // an answer did not come in time, or this machine was at its end: nobody's fault
}

// check returns the result of one exchange.
func (a *adapterCheck) check(ctx context.Context, c cases.Case) Result {
	result := newResult(c, "")
	if a.silences >= maxSilences {
		result.Status, result.Reason = Undecided, "not run: the adapter gave no answer in time "+times(a.silences)
		return result
	}
	if a.plays = c.NeedsLoop(); a.plays {
		a.tryLoop(ctx, &result)
	}
	if result.Status != "" {
		return result
	}
	start := time.Now()
	failure, err := a.runSafely(ctx, c)
	result.Elapsed = time.Since(start).Nanoseconds()
	a.settle(ctx, failure, err, &result)
	return result
}

// settle says in a result how its exchange ended.
func (a *adapterCheck) settle(ctx context.Context, failure *Failure, err error, result *Result) {
	result.Status = Passed
	switch {
	case err != nil:
		result.Status, result.Reason = Faulty, err.Error()
		a.hangUp()
	case ctx.Err() != nil:
		result.Status, result.Reason = Undecided, "not run: "+stdio.WhyEnded(ctx)
	case failure != nil && a.undecided:
		result.Status = Undecided
		result.Reason = fmt.Sprintf("%s; step %d of %d: %s", failure.Problem, failure.Step, failure.Steps, failure.Action)
		a.silences++
		if a.silences == 1 {
			a.lineLimit /= stdio.Hurry // nobody waits as long again
		}
		a.hangUp()
	case failure != nil:
		result.Status, result.Failure = Broken, failure
		result.putProtocolFirst(a.broken)
		a.hangUp()
	}
}

// runSafely runs the exchange. Whatever an adapter says, a panic is a fault of the suite.
func (a *adapterCheck) runSafely(ctx context.Context, c cases.Case) (failure *Failure, err error) {
	defer recoverTo(&err)
	return a.run(ctx, c), nil
}

func (a *adapterCheck) run(ctx context.Context, c cases.Case) *Failure {
	a.trace, a.broken, a.undecided, a.greeting, a.inputEnded = nil, "", false, spec.Value{}, false
	fail := func(step int, problem string, differences []Difference) *Failure {
		return &Failure{
			Step: step, Steps: len(c.Exchange), Action: a.describe(c, step), Problem: problem,
			Differences: differences, Trace: a.trace,
		}
	}
	if problem := a.connect(ctx, c); problem != "" {
		return fail(0, problem, nil)
	}
	for i, step := range c.Exchange {
		if problem, differences := a.carryOut(step); problem != "" {
			return fail(i+1, problem, differences)
		}
	}
	if problem := a.fence(); problem != "" {
		return fail(len(c.Exchange), problem, nil)
	}
	return nil
}

func (a *adapterCheck) describe(c cases.Case, step int) string {
	if step == 0 {
		return "start the adapter"
	}
	s := c.Exchange[step-1]
	if s.Times > 1 {
		return fmt.Sprintf("%s, %d times", describeLine(s), s.Times)
	}
	return describeLine(s)
}

func describeLine(s cases.ExchangeStep) string {
	switch {
	case s.Exit != nil:
		return fmt.Sprintf("exit with status %d", *s.Exit)
	case s.CloseInput:
		return "end of input"
	case !s.Receive.IsAbsent():
		return "receive " + cut(s.Receive.String())
	default:
		return "send " + cut(s.Send)
	}
}

// carryOut carries out one step, as often as it says. An empty problem means that all is well. Of many lines, the trace
// keeps the first and the latest.
func (a *adapterCheck) carryOut(s cases.ExchangeStep) (problem string, differences []Difference) {
	start, numbered := len(a.trace), s
	for n := range max(s.Times, 1) {
		numbered.Send, numbered.Receive = s.Numbered(n + 1)
		problem, differences = a.step(numbered)
		if len(a.trace) > start+2 {
			a.trace = slices.Delete(a.trace, start+1, start+2)
		}
		if problem != "" {
			break
		}
	}
	return problem, differences
}

// step carries out one step once.
func (a *adapterCheck) step(s cases.ExchangeStep) (problem string, differences []Difference) {
	switch {
	case s.Exit != nil:
		return a.awaitExit(*s.Exit), nil
	case s.CloseInput:
		a.wire.CloseInput()
		a.inputEnded = true
		a.trace = append(a.trace, "-> end of input")
		return "", nil
	case !s.Receive.IsAbsent():
		return a.receive(s.Receive)
	default:
		return a.send(s), nil
	}
}

// pause is how long the writing of a split line rests between its pieces: long enough that an adapter that reads what
// is there sees half a line.
const pause = 5 * time.Millisecond

func (a *adapterCheck) send(s cases.ExchangeStep) string {
	if message, err := spec.ParseValue([]byte(s.Send)); err == nil && isInitialize(message) {
		a.greeting = message.Get("id")
	}
	line := a.fill(s) + "\n"
	a.trace = append(a.trace, "-> "+cut(strings.TrimSuffix(line, "\n")))
	a.asked, _ = spec.ParseValue([]byte(line)) // absent where the exchange sends what is none
	start := 0
	for _, end := range append(s.Split, len(line)) {
		if end > len(line) || end < start {
			continue
		}
		if start > 0 {
			time.Sleep(pause)
		}
		if err := a.wire.Send([]byte(line[start:end])); err != nil {
			return a.problem(err)
		}
		start = end
	}
	return ""
}

// fill puts the values in place of the placeholders, which stand within texts of JSON.
func (a *adapterCheck) fill(s cases.ExchangeStep) string {
	detector, reading := a.offer.Detector, a.offer.Readings[0]
	var values []string
	if a.plays {
		detector, reading, values = a.loop.detector, a.loop.reading, a.loop.values()
	}
	return strings.NewReplacer(append(values,
		cases.DetectorPlaceholder, inText(detector),
		cases.ReadingPlaceholder, inText(reading),
		cases.PadPlaceholder, strings.Repeat("x", s.Pad),
		cases.BytePlaceholder, "\xff",
	)...).Replace(s.Send)
}

// inText returns what a text is within the quotes of JSON.
func inText[T ~string](text T) string {
	quoted := spec.StringValue(string(text)).String()
	return quoted[1 : len(quoted)-1]
}

func (a *adapterCheck) receive(pattern spec.Value) (string, []Difference) {
	line, err := a.nextLine()
	if err != nil {
		return a.noLine(err, line), nil
	}
	a.trace = append(a.trace, "<- "+cut(string(line)))
	got, err := spec.ParseValue(line)
	if err != nil {
		a.broken = "PR-7"
		return "the line is not JSON: " + err.Error(), nil
	}
	a.broken = "PR-2"
	if got.Get("jsonrpc").String() != `"2.0"` {
		return "the answer is no JSON-RPC 2.0", []Difference{{"jsonrpc", `"2.0"`, show(got.Get("jsonrpc"))}}
	}
	if got.Get("result").IsAbsent() == got.Get("error").IsAbsent() {
		return "an answer has either a result or an error", nil
	}
	a.broken = a.keptOpen(got)
	if differences := match("", pattern, got); differences != nil {
		return "the answer differs", differences
	}
	for _, verdict := range got.Get("result").Get("verdicts").Items() {
		if err := spec.CheckVerdict(verdict); err != nil {
			a.broken = "PR-32"
			return "a verdict is none: " + err.Error(), nil
		}
	}
	if result := got.Get("result"); !a.greeting.IsAbsent() && a.greeting.Equal(got.Get("id")) && !result.IsAbsent() {
		return a.compareDescription(result), nil
	}
	return "", nil
}

// keptOpen notes which names are open by the answer to the last request. It returns PR-17 where a name that was closed
// cannot be opened again as it was opened before.
func (a *adapterCheck) keptOpen(answer spec.Value) string {
	method, name := a.asked.Get("method").Text(), a.asked.Get("params").Get("session").Text()
	isDone := !answer.Get("result").IsAbsent()
	switch {
	case !a.asked.Get("id").Equal(answer.Get("id")):
	case method == "session/close" && isDone:
		a.closed[name] = true
	case method == "session/open" && isDone:
		a.opened[name], a.closed[name] = a.asked.Get("params"), false
	case method == "session/open" && a.closed[name] && a.opened[name].Equal(a.asked.Get("params")):
		return "PR-17"
	}
	return ""
}

// compareDescription tells once, for all processes, that one describes itself otherwise than the port did when it was
// started.
func (a *adapterCheck) compareDescription(says spec.Value) (problem string) {
	if a.changes || stdio.IsDescriptionOf(says, a.port) {
		return ""
	}
	a.changes, a.broken = true, "PR-11"
	return "it describes itself otherwise than when it was started before"
}
