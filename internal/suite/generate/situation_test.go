package generate

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// played is a subject with what the reference says of it.
type played struct {
	fuzz.Subject
	verdicts []spec.Value // of a trace; a reset has an absent one
	value    spec.Value   // of a call
	fault    *spec.Fault
}

// situation is something rare that a fuzzer must not miss.
type situation struct {
	name     string
	detector spec.DetectorID
	reading  spec.Reading
	least    int // subjects out of drawsEach that have it
	is       func(played) bool
}

// drawsEach is how many subjects of each detector and reading are drawn; nine of these are more than 20,000.
const drawsEach = 2400

var situations = []situation{
	{"exact loop as long as the window", spec.Fingerprint, spec.Text, 20, anyVerdict(kind("exact"), countIs("window", 10))},
	{"exact count held down by the window", spec.Fingerprint, spec.Text, 100, windowHolds},
	{"fuzzy without exact", spec.Fingerprint, spec.Text, 100, anyVerdict(kind("fuzzy"))},
	{"fuzzy count as long as the window", spec.Fingerprint, spec.Text, 10, anyVerdict(kind("fuzzy"), countIs("window", 10))},
	{"test_fix", spec.Fingerprint, spec.Text, 50, anyVerdict(kind("test_fix"))},
	{"bash_cascade", spec.Fingerprint, spec.Text, 50, anyVerdict(kind("bash_cascade"))},
	{"summary", spec.Fingerprint, spec.Text, 50, anyVerdict(kind("summary"))},
	{"notice", spec.Fingerprint, spec.Text, 50, anyVerdict(has("severity", "notice"))},
	{"warning", spec.Fingerprint, spec.Text, 50, anyVerdict(has("severity", "warning"))},
	{"critical", spec.Fingerprint, spec.Text, 50, anyVerdict(has("severity", "critical"))},
	{"a file read", spec.Fingerprint, spec.Text, 10, valueBegins("bash:file_read:")},
	{"more calls with ids than are remembered", spec.Fingerprint, spec.Text, 1, longerThan(1000)},

	{"error", spec.Signature, spec.Text, 50, anyVerdict(signature("error:"))},
	{"counted failures", spec.Signature, spec.Text, 50, anyVerdict(signature("test-fail:"))},
	{"failures of a file", spec.Signature, spec.Text, 20, anyVerdict(signature("auth.ts:"))},
	{"search", spec.Signature, spec.Text, 50, anyVerdict(signature("search:"))},
	{"action in a file", spec.Signature, spec.Text, 10, anyVerdict(signature("auth.ts:null"))},
	{"modified file", spec.Signature, spec.Text, 50, anyVerdict(signature("auth.ts:modified"))},
	{"final sigma", spec.Signature, spec.Text, 10, anyVerdict(signatureHas("ς"))},
	{"full window", spec.Signature, spec.Text, 50, anyVerdict(kind("signature"), countIs("window", 5))},
	{"threshold above the window", spec.Signature, spec.Text, 50, above("threshold", "window")},
	{"error", spec.Signature, spec.Code, 50, anyVerdict(signature("error:"))},
	{"error whose word gives letters back", spec.Signature, spec.Code, 2, anyVerdict(signature("error:form-"))},
	{"failures without a place", spec.Signature, spec.Code, 50, anyVerdict(has("signature", "test-fail:"))},
	{"failures with two places", spec.Signature, spec.Code, 5, anyVerdict(signature("test-fail:fail"), signatureHas(","))},
	{"file", spec.Signature, spec.Code, 50, anyVerdict(signature("file:"))},
	{"loop that is not consecutive", spec.Signature, spec.Code, 50, interruptedLoop},

	{"repeat", spec.History, spec.Code, 200, anyVerdict(kind("repeat"))},
	{"tool_limit", spec.History, spec.Code, 50, anyVerdict(kind("tool_limit"))},
	{"first_word", spec.History, spec.Code, 20, anyVerdict(kind("first_word"))},
	{"count falls as calls leave the window", spec.History, spec.Code, 200, countFalls},
	{"a loop ends", spec.History, spec.Code, 100, loopEnds},

	{"repeating_action", spec.Crow, spec.Code, 200, anyVerdict(kind("repeating_action"))},
	{"repeating_error", spec.Crow, spec.Code, 100, anyVerdict(kind("repeating_error"))},
	{"monologue", spec.Crow, spec.Code, 50, anyVerdict(kind("monologue"))},
	{"alternating", spec.Crow, spec.Code, 30, anyVerdict(kind("alternating"))},
	{"context_error", spec.Crow, spec.Code, 100, anyVerdict(kind("context_error"))},
	{"repeating_action", spec.Crow, spec.Text, 100, anyVerdict(kind("repeating_action"))},
	{"repeating_error", spec.Crow, spec.Text, 50, anyVerdict(kind("repeating_error"))},
	{"monologue", spec.Crow, spec.Text, 50, anyVerdict(kind("monologue"))},
	{"alternating", spec.Crow, spec.Text, 20, anyVerdict(kind("alternating"))},
	{"alternating, more than six rounds", spec.Crow, spec.Text, 5, anyVerdict(kind("alternating"), countIs("", 7))},
	{"context_error", spec.Crow, spec.Text, 50, anyVerdict(kind("context_error"))},
	{"a loop ends", spec.Crow, spec.Text, 100, loopEnds},

	{"global", spec.Swarm, spec.Text, 200, anyVerdict(kind("global"))},
	{"global at the threshold", spec.Swarm, spec.Text, 50, anyVerdict(kind("global"), countIs("threshold", 10))},
	{"global that waited for workers", spec.Swarm, spec.Text, 50, waitedForWorkers},
	{"merged states", spec.Swarm, spec.Text, 20, valueBegins("")},
	{"states that do not go together", spec.Swarm, spec.Text, 10, refused(spec.InvalidState)},

	{"similar", spec.Ralph, spec.Text, 200, anyVerdict(kind("similar"))},
	{"similar exactly as far as it must be", spec.Ralph, spec.Text, 20, exactlySimilar},
	{"similar, not equal", spec.Ralph, spec.Text, 100, anyVerdict(kind("similar"), notAlike)},

	{"max_iterations", spec.Guards, spec.Text, 100, anyVerdict(kind("max_iterations"))},
	{"max_runtime", spec.Guards, spec.Text, 50, anyVerdict(kind("max_runtime"))},
	{"loop_detection", spec.Guards, spec.Text, 100, anyVerdict(kind("loop_detection"))},
	{"consecutive_errors", spec.Guards, spec.Text, 50, anyVerdict(kind("consecutive_errors"))},
}

