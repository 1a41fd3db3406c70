package crow

import (
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// The thresholds of D5's listing that do not depend on n.
const (
	CodeErrors   = 3
	CodeMessages = 3
)

// CodeContext lists the phrases of a context error.
var CodeContext = []string{"context"} // CR-30

// codeVerdict is D5's listing as Python runs it (D5#loopdetector-class). The rules come in the order of their
// confidence.
func codeVerdict(n int, window []spec.Event) spec.Verdict { // CR-15
	if len(window) < 2*n { // CR-21
		return spec.Verdict{}
	}
	calls, errors := ofType(window, spec.ToolCall), ofType(window, spec.ErrorEvent) // results count for nothing: CR-23
	full := only(errors, func(e spec.Event) bool { return IsContextError(e, CodeContext) })
	said := codeMonologue(window)
	switch {
	case run(errors, haveEqualMessages) >= CodeErrors: // CR-24
		last := errors[len(errors)-CodeErrors:]
		return RepeatingError(last[0].Message, CodeErrors, indices(last))
	case len(full) >= ContextErrors: // CR-30
		return ContextError(len(full), indices(full))
	case run(calls, areIdentical) >= n: // CR-22, CR-23
		last := calls[len(calls)-n:]
		return RepeatingAction(last[0].Tool, n, indices(last))
	case len(said) == CodeMessages: // CR-25
		return Monologue(CodeMessages, indices(said))
	case codeAlternates(n+3, calls): // CR-28
		return Alternating(calls[0].Tool, calls[1].Tool, n+3, indices(calls[:2*(n+3)]))
	}
	return spec.Verdict{}
}

func haveEqualMessages(a, b spec.Event) bool { return a.Message == b.Message } // CR-24

// codeMonologue returns the last three assistant messages if they are a monologue, otherwise nothing. // CR-25
//
// Only messages of the user and of the assistant can end a monologue.
func codeMonologue(window []spec.Event) []spec.Event { // CR-27
	said := only(window, func(e spec.Event) bool { return e.Role == spec.Assistant })
	if len(said) < CodeMessages {
		return nil
	}
	said = said[len(said)-CodeMessages:]
	news := withoutRepetitions(window)
	begin := slices.IndexFunc(news, func(e spec.Event) bool { return areEqual(e, said[0]) })
	isUser := func(e spec.Event) bool { return e.Role == spec.User }
	if slices.ContainsFunc(said, HasCalls) || slices.ContainsFunc(news[begin:], isUser) {
		return nil
	}
	return said
}

func HasCalls(e spec.Event) bool { return len(e.ToolCalls.Items()) > 0 }

// withoutRepetitions returns the messages of the window that equal no earlier message: a message has the position of
// the first message that equals it.
func withoutRepetitions(window []spec.Event) []spec.Event { // CR-26
	var news []spec.Event
	for _, e := range ofType(window, spec.Message) {
		if !slices.ContainsFunc(news, func(earlier spec.Event) bool { return areEqual(earlier, e) }) {
			news = append(news, e)
		}
	}
	return news
}

// areEqual compares messages. An absent list of tool calls does not equal an empty one.
func areEqual(a, b spec.Event) bool { // CR-26
	return a.Role == b.Role && a.Content == b.Content && Python(a.ToolCalls) == Python(b.ToolCalls)
}

// codeAlternates reports whether each of the first 2·rounds calls is identical to the call two before it. All of them
// may be identical; later calls do not matter.
func codeAlternates(rounds int, calls []spec.Event) bool { // CR-28, CR-29
	first := 2 * rounds
	return len(calls) >= first && slices.EqualFunc(calls[2:first], calls[:first-2], areIdentical)
}
