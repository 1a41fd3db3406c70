package main

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// trace is events with what the reference says after each.
type trace struct {
	detector spec.DetectorID
	reading  spec.Reading
	config   spec.Value
	profile  string // whose configuration it is; empty where it is that of none
	events   []spec.Value
	verdicts []spec.Value
}

// shown is a rule as its page shows it: a trace after which it speaks, and one that lacks an event.
type shown struct {
	clauses map[spec.Reading]string // the clause that decides, in each reading
	fires   trace
	quiet   trace
	without int // the event that the quiet trace lacks
}

// traceOf returns a case as a trace for one reading; false where it does more than to observe.
func traceOf(c cases.Case, reading spec.Reading) (trace, bool) {
	t := trace{detector: c.Detector, reading: reading, config: c.Config}
	for _, s := range c.Steps {
		if s.Action != cases.Observe || s.Session != cases.MainSession || s.Fault != nil {
			return trace{}, false
		}
		for range max(s.Times, 1) {
			t.events = append(t.events, s.Events...)
		}
	}
	return t, len(t.events) > 0
}

// judged returns the trace with the reference's verdicts.
func (t trace) judged(ctx context.Context) (trace, error) {
	session, err := reference.Port().Open(ctx, t.detector, t.reading, t.config)
	if err != nil {
		return t, err
	}
	t.verdicts, err = session.Observe(ctx, t.events)
	return t, errors.Join(err, session.Close(ctx))
}

// first returns the first event after which there is a loop, -1 without one.
func (t trace) first() int {
	return slices.IndexFunc(t.verdicts, func(v spec.Value) bool { return v.Get("loop").IsTrue() })
}

// readingsOf returns the readings in which a case is run.
func readingsOf(c cases.Case) []spec.Reading {
	if len(c.Readings) > 0 {
		return c.Readings
	}
	definition, _ := spec.DefinitionOf(c.Detector)
	return definition.Readings
}

// longestShown bounds the events of a trace that explains a rule.
const longestShown = 30

// rulesOf finds for each rule the clause and the shortest trace of the suite that shows it.
func rulesOf(ctx context.Context, suite []cases.Case) (map[spec.VerdictKind]*shown, error) {
	rules := map[spec.VerdictKind]*shown{}
	best := map[spec.VerdictKind]int{}
	for _, c := range suite {
		if c.Detector == cases.Protocol {
			continue
		}
		for _, reading := range readingsOf(c) {
			t, ok := traceOf(c, reading)
			if !ok || len(t.events) > longestShown {
				continue
			}
			t, err := t.judged(ctx)
			if err != nil || t.first() < 0 {
				continue // a case of a refusal shows no rule
			}
			t = t.until(t.first())
			kind := kindOf(t.verdicts[len(t.verdicts)-1])
			if cost := t.cost(); rules[kind] == nil || cost < best[kind] {
				if quiet, without, ok := t.quiet(ctx); ok {
					rules[kind], best[kind] = &shown{fires: t, quiet: quiet, without: without}, cost
				}
			}
		}
	}
	for _, d := range spec.Detectors() {
		for _, r := range d.Rules {
			if rules[r.Kind] == nil {
				return nil, fmt.Errorf("no case of at most %d events shows the rule %s of %s", longestShown, r.Kind, d.ID)
			}
			rules[r.Kind].clauses = map[spec.Reading]string{}
			for _, reading := range d.Readings {
				rules[r.Kind].clauses[reading] = decides(d, r.Kind, reading, suite)
			}
		}
	}
	return rules, nil
}

// cost ranks traces as explanations: those with evidence first, then those with the defaults, then by what there is to
// read.
func (t trace) cost() int {
	cost := 0
	if len(t.evidence()) == 0 {
		cost += 1 << 24
	}
	if !t.config.IsAbsent() {
		cost += 1 << 20
	}
	for _, e := range t.events {
		cost += 40 + len(e.String())
	}
	return cost
}

func (t trace) until(last int) trace {
	t.events, t.verdicts = t.events[:last+1], t.verdicts[:last+1]
	return t
}

// evidence returns the events that the last verdict names.
func (t trace) evidence() []int {
	var events []int
	for _, item := range t.verdicts[len(t.verdicts)-1].Get("evidence").Items() {
		if i, ok := item.Int(); ok {
			events = append(events, i)
		}
	}
	return events
}

// quiet returns the trace without one event, of the proof where it has one, so that nothing is a loop.
func (t trace) quiet(ctx context.Context) (trace, int, bool) {
	for _, without := range append(t.evidence(), len(t.events)-1) {
		other := t
		other.events = slices.Delete(slices.Clone(t.events), without, without+1)
		if other, err := other.judged(ctx); err == nil && len(other.events) > 0 && other.first() < 0 {
			return other, without, true
		}
	}
	return trace{}, 0, false
}

func kindOf(verdict spec.Value) spec.VerdictKind {
	kind, _ := verdict.Get("kind").Str()
	return spec.VerdictKind(kind)
}

// decides returns the clause that a rule stands in: of those that bind the reading and name the rule, the one that is
// cited most by the cases that expect it and least by others, as Ochiai's coefficient weighs.
func decides(d spec.Definition, kind spec.VerdictKind, reading spec.Reading, suite []cases.Case) string {
	expecting, cited, both := 0, map[string]int{}, map[string]int{}
	for _, c := range suite {
		if c.Detector != d.ID || !slices.Contains(readingsOf(c), reading) {
			continue
		}
		expects := strings.Contains(c.Demand().Get("steps").String(), `"kind":"`+string(kind)+`"`)
		if expects {
			expecting++
		}
		for _, id := range c.Clauses {
			cited[id]++
			if expects {
				both[id]++
			}
		}
	}
	best, most := "", -1.0
	for _, c := range spec.Clauses() {
		if !strings.HasPrefix(c.ID, d.Prefix+"-") || !c.Binds(reading) {
			continue
		}
		weight := float64(both[c.ID]) / math.Sqrt(float64(max(1, expecting*cited[c.ID])))
		if strings.Contains(c.Text, "`"+string(kind)+"`") {
			weight++
		}
		if weight > most {
			best, most = c.ID, weight
		}
	}
	return best
}

// link returns the address of the playground with the trace.
func (t trace) link() string {
	var lines strings.Builder
	for _, e := range t.events {
		fmt.Fprintf(&lines, "- %s\n", e)
	}
	lane := spec.ObjectValue(
		spec.Member{Name: "detector", Value: spec.StringValue(string(t.detector))},
		spec.Member{Name: "reading", Value: spec.StringValue(string(t.reading))},
	)
	if !t.config.IsAbsent() {
		lane = lane.With("config", t.config)
	}
	if t.profile != "" {
		lane = lane.With("profile", spec.StringValue(t.profile)).Without("config")
	}
	state := spec.ObjectValue(
		spec.Member{Name: "trace", Value: spec.StringValue(lines.String())},
		spec.Member{Name: "lanes", Value: spec.ArrayValue(lane)},
	)
	return "/playground#z=" + base64.RawURLEncoding.EncodeToString(deflated(state.String()))
}

// deflated returns a text compressed, as the playground's own links have it.
func deflated(text string) []byte {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.BestCompression) // no error: the level is one
	_, err := io.WriteString(w, text)
	if err := errors.Join(err, w.Close()); err != nil {
		panic(err) // a buffer takes everything
	}
	return b.Bytes()
}