// everywhere are situations that each detector must come to in each reading.
var everywhere = []situation{
	{name: "several sessions", least: 100, is: anyStep(func(s laws.Step) bool { return s.Session > 0 })},
	{name: "reset", least: 50, is: anyStep(laws.Step.IsReset)},
	{name: "default configuration", least: 100, is: func(p played) bool { return !p.IsCall() && p.Config.IsAbsent() }},
	{name: "empty trace", least: 5, is: func(p played) bool { return !p.IsCall() && len(p.Steps) == 0 }},
	{name: "more evidence than is named", least: 5, is: longerThan(spec.MaxEvidence)},
	{name: "refused configuration", least: 20, is: refused(spec.InvalidConfig)},
	{name: "refused event", least: 20, is: refused(spec.InvalidEvent)},
	{name: "neither always a loop nor never", least: 300, is: loopComesAndGoes},
}

func TestRareSituationsOccur(t *testing.T) {
	t.Parallel()
	for _, offer := range offers() {
		for _, reading := range offer.Readings {
			t.Run(string(offer.Detector)+"/"+string(reading), func(t *testing.T) {
				t.Parallel()
				countSituations(t, offer, reading)
			})
		}
	}
}

func countSituations(t *testing.T, offer spec.Offer, reading spec.Reading) {
	port := reference.Port()
	draw := For(offer, reading)
	counts := map[string]int{}
	for seed := range drawsEach {
		p := playedTo(t, port, example(seed, draw))
		for _, s := range situationsOf(offer.Detector, reading) {
			if s.is(p) {
				counts[s.name]++
			}
		}
	}
	for _, s := range situationsOf(offer.Detector, reading) {
		t.Logf("%5d %s", counts[s.name], s.name)
		if counts[s.name] < s.least {
			t.Errorf("%s: in %d of %d subjects, want at least %d", s.name, counts[s.name], drawsEach, s.least)
		}
	}
}

func situationsOf(detector spec.DetectorID, reading spec.Reading) []situation {
	list := append([]situation{}, everywhere...)
	for _, s := range situations {
		if s.detector == detector && s.reading == reading {
			list = append(list, s)
		}
	}
	return list
}

func playedTo(t *testing.T, port spec.Port, s fuzz.Subject) played {
	t.Helper()
	ctx := context.Background()
	p := played{Subject: s}
	var err error
	if s.IsCall() {
		p.value, err = port.Call(ctx, s.Function, s.Reading, s.Args)
	} else {
		p.verdicts, err = laws.Play(ctx, port, s.Trace)
	}
	if err != nil && !errors.As(err, &p.fault) {
		t.Fatal(err)
	}
	return p
}

// condition is one on a single verdict of a subject.
type condition func(p played, verdict spec.Value) bool

