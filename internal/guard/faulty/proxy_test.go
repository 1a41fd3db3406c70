package faulty_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// proxy is a port that hands on what it is told, and what it says, with one fault in what it hands on.
type proxy struct {
	spec.Port
	fault fault
}

// fault is what a proxy changes. A function that is nil changes nothing.
type fault struct {
	config  func(spec.Value) spec.Value                           // of a session, before it is opened
	session func() (heard, said func(e, v spec.Value) spec.Value) // of one session: an event (v is absent), a verdict
}

// Open implements [spec.Port].
func (p proxy) Open(ctx context.Context, d spec.DetectorID, r spec.Reading, config spec.Value) (spec.Session, error) {
	if p.fault.config != nil && !config.IsAbsent() {
		config = p.fault.config(config)
	}
	s, err := p.Port.Open(ctx, d, r, config)
	if err != nil || p.fault.session == nil {
		return s, err
	}
	heard, said := p.fault.session()
	return proxySession{s, heard, said}, nil
}

type proxySession struct {
	spec.Session
	heard, said func(e, v spec.Value) spec.Value
}

// Observe implements [spec.Session].
func (s proxySession) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	told := slices.Clone(events)
	if s.heard != nil {
		for i, e := range told {
			told[i] = s.heard(e, spec.Value{})
		}
	}
	verdicts, err := s.Session.Observe(ctx, told)
	if s.said != nil && err == nil {
		for i, v := range verdicts {
			verdicts[i] = s.said(events[i], v)
		}
	}
	return verdicts, err
}

// hears is the fault of a port that takes each event for another one.
func hears(change func(spec.Value) spec.Value) fault {
	return fault{session: func() (heard, said func(e, v spec.Value) spec.Value) {
		return func(e, _ spec.Value) spec.Value { return change(e) }, nil
	}}
}

// says is the fault of a port that says something else after an event.
func says(change func(event, verdict spec.Value) spec.Value) fault {
	return fault{session: func() (heard, said func(e, v spec.Value) spec.Value) { return nil, change }}
}

// configured is the fault of a port that reads configurations as others.
func configured(change func(spec.Value) spec.Value) fault { return fault{config: change} }

// folded is the fault of a port that takes a text of events for an earlier one of the session which is alike.
func folded(member string, alike func(string) string) fault {
	return fault{session: func() (heard, said func(e, v spec.Value) spec.Value) {
		first := map[string]spec.Value{}
		return func(e, _ spec.Value) spec.Value {
			text, isText := e.Get(member).Str()
			if !isText {
				return e
			}
			key := alike(text)
			if first[key].IsAbsent() {
				first[key] = e.Get(member)
			}
			return e.With(member, first[key])
		}, nil
	}}
}

// texts changes all texts in a value.
func texts(v spec.Value, change func(string) string) spec.Value {
	if text, isText := v.Str(); isText {
		return spec.StringValue(change(text))
	}
	return v.Map(func(inner spec.Value) spec.Value { return texts(inner, change) })
}

// shallow returns a value without what lies deeper.
func shallow(v spec.Value, depth int) spec.Value {
	if depth == 0 && len(v.Items())+len(v.Members()) > 0 {
		return spec.NullValue()
	}
	return v.Map(func(inner spec.Value) spec.Value { return shallow(inner, depth-1) })
}

// in32Bits returns a value with all integers cut to 32 bits.
func in32Bits(v spec.Value) spec.Value {
	if n, isInt := v.Int(); isInt {
		return spec.IntValue(int(int32(n)))
	}
	return v.Map(in32Bits)
}

// silentOnLong is a port that finds no loop in events that are longer than 10 kB.
func silentOnLong(event, verdict spec.Value) spec.Value {
	if len(event.String()) > 10_000 {
		return spec.MustParse(`{"loop":false}`)
	}
	return verdict
}

// cutLong is a port that reads the first 10 kB of texts.
func cutLong(event spec.Value) spec.Value {
	return texts(event, func(s string) string { return s[:min(len(s), 10_000)] })
}

