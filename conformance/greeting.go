package conformance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/loopstone/loopstone/cases"
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
		return err.Error()
	}
	a.wire = wire
	if ungreeted {
		return ""
	}
	return a.ask(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocol":1}}`, "hello")
}

// isAboutGreeting reports whether an exchange needs an adapter to which nothing was said: it says initialize itself,
// or tests what works without.
func isAboutGreeting(c cases.Case) bool {
	if slices.Contains(c.Clauses, "PR-12") {
		return true
	}
	return slices.ContainsFunc(c.Exchange, func(s cases.ExchangeStep) bool {
		message, err := spec.ParseValue([]byte(s.Send))
		method, _ := message.Get("method").Str()
		return err == nil && method == "initialize"
	})
}

// fence makes sure that an exchange leaves no line behind that the next one would take for its own: the answer to one
// more request must be the next line.
func (a *adapterCheck) fence() string {
	if a.wire == nil { // it was to exit
		return ""
	}
	return a.ask(`{"jsonrpc":"2.0","id":"fence","method":"session/close","params":{"session":"fence"}}`, "fence")
}

// ask sends a request that belongs to no exchange, and says what is wrong where the next line is not its answer.
func (a *adapterCheck) ask(request, id string) string {
	if err := a.wire.Send([]byte(request + "\n")); err != nil {
		return err.Error()
	}
	a.trace = append(a.trace, "-> "+cut(request))
	line, err := a.nextLine()
	if err != nil {
		return a.noLine(err, line)
	}
	answer, err := spec.ParseValue(line)
	if got, _ := answer.Get("id").Str(); err != nil || got != id {
		a.broken = "PR-7"
		return "a line that nobody asked for: " + cut(string(line))
	}
	a.trace = append(a.trace, "<- "+cut(string(line)))
	return ""
}

// nextLine returns the next line of the adapter, which has more time for its first.
func (a *adapterCheck) nextLine() ([]byte, error) {
	limit := a.limit
	if !a.heard {
		limit = max(limit, a.startLimit)
	}
	line, err := a.wire.Receive(limit)
	a.heard = a.heard || err == nil
	return line, err
}

// noLine says why no line came.
func (a *adapterCheck) noLine(err error, rest []byte) string {
	problem := "no answer: " + err.Error()
	switch {
	case errors.Is(err, io.EOF):
		problem = "no answer: " + a.howItEnded()
	case errors.Is(err, io.ErrUnexpectedEOF):
		problem = fmt.Sprintf("%s, in the middle of a line: %s", a.howItEnded(), cut(string(rest)))
	}
	return withLastWords(problem, a.wire.Stderr())
}

func withLastWords(problem, stderr string) string {
	if stderr == "" {
		return problem
	}
	return problem + "; its last words: " + stderr
}

// howItEnded tells of an adapter whose output has ended.
func (a *adapterCheck) howItEnded() string {
	exit, ended := a.wire.Wait(a.limit)
	if !ended {
		return "the adapter closed its output, but did not exit"
	}
	return fmt.Sprintf("the adapter ended with %s", exit)
}
