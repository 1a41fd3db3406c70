package faultyadapter_test

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

// shortened is the fault of a port that keeps only the beginning of a text of events.
func shortened(member string, most int) fault {
	return hears(func(e spec.Value) spec.Value {
		text, _ := e.Get(member).Str()
		if len(text) <= most {
			return e
		}
		return e.With(member, spec.StringValue(text[:most]))
	})
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

// ofLastCalls is a port that names the last two calls where the first two that it counts belong.
func ofLastCalls() (heard, said func(e, v spec.Value) spec.Value) {
	last := [2]string{}
	return nil, func(e, v spec.Value) spec.Value {
		if tool, isCall := e.Get("tool").Str(); isCall && spec.TypeOf(e) == spec.ToolCall {
			last = [2]string{last[1], tool}
		}
		if !v.Get("kind").Equal(spec.StringValue(string(spec.KindAlternating))) {
			return v
		}
		return v.With("pattern", spec.StringValue(fmt.Sprintf("Alternating between '%s' and '%s'", last[0], last[1])))
	}
}

// proxied is a fault, and the detectors that show it, each by its own cases.
type proxied struct {
	name      string
	detectors []spec.DetectorID
	fault     fault
}

var (
	everyDetector = []spec.DetectorID{
		spec.Fingerprint, spec.Signature, spec.History, spec.Crow, spec.Swarm, spec.Ralph, spec.Guards, spec.Composed,
	}
	ofCalls = []spec.DetectorID{spec.Fingerprint, spec.History, spec.Crow, spec.Swarm, spec.Composed}
	ofArgs  = []spec.DetectorID{spec.Fingerprint, spec.History, spec.Crow, spec.Composed}
	ofText  = append([]spec.DetectorID{spec.Ralph}, ofCalls...) // which does not get into another form
)

// limits are what a language or a port's author sets, and the specification does not.
func limits() []proxied {
	return []proxied{
		{"no loop in events of more than 10 kB", []spec.DetectorID{
			spec.Fingerprint, spec.Signature, spec.History, spec.Crow, spec.Swarm, spec.Guards, spec.Composed,
		}, says(silentOnLong)},
		{"texts end after 10 kB", append([]spec.DetectorID{spec.Signature}, ofCalls...), hears(func(e spec.Value) spec.Value {
			return texts(e, func(s string) string { return s[:min(len(s), 10_000)] })
		})},
		{"arguments end at the fifth level", ofArgs, hears(func(e spec.Value) spec.Value { return shallow(e, 6) })},
		{"arguments end at the 95th level", ofArgs, hears(func(e spec.Value) spec.Value { return shallow(e, 96) })},
		{"tools end after 64 characters", ofCalls, shortened("tool", 64)},
		{"workers end after 8 characters", []spec.DetectorID{spec.Swarm}, shortened("worker", 8)},
		{"counts have 8 bits", []spec.DetectorID{spec.Swarm, spec.History, spec.Composed}, says(func(_, v spec.Value) spec.Value {
			if n, _ := v.Get("count").Int(); n > 255 {
				return v.With("count", spec.IntValue(n%256))
			}
			return v
		})},
		{"ten workers are many", []spec.DetectorID{spec.Swarm}, says(func(_, v spec.Value) spec.Value {
			if n, _ := v.Get("workers").Int(); n > 10 {
				return v.With("workers", spec.IntValue(10))
			}
			return v
		})},
		{"integers of a configuration have 32 bits", everyDetector, configured(in32Bits)},
	}
}

// habits are what porters do, or their libraries do for them.
func habits() []proxied {
	crow := []spec.DetectorID{spec.Crow}
	leading := func(s string) string { return strings.TrimLeft(s, " ") }
	trailing := func(s string) string { return strings.TrimRight(s, " ") }
	return []proxied{
		{"messages are compared without regard to case", crow, folded("message", strings.ToLower)},
		{"messages lose the blanks behind them", crow, folded("message", trailing)},
		{"messages lose the blanks before them", crow, folded("message", leading)},
		{"results are compared without regard to case", crow, folded("content", strings.ToLower)},
		{"results lose the blanks round them", crow, folded("content", strings.TrimSpace)},
		{"a pattern names the last two calls", crow, fault{session: ofLastCalls}},
		{"tools are compared without regard to case", ofCalls, folded("tool", strings.ToLower)},
		{"tools lose the blanks round them", ofCalls, folded("tool", strings.TrimSpace)},
		{"texts end at a NUL", everyDetector, replacing(func(s string) string {
			s, _, _ = strings.Cut(s, "\x00")
			return s
		})},
		{"ends of lines become line feeds", ofText, replacing(func(s string) string {
			return strings.ReplaceAll(s, "\r\n", "\n")
		})},
		{"characters are composed", everyDetector, replacing(func(s string) string {
			return strings.ReplaceAll(s, "e\u0301", "\u00e9")
		})},
		{"byte order marks are dropped", ofText, replacing(func(s string) string {
			return strings.ReplaceAll(s, "\ufeff", "")
		})},
		{"no-break spaces become blanks", ofText, replacing(func(s string) string {
			return strings.ReplaceAll(s, "\u00a0", " ")
		})},
		{"tabs become blanks", ofText, replacing(func(s string) string { return strings.ReplaceAll(s, "\t", " ") })},
		{"runs of blanks become one", ofText, replacing(func(s string) string {
			return strings.Join(strings.Fields(s), " ")
		})},
		{"texts lose their capitals", ofText, replacing(strings.ToLower)},
		{"true is 1", ofArgs, hears(func(e spec.Value) spec.Value {
			if e.Get("args").IsAbsent() {
				return e
			}
			return e.With("args", ones(e.Get("args")))
		})},
		{"the time belongs to a call", ofCalls, hears(func(e spec.Value) spec.Value {
			if e.Get("at").IsAbsent() || e.Get("tool").IsAbsent() {
				return e
			}
			return e.With("args", spec.ObjectValue(e.Get("args").Members()...).With("path", e.Get("at")))
		})},
	}
}

// replacing is the fault of a port that changes all texts that it is told, but those that the protocol gives a meaning.
func replacing(change func(string) string) fault {
	return hears(func(e spec.Value) spec.Value {
		other := texts(e, change)
		for _, name := range []string{"type", "role", "id", "call"} {
			if !e.Get(name).IsAbsent() {
				other = other.With(name, e.Get(name))
			}
		}
		return other
	})
}

// ones returns a value with 1 in place of true, and 0 in place of false.
func ones(v spec.Value) spec.Value {
	switch {
	case v.Kind() != spec.Bool:
		return v.Map(ones)
	case v.IsTrue():
		return spec.IntValue(1)
	default:
		return spec.IntValue(0)
	}
}

// TestCasesFindWhatProxiesDo: the cases of the detector find each fault, with nothing generated.
func TestCasesFindWhatProxiesDo(t *testing.T) {
	t.Parallel()
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range append(limits(), habits()...) {
		for _, detector := range p.detectors {
			t.Run(fmt.Sprintf("%s/%s", detector, p.name), func(t *testing.T) {
				t.Parallel()
				own := slices.DeleteFunc(slices.Clone(suite), func(c cases.Case) bool {
					return c.Detector != detector || c.Instances > 0
				})
				options := conformance.Options{FailFast: true, Suite: conformance.SuiteInfo{Selected: len(own)}}
				report, err := conformance.Run(t.Context(), proxy{reference.Port(), p.fault}, own, options)
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
