package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// Dial opens a bare connection to a fresh adapter.
type Dial func(ctx context.Context) (*stdio.Wire, error)

// CheckAdapter carries out the cases of the protocol: it speaks with the adapter line by line, as no client would, and
// returns a result for each. Cases that leave the adapter in order share one process; after one that ends it, or
// fails, the next gets a fresh one. The port is what the adapter says of itself; its first detector is the one that
// the exchanges use.
func CheckAdapter(ctx context.Context, dial Dial, port spec.Description, suite []cases.Case, limit time.Duration) ([]Result, error) {
	if len(port.Detectors) == 0 || len(port.Detectors[0].Readings) == 0 {
		return nil, errors.New("the adapter offers no detector in any reading")
	}
	checker := &adapterCheck{dial: dial, offer: port.Detectors[0], limit: limit}
	defer checker.hangUp()
	var results []Result
	for _, c := range suite {
		if c.Detector != cases.Protocol {
			continue
		}
		result := newResult(c, "")
		result.Status = Passed
		if failure := checker.run(ctx, c); failure != nil {
			result.Status, result.Failure = Broken, failure
			checker.hangUp()
		}
		results = append(results, result)
	}
	return results, nil
}

// adapterCheck is the connection that exchanges share.
type adapterCheck struct {
	dial  Dial
	offer spec.Offer
	limit time.Duration // for one line, and for an exit
	wire  *stdio.Wire   // nil where the next exchange needs a fresh one
	trace []string
}

func (a *adapterCheck) hangUp() {
	if a.wire != nil {
		a.wire.Close()
		a.wire = nil
	}
}

func (a *adapterCheck) run(ctx context.Context, c cases.Case) *Failure {
	a.trace = nil
	fail := func(step int, problem string, differences []Difference) *Failure {
		return &Failure{
			Step: step, Steps: len(c.Exchange), Action: a.describe(c, step), Problem: problem,
			Differences: differences, Trace: a.trace,
		}
	}
	if a.wire == nil {
		wire, err := a.dial(ctx)
		if err != nil {
			return fail(0, err.Error(), nil)
		}
		a.wire = wire
	}
	for i, step := range c.Exchange {
		if problem, differences := a.step(step); problem != "" {
			return fail(i+1, problem, differences)
		}
	}
	return nil
}

func (a *adapterCheck) describe(c cases.Case, step int) string {
	if step == 0 {
		return "start the adapter"
	}
	s := c.Exchange[step-1]
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

// step carries out one step. An empty problem means that all is well.
func (a *adapterCheck) step(s cases.ExchangeStep) (problem string, differences []Difference) {
	switch {
	case s.Exit != nil:
		return a.awaitExit(*s.Exit), nil
	case s.CloseInput:
		a.wire.CloseInput()
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
	line := a.fill(s) + "\n"
	a.trace = append(a.trace, "-> "+cut(strings.TrimSuffix(line, "\n")))
	start := 0
	for _, end := range append(s.Split, len(line)) {
		if end > len(line) || end < start {
			continue
		}
		if start > 0 {
			time.Sleep(pause)
		}
		if err := a.wire.Send([]byte(line[start:end])); err != nil {
			return err.Error()
		}
		start = end
	}
	return ""
}

// fill puts the values in place of the placeholders. What it puts there needs no escaping in JSON.
func (a *adapterCheck) fill(s cases.ExchangeStep) string {
	return strings.NewReplacer(
		cases.DetectorPlaceholder, string(a.offer.Detector),
		cases.ReadingPlaceholder, string(a.offer.Readings[0]),
		cases.PadPlaceholder, strings.Repeat("x", s.Pad),
	).Replace(s.Send)
}

func (a *adapterCheck) receive(pattern spec.Value) (string, []Difference) {
	line, err := a.wire.Receive(a.limit)
	if err != nil {
		return a.noLine(err, line), nil
	}
	a.trace = append(a.trace, "<- "+cut(string(line)))
	got, err := spec.ParseValue(line)
	if err != nil {
		return "the line is not JSON: " + err.Error(), nil
	}
	if got.Get("jsonrpc").String() != `"2.0"` {
		return "the answer is no JSON-RPC 2.0", []Difference{{"jsonrpc", `"2.0"`, show(got.Get("jsonrpc"))}}
	}
	if got.Get("result").IsAbsent() == got.Get("error").IsAbsent() {
		return "an answer has either a result or an error", nil
	}
	if differences := match("", pattern, got); differences != nil {
		return "the answer is another", differences
	}
	return "", nil
}

// noLine says why no line came.
func (a *adapterCheck) noLine(err error, rest []byte) string {
	problem := "no answer: " + err.Error()
	if errors.Is(err, io.EOF) {
		problem = "no answer: the adapter's output ended"
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		problem = "the output ends in the middle of a line: " + cut(string(rest))
	}
	if stderr := a.wire.Stderr(); stderr != "" {
		problem += "; its last words: " + stderr
	}
	return problem
}

func (a *adapterCheck) awaitExit(status int) string {
	line, err := a.wire.Receive(a.limit)
	if err == nil {
		return "a line that nobody asked for: " + cut(string(line))
	}
	exit, ended := a.wire.Wait(a.limit)
	stderr := a.wire.Stderr()
	a.hangUp()
	switch {
	case !ended:
		return fmt.Sprintf("the adapter did not exit within %s", a.limit)
	case exit != stdio.Exit{Code: status}:
		return fmt.Sprintf("the adapter ended with %s; its last words: %s", exit, stderr)
	default:
		return ""
	}
}

// match returns where a value is not as a pattern says. An object may have more members than its pattern. The text
// ${any} matches whatever is there, and {each: pattern} a list that is not empty and whose items all match.
func match(path string, pattern, got spec.Value) []Difference {
	if text, ok := pattern.Str(); ok && text == cases.AnyPlaceholder {
		if got.IsAbsent() {
			return []Difference{{Path: path, Want: "any value"}}
		}
		return nil
	}
	if each := pattern.Get("each"); !each.IsAbsent() && len(pattern.Members()) == 1 {
		return matchEach(path, each, got)
	}
	switch {
	case pattern.Kind() == spec.Object && got.Kind() == spec.Object:
		var differences []Difference
		for _, m := range pattern.Members() {
			differences = append(differences, match(join(path, m.Name), m.Value, got.Get(m.Name))...)
		}
		return differences
	case pattern.Kind() == spec.Array && got.Kind() == spec.Array && len(pattern.Items()) == len(got.Items()):
		var differences []Difference
		for i, item := range pattern.Items() {
			differences = append(differences, match(fmt.Sprintf("%s[%d]", path, i), item, got.Items()[i])...)
		}
		return differences
	case sameScalar(pattern, got):
		return nil
	default:
		return []Difference{{path, pattern.String(), show(got)}}
	}
}

func matchEach(path string, pattern, got spec.Value) []Difference {
	if len(got.Items()) == 0 {
		return []Difference{{path, "a list that is not empty", show(got)}}
	}
	var differences []Difference
	for i, item := range got.Items() {
		differences = append(differences, match(fmt.Sprintf("%s[%d]", path, i), pattern, item)...)
	}
	return differences
}

// sameScalar compares ids and codes: a number must be a number, but 1 may come back as 1.0 from a language that has
// one kind of number.
func sameScalar(pattern, got spec.Value) bool {
	return pattern.Kind() != spec.Object && pattern.Kind() != spec.Array && pattern.Equal(got)
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}
