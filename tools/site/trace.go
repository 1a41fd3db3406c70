package main

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// trace is events with what the reference says after each.
type trace struct {
	Detector spec.DetectorID
	Reading  spec.Reading
	Config   spec.Value
	Events   []spec.Value
	verdicts []spec.Value
	profile  string // whose configuration it is; empty without one
}

// shown is a rule as its page shows it: a trace after which it speaks, and one that lacks an event.
type shown struct {
	clauses map[spec.Reading]string // the clause that decides, in each reading
	Fires   trace
	Quiet   trace
	Without int // the event that Quiet lacks, from 1
}

// ruleOf returns how a rule is shown.
func (s *site) ruleOf(kind spec.VerdictKind) *shown { return s.rules[kind] }

// Decisive returns the clauses that decide, each once.
func (r *shown) Decisive() (list []spec.Clause) {
	for _, id := range slices.Compact(slices.Sorted(maps.Values(r.clauses))) {
		if c, ok := spec.ClauseByID(id); ok {
			list = append(list, c)
		}
	}
	return list
}

// traceOf returns a case as a trace for one reading; false where it does more than to observe.
func traceOf(c cases.Case, reading spec.Reading) (trace, bool) {
	t := trace{Detector: c.Detector, Reading: reading, Config: c.Config}
	for _, s := range c.Steps {
		if s.Action != cases.Observe || s.Session != cases.MainSession || s.Fault != nil {
			return trace{}, false
		}
		for range max(s.Times, 1) {
			t.Events = append(t.Events, s.Events...)
		}
	}
	return t, len(t.Events) > 0
}

// judged returns the trace with the reference's verdicts.
func (t trace) judged(ctx context.Context) (trace, error) {
	session, err := reference.Port().Open(ctx, t.Detector, t.Reading, t.Config)
	if err != nil {
		return t, err
	}
	t.verdicts, err = session.Observe(ctx, t.Events)
	return t, errors.Join(err, session.Close(ctx))
}

// first returns the first event after which there is a loop, -1 without one.
func (t trace) first() int {
	return slices.IndexFunc(t.verdicts, func(v spec.Value) bool { return v.Get("loop").IsTrue() })
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
			if !ok || len(t.Events) > longestShown {
				continue
			}
			t, err := t.judged(ctx)
			if err != nil || t.first() < 0 {
				continue // a case of a refusal shows no rule
			}
			t = t.until(t.first())
			kind := kindOf(t.verdicts[len(t.verdicts)-1])
			if cost := t.cost(); rules[kind] == nil || cost < best[kind] {
				if quiet, without := t.quiet(ctx); without > 0 {
					rules[kind], best[kind] = &shown{Fires: t, Quiet: quiet, Without: without}, cost
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
	if !t.Config.IsAbsent() {
		cost += 1 << 20
	}
	for _, e := range t.Events {
		cost += 40 + len(e.String())
	}
	return cost
}

func (t trace) until(last int) trace {
	t.Events, t.verdicts = t.Events[:last+1], t.verdicts[:last+1]
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

// quiet returns the trace without one event, of the proof where it has one, so that nothing is a loop; and which event,
// from 1, or 0 where no such event is found.
func (t trace) quiet(ctx context.Context) (trace, int) {
	for _, without := range append(t.evidence(), len(t.Events)-1) {
		other := t
		other.Events = slices.Delete(slices.Clone(t.Events), without, without+1)
		if other, err := other.judged(ctx); err == nil && len(other.Events) > 0 && other.first() < 0 {
			return other, without + 1
		}
	}
	return trace{}, 0
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

// longestLink bounds the address of a trace; browsers take more, people do not.
const longestLink = 12_000

// ShortLink is Link, but empty where that is long.
func (t trace) ShortLink() string {
	if link := t.Link(); len(link) <= longestLink {
		return link
	}
	return ""
}

// Number returns the first event after which there is a loop, from 1.
func (t trace) Number() int { return t.first() + 1 }

// Link returns the address of the playground with the trace.
func (t trace) Link() string {
	var lines strings.Builder
	for _, e := range t.Events {
		fmt.Fprintf(&lines, "- %s\n", e)
	}
	state := spec.ObjectValue(
		spec.Member{Name: "trace", Value: spec.StringValue(lines.String())},
		spec.Member{Name: "lanes", Value: spec.ArrayValue(t.lane())},
	)
	return "/playground#z=" + base64.RawURLEncoding.EncodeToString(deflated(state.String()))
}

// lane returns what the playground calls the detector of the trace.
func (t trace) lane() spec.Value {
	lane := spec.ObjectValue(
		spec.Member{Name: "detector", Value: spec.StringValue(string(t.Detector))},
		spec.Member{Name: "reading", Value: spec.StringValue(string(t.Reading))},
	)
	switch {
	case t.profile != "":
		return lane.With("profile", spec.StringValue(t.profile))
	case t.Config.IsAbsent():
		return lane
	default:
		return lane.With("config", t.Config)
	}
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