// ofLastCalls is a port that names the last two calls where the first two that it counts belong.
func ofLastCalls() (heard, said func(e, v spec.Value) spec.Value) {
	last := [2]string{}
	return nil, func(e, v spec.Value) spec.Value {
		if tool, isCall := e.Get("tool").Str(); isCall && e.Get("type").Equal(spec.StringValue("tool_call")) {
			last = [2]string{last[1], tool}
		}
		if !v.Get("kind").Equal(spec.StringValue(string(spec.KindAlternating))) {
			return v
		}
		return v.With("pattern", spec.StringValue(fmt.Sprintf("Alternating between '%s' and '%s'", last[0], last[1])))
	}
}

// proxies have faults that no small change of the reference comes to, and that a port's author makes out of habit, or a
// language's limits bring along.
func proxies() map[string]struct {
	detectors []spec.DetectorID // each of them alone shows the fault
	fault     fault
} {
	type row = struct {
		detectors []spec.DetectorID
		fault     fault
	}
	crow := []spec.DetectorID{spec.Crow}
	return map[string]row{
		"messages are compared without regard to case": {crow, folded("message", strings.ToLower)},
		"messages lose the blanks behind them": {crow, folded("message", func(s string) string {
			return strings.TrimRight(s, " ")
		})},
		"messages lose the blanks before them": {crow, folded("message", func(s string) string {
			return strings.TrimLeft(s, " ")
		})},
		"results are compared without regard to case": {crow, folded("content", strings.ToLower)},
		"results lose the blanks round them":          {crow, folded("content", strings.TrimSpace)},
		"a pattern names the last two calls":          {crow, fault{session: ofLastCalls}},
		"no loop in events of more than 10 kB": {
			[]spec.DetectorID{
				spec.Fingerprint, spec.Signature, spec.History, spec.Crow, spec.Swarm, spec.Guards, spec.Composed,
			},
			says(silentOnLong),
		},
		"texts end after 10 kB": {
			[]spec.DetectorID{spec.Fingerprint, spec.History, spec.Crow, spec.Swarm, spec.Composed}, hears(cutLong),
		},
		"arguments end at the fifth level": {
			[]spec.DetectorID{spec.Fingerprint, spec.History, spec.Crow, spec.Composed},
			hears(func(e spec.Value) spec.Value { return shallow(e, 6) }),
		},
		"arguments end at the 80th level": {
			[]spec.DetectorID{spec.Fingerprint, spec.History, spec.Crow, spec.Composed},
			hears(func(e spec.Value) spec.Value { return shallow(e, 81) }),
		},
		"ten workers are many": {[]spec.DetectorID{spec.Swarm}, says(func(_, v spec.Value) spec.Value {
			if n, _ := v.Get("workers").Int(); n > 10 {
				return v.With("workers", spec.IntValue(10))
			}
			return v
		})},
		"integers of a configuration have 32 bits": {
			[]spec.DetectorID{
				spec.Fingerprint, spec.Signature, spec.History, spec.Crow, spec.Swarm, spec.Ralph, spec.Guards, spec.Composed,
			},
			configured(in32Bits),
		},
	}
}

// TestCasesFindWhatProxiesDo: the cases of the detector find each fault, with nothing generated.
func TestCasesFindWhatProxiesDo(t *testing.T) {
	t.Parallel()
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range proxies() {
		for _, detector := range p.detectors {
			t.Run(fmt.Sprintf("%s/%s", detector, name), func(t *testing.T) {
				t.Parallel()
				own := slices.DeleteFunc(slices.Clone(suite), func(c cases.Case) bool {
					return c.Detector != detector || c.Instances > 0
				})
				report, err := conformance.Run(t.Context(), proxy{reference.Port(), p.fault}, own, conformance.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if report.Outcome() != conformance.NotConformant {
					t.Errorf("%d cases find nothing", len(own))
				}
			})
		}
	}
}
