package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// connect sees to it that there is a process, and that it was greeted: an adapter that wants to be greeted before
// anything else shall fail the exchange that is about that, and no other.
func (a *adapterCheck) connect(ctx context.Context, c cases.Case) string {
	ungreeted := isAboutGreeting(c)
	if ungreeted {
		a.hangUp()
	}
	if a.wire != nil {
		return ""
	}
	wire, err := a.dial(ctx)
	if err != nil {
		return a.problem(err)
	}
	a.wire = wire
	if ungreeted {
		return ""
	}
	answer, problem := a.ask(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocol":1}}`, "hello")
	if problem != "" {
		return problem
	}
	return a.compareDescription(answer.Get("result"))
}

// isAboutGreeting reports whether an exchange needs an adapter to which nothing was said: it says initialize itself,
// or tests what works without.
func isAboutGreeting(c cases.Case) bool {
	if slices.Contains(c.Clauses, "PR-12") {
		return true
	}
	return slices.ContainsFunc(c.Exchange, func(s cases.ExchangeStep) bool {
		message, err := spec.ParseValue([]byte(s.Send))
		return err == nil && isInitialize(message)
	})
}

func isInitialize(message spec.Value) bool { return message.Get("method").Text() == "initialize" }

// fence makes sure that an exchange leaves no line behind that the next one would take for its own: the answer to one
// more request must be the next line.
func (a *adapterCheck) fence() string {
	if a.wire == nil { // it was to exit
		return ""
	}
	_, problem := a.ask(a.probe())
	return problem
}

// probe returns a request that every adapter answers, and its id. No two probes have the same, so that a late answer to
// one is not taken for the answer to the next.
func (a *adapterCheck) probe() (request, id string) {
	a.probes++
	id = fmt.Sprintf("fence-%d", a.probes)
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":"session/close","params":{"session":"fence"}}`, id), id
}

// ask sends a request that belongs to no exchange. It returns the answer, or says what is wrong where the next line is
// none.
func (a *adapterCheck) ask(request, id string) (answer spec.Value, problem string) {
	if err := a.wire.Send([]byte(request + "\n")); err != nil {
		return answer, a.problem(err)
	}
	a.trace = append(a.trace, "-> "+cut(request))
	line, err := a.nextLine()
	if err != nil {
		return answer, a.noLine(err, line)
	}
	answer, isAnswer := answerTo(id, line)
	if !isAnswer {
		a.broken = "PR-7"
		return answer, "a line that answers no request: " + cut(string(line))
	}
	a.trace = append(a.trace, "<- "+cut(string(line)))
	return answer, ""
}

// isAlive reports whether an adapter that owes an answer gives one to another request. What comes first may be the late
// answer, which is nobody's fault.
func (a *adapterCheck) isAlive() bool {
	request, id := a.probe()
	if a.wire.Send([]byte(request+"\n")) != nil {
		return false
	}
	line, err := a.nextLine()
	_, isAnswer := answerTo(id, line)
	return err == nil && isAnswer
}

// answerTo reads a line, and reports whether it is the answer to the request of that id.
func answerTo(id string, line []byte) (answer spec.Value, is bool) {
	answer, err := spec.ParseResponse(line)
	return answer, err == nil && answer.Get("id").Equal(spec.StringValue(id))
}

// nextLine returns the next line of the adapter, which has more time for its first.
func (a *adapterCheck) nextLine() ([]byte, error) { return a.lineWithin(a.lineLimit) }

func (a *adapterCheck) lineWithin(limit time.Duration) ([]byte, error) {
	if !a.heard {
		limit = max(limit, a.startLimit)
	}
	line, err := a.wire.Receive(limit)
	a.heard = a.heard || err == nil
	return line, err
}

// problem says what went wrong with the adapter, and notes whether that is nobody's fault. One that reads no more has
// ended, mostly; how it ended says more.
func (a *adapterCheck) problem(err error) string {
	a.undecided = isNobodysFault(err)
	if errors.Is(err, stdio.ErrInputClosed) {
		if _, ended := a.ended(); ended {
			return withLastWords(a.howItEnded(), a.wire.Stderr())
		}
	}
	if gone, ok := errors.AsType[*stdio.ProcessError](err); ok {
		return "the adapter " + gone.What()
	}
	return err.Error()
}

// noLine says why no line came. An adapter without an answer in time may be slow, unless it answers a later request.
func (a *adapterCheck) noLine(err error, rest []byte) string {
	problem := "no answer: " + a.problem(err)
	if a.undecided && a.isAlive() {
		a.undecided = false
		return "no answer, but one to the request after it"
	}
	switch {
	case errors.Is(err, io.EOF):
		problem = "no answer: " + a.howItEnded()
	case errors.Is(err, io.ErrUnexpectedEOF):
		problem = fmt.Sprintf("%s, in the middle of a line: %s", a.howItEnded(), cut(string(rest)))
	}
	return withLastWords(problem, a.wire.Stderr())
}

// howItEnded tells of an adapter whose output has ended.
func (a *adapterCheck) howItEnded() string {
	exit, ended := a.ended()
	if !ended {
		return "the adapter closed its output, but did not exit"
	}
	return fmt.Sprintf("the adapter ended with %s", exit)
}

// ended returns how the process ended, and false where it has not ended within the limit.
func (a *adapterCheck) ended() (stdio.Exit, bool) { return a.endedWithin(a.limit) }

func (a *adapterCheck) endedWithin(limit time.Duration) (stdio.Exit, bool) {
	exit, ended := a.wire.Wait(limit)
	if !ended && !a.lingers {
		a.lingers = true
		a.limit /= stdio.Hurry // nobody waits as long again
	}
	return exit, ended
}

// awaitExit waits for the end of the output, and then of the process. Where the output has not ended in time, the
// process has had that time, too: either it goes on, or something else holds its output open.
func (a *adapterCheck) awaitExit(status int) string {
	line, err := a.lineWithin(min(a.lineLimit, a.limit))
	if err == nil {
		a.broken = "PR-7"
		return "a line that answers no request: " + cut(string(line))
	}
	limit, rest := a.limit, a.limit
	if late, ok := errors.AsType[*stdio.ProcessError](err); ok && late.Reason == stdio.TimedOut {
		rest /= stdio.Hurry
	}
	exit, ended := a.endedWithin(rest)
	stderr := a.wire.Stderr()
	a.hangUp()
	if a.broken = "PR-19"; a.inputEnded {
		a.broken = "PR-8"
	}
	switch {
	case !ended:
		return fmt.Sprintf("the adapter did not exit within %s", limit)
	case exit != stdio.Exit{Code: status}:
		return withLastWords(fmt.Sprintf("the adapter ended with %s", exit), stderr)
	default:
		return ""
	}
}

// hangUp ends the process, so that the next exchange gets a fresh one.
func (a *adapterCheck) hangUp() {
	if a.wire != nil {
		if a.lingers || a.stubborn {
			a.wire.Kill()
		}
		a.stubborn = !a.wire.Close() || a.stubborn
		a.wire, a.heard = nil, false
		a.opened, a.closed = map[string]spec.Value{}, map[string]bool{}
	}
}
