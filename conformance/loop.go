package conformance

import (
	"context"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// loop is a short trace of a case for exchanges, which know no detector: its last event is a loop after the others, and
// would be none as the first. So it tells whether a session observed the others.
type loop struct {
	id       string // of the case
	detector spec.DetectorID
	reading  spec.Reading
	config   spec.Value
	events   []spec.Value

	tried bool
	not   string // why exchanges cannot use it; known when it was tried
}

// mostInLoop bounds the events of a loop, which exchanges send several times.
const mostInLoop = 20

// noLoop says why an exchange is skipped. It befalls fixed configurations only: every detector of the specification has
// cases with loops.
const noLoop = "the suite has no short loop that the port reports and whose first event is equal to its last"

// tryLoop says in the result of an exchange about a loop why the exchange is not carried out. The first of them tells
// whether the port reports the loop at all: if it does not, its detector is at fault, or not written yet, and the
// adapter may be right.
func (a *adapterCheck) tryLoop(ctx context.Context, result *Result) {
	if a.loop == nil {
		result.Status, result.Reason = Skipped, noLoop
		return
	}
	if !a.loop.tried {
		failure, err := a.runSafely(ctx, cases.Case{Exchange: plainLoop()})
		if err != nil || ctx.Err() != nil || a.undecided { // which says nothing of the loop
			a.settle(ctx, failure, err, result)
			return
		}
		if a.loop.tried = true; failure != nil {
			a.loop.not = "the port does not report the loop of " + a.loop.id + ", which this test is about"
			a.hangUp()
		}
	}
	if a.loop.not != "" {
		result.Status, result.Reason = Skipped, a.loop.not
	}
}

// plainLoop is an exchange in which one session observes the last event of the loop alone, and another one the loop.
func plainLoop() []cases.ExchangeStep {
	var steps []cases.ExchangeStep
	for i, one := range []struct{ method, session, params, result string }{
		{"open", "last", `,"detector":"${detector}","reading":"${reading}","config":"${config}"`, `{}`},
		{"observe", "last", `,"events":"${last}"`, `{"verdicts":[{"loop":false}]}`},
		{"open", "all", `,"detector":"${detector}","reading":"${reading}","config":"${config}"`, `{}`},
		{"observe", "all", `,"events":"${before}"`, `{"verdicts":{"each":{"loop":false}}}`},
		{"observe", "all", `,"events":"${last}"`, `{"verdicts":[{"loop":true}]}`},
		{"close", "all", "", `{}`},
		{"close", "last", "", `{}`},
	} {
		send := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/%s","params":{"session":"%s"%s}}`,
			i, one.method, one.session, one.params)
		receive := spec.MustParse(fmt.Sprintf(`{"id":%d,"result":%s}`, i, one.result))
		steps = append(steps, cases.ExchangeStep{Send: send}, cases.ExchangeStep{Receive: receive})
	}
	return steps
}

// loopFor returns the shortest loop of the first detector and reading of the port that has any, nil where none has. It
// looks at the cases that are selected, which may be about a configuration of the port's own, and at the whole suite.
func loopFor(port spec.Description, selected []cases.Case) *loop {
	all, _ := cases.All() // the suite cannot be wrong here: the cases of the protocol are from it
	for _, offer := range port.Detectors {
		of := slices.Concat(selected, all, cases.OfProfile(all, offer.Detector))
		of = slices.DeleteFunc(of, func(c cases.Case) bool { return c.Detector != offer.Detector })
		for _, reading := range offer.Readings {
			if shortest := shortestLoop(of, reading, port); shortest != nil {
				return shortest
			}
		}
	}
	return nil
}

// shortestLoop returns the loop with the fewest events of those that the port is asked in a reading; nil without one.
func shortestLoop(of []cases.Case, reading spec.Reading, port spec.Description) (shortest *loop) {
	for _, c := range of {
		events, is := loopIn(c)
		if !is || !slices.Contains(c.Readings, reading) || shortest != nil && len(events) >= len(shortest.events) {
			continue
		}
		if t := newTask(c, reading, port); t.result.Status == "" {
			shortest = &loop{
				id: c.ID, detector: c.Detector, reading: reading, config: t.halves[0].Config, events: events,
			}
		}
	}
	return shortest
}

// loopIn returns the events of a case, and whether they are a loop for exchanges: the case expects one at the last
// event and at no other, and the first event is equal to the last.
func loopIn(c cases.Case) (events []spec.Value, is bool) {
	if len(c.Steps) == 0 || c.Instances > 0 || len(c.Needs) > 0 {
		return nil, false
	}
	looped := false
	for _, step := range c.Steps {
		if !isPlain(step) || step.Times*len(step.Events) > mostInLoop {
			return nil, false
		}
		for k, event := range step.Observed() {
			want, said := step.Expect[k%len(step.Events)%len(step.Expect)].Want("loop")
			if looped || !said {
				return nil, false
			}
			looped, events = want.Equal.IsTrue(), append(events, event)
		}
	}
	return events, looped && len(events) <= mostInLoop && len(events) > 1 && events[0].Equal(events[len(events)-1])
}

// isPlain reports whether a step observes events in the session that a case has without naming one, and expects
// verdicts.
func isPlain(step cases.Step) bool {
	return step.Action == cases.Observe && step.Fault == nil && step.Session == cases.MainSession && len(step.Expect) > 0
}

// values returns what stands in exchanges for the loop, each placeholder before its value.
func (l *loop) values() []string {
	config, last := l.config, len(l.events)-1
	if config.IsAbsent() {
		config = spec.ObjectValue()
	}
	quoted := func(placeholder string) string { return `"` + placeholder + `"` }
	return []string{
		quoted(cases.ConfigPlaceholder), config.String(),
		quoted(cases.BeforePlaceholder), spec.ArrayValue(l.events[:last]...).String(),
		quoted(cases.LastPlaceholder), spec.ArrayValue(l.events[last]).String(),
	}
}