// anyVerdict holds where one verdict fulfils all conditions.
func anyVerdict(conditions ...condition) func(played) bool {
	return func(p played) bool {
		return slices.ContainsFunc(p.verdicts, func(v spec.Value) bool {
			return !slices.ContainsFunc(conditions, func(c condition) bool { return !c(p, v) })
		})
	}
}

func has(name, text string) condition {
	return func(_ played, v spec.Value) bool {
		got, ok := v.Get(name).Str()
		return ok && got == text
	}
}

func kind(name string) condition { return has("kind", name) }

func signature(start string) condition {
	return func(_ played, v spec.Value) bool {
		got, _ := v.Get("signature").Str()
		return strings.HasPrefix(got, start)
	}
}

func signatureHas(part string) condition {
	return func(_ played, v spec.Value) bool {
		got, _ := v.Get("signature").Str()
		return strings.Contains(got, part)
	}
}

// settingOf returns a setting of the subject, or its default.
func settingOf(p played, name string, byDefault int) int {
	if n, ok := p.Config.Get(name).Int(); ok {
		return n
	}
	return byDefault
}

// countIs holds where the count is a setting, which has that default.
func countIs(setting string, byDefault int) condition {
	return func(p played, v spec.Value) bool {
		n, ok := v.Get("count").Int()
		return ok && n == settingOf(p, setting, byDefault)
	}
}

// windowHolds holds where a run goes on and its count does not.
func windowHolds(p played) bool {
	window := settingOf(p, "window", 10)
	return window > 1 && inARow(p, func(a, b spec.Value) bool {
		x, isInt := a.Get("count").Int()
		y, _ := b.Get("count").Int()
		return isInt && x == window && y == window
	})
}

// inARow holds where two verdicts that follow one another in a trace of one session are so.
func inARow(p played, are func(a, b spec.Value) bool) bool {
	for i := 1; i < len(p.verdicts); i++ {
		a, b := p.Steps[i-1], p.Steps[i]
		if a.Session == 0 && b.Session == 0 && !a.IsReset() && !b.IsReset() && are(p.verdicts[i-1], p.verdicts[i]) {
			return true
		}
	}
	return false
}

func countFalls(p played) bool {
	return inARow(p, func(a, b spec.Value) bool {
		x, _ := a.Get("count").Int()
		y, ok := b.Get("count").Int()
		return ok && y < x
	})
}

func loopEnds(p played) bool {
	return inARow(p, func(a, b spec.Value) bool { return a.Get("loop").IsTrue() && !b.Get("loop").IsTrue() })
}

// interruptedLoop holds where a loop of the reading code comes after another signature.
func interruptedLoop(p played) bool {
	return inARow(p, func(a, b spec.Value) bool {
		n, _ := b.Get("count").Int()
		return b.Get("loop").IsTrue() && n > 1 && !a.Get("signature").Equal(b.Get("signature"))
	})
}

// above holds where a threshold is higher than its window, so that its rule never holds.
func above(threshold, window string) func(played) bool {
	return func(p played) bool {
		a, ok := p.Config.Get(threshold).Int()
		b, alsoOK := p.Config.Get(window).Int()
		return ok && alsoOK && a > b && len(p.verdicts) > a
	}
}

// waitedForWorkers holds where a loop has more calls than it needs at its first report.
func waitedForWorkers(p played) bool {
	for _, v := range p.verdicts {
		if v.Get("loop").IsTrue() {
			n, _ := v.Get("count").Int()
			return n > settingOf(p, "threshold", 10)
		}
	}
	return false
}

func exactlySimilar(p played) bool {
	want := settingOf(p, "similarity", 90)
	return want < 100 && anyVerdict(func(_ played, v spec.Value) bool {
		f, ok := v.Get("similarity").Float()
		return ok && math.Abs(f-float64(want)) < 1e-9
	})(p)
}

func notAlike(_ played, v spec.Value) bool {
	f, ok := v.Get("similarity").Float()
	return ok && f < 100
}

func anyStep(is func(laws.Step) bool) func(played) bool {
	return func(p played) bool { return slices.ContainsFunc(p.Steps, is) }
}

func longerThan(n int) func(played) bool {
	return func(p played) bool { return len(p.Steps) > n }
}

func refused(kind spec.FaultKind) func(played) bool {
	return func(p played) bool { return p.fault != nil && p.fault.Kind == kind }
}

// valueBegins holds where a function has a value that, where it is a text, begins so.
func valueBegins(start string) func(played) bool {
	return func(p played) bool {
		text, isText := p.value.Str()
		return isText && strings.HasPrefix(text, start) || start == "" && !p.value.IsAbsent()
	}
}

func loopComesAndGoes(p played) bool {
	loops := 0
	for _, v := range p.verdicts {
		if v.Get("loop").IsTrue() {
			loops++
		}
	}
	return loops > 0 && loops < len(p.verdicts)
}
