package tracegen

import (
	"context"
	"errors"
	"math"
	"slices"
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
	fault    *spec.Fault
}

// situation is something rare that a fuzzer must not miss.
type situation struct {
	name     string
	detector spec.DetectorID // every one where it is empty
	least    int             // subjects out of drawsEach that have it
	is       func(played) bool
}

// drawsEach is how many subjects of each detector and reading are drawn.
const drawsEach = 2400

// leastOfRule is how many of them have a verdict of each rule.
const leastOfRule = 20

var situations = []situation{
	{"several sessions", "", 100, anyStep(func(s laws.Step) bool { return s.Session > 0 })},
	{"reset", "", 50, anyStep(laws.Step.IsReset)},
	{"default configuration", "", 100, func(p played) bool { return !p.IsCall() && p.Config.IsAbsent() }},
	{"empty trace", "", 5, func(p played) bool { return !p.IsCall() && len(p.Steps) == 0 }},
	{"more evidence than is named", "", 5, longerThan(spec.MaxEvidence)},
	{"refused configuration", "", 20, refused(spec.InvalidConfig)},
	{"refused event", "", 20, refused(spec.InvalidEvent)},
	{"neither always a loop nor never", "", 300, loopComesAndGoes},

	{"count held down by the window", spec.Fingerprint, 100, isWindowFull},
	{"more calls with ids than are remembered", spec.Fingerprint, 1, longerThan(1000)},
	{"states that do not go together", spec.Swarm, 10, refused(spec.InvalidState)},
	{"similar exactly as far as it must be", spec.Ralph, 20, exactlySimilar},
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
	port, draw, counts := reference.Port(), For(offer, reading), map[string]int{}
	for seed := range drawsEach {
		p := playedTo(t, port, example(seed, draw))
		for _, s := range situationsOf(offer) {
			if s.is(p) {
				counts[s.name]++
			}
		}
	}
	for _, s := range situationsOf(offer) {
		if counts[s.name] < s.least {
			t.Errorf("%s: in %d of %d subjects, want at least %d", s.name, counts[s.name], drawsEach, s.least)
		}
	}
}

// situationsOf returns those of a detector, and that each of its rules gives a verdict.
func situationsOf(offer spec.Offer) (list []situation) {
	for _, s := range situations {
		if s.detector == "" || s.detector == offer.Detector {
			list = append(list, s)
		}
	}
	for _, kind := range offer.Definition().Kinds() {
		list = append(list, situation{string(kind), offer.Detector, leastOfRule, func(p played) bool {
			return slices.ContainsFunc(p.verdicts, func(v spec.Value) bool {
				got, _ := v.Get("kind").Str()
				return got == string(kind)
			})
		}})
	}
	return list
}

func playedTo(t *testing.T, port spec.Port, s fuzz.Subject) played {
	t.Helper()
	ctx := context.Background()
	p := played{Subject: s}
	var err error
	if s.IsCall() {
		_, err = port.Call(ctx, s.Function, s.Reading, s.Args)
	} else {
		p.verdicts, err = laws.Play(ctx, port, s.Trace)
	}
	if err != nil && !errors.As(err, &p.fault) {
		t.Fatal(err)
	}
	return p
}

// isWindowFull holds where a run goes on in a trace of one session, and its count does not.
func isWindowFull(p played) bool {
	window, set := p.Config.Get("window").Int()
	for i := 1; set && window > 1 && i < len(p.verdicts); i++ {
		before, _ := p.verdicts[i-1].Get("count").Int()
		now, _ := p.verdicts[i].Get("count").Int()
		if p.Steps[i].Session == p.Steps[i-1].Session && before == window && now == window {
			return true
		}
	}
	return false
}

func exactlySimilar(p played) bool {
	want, set := p.Config.Get("similarity").Int()
	return set && want < 100 && slices.ContainsFunc(p.verdicts, func(v spec.Value) bool {
		f, ok := v.Get("similarity").Float()
		return ok && math.Abs(f-float64(want)) < 1e-9
	})
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

func loopComesAndGoes(p played) bool {
	loops := 0
	for _, v := range p.verdicts {
		if v.Get("loop").IsTrue() {
			loops++
		}
	}
	return loops > 0 && loops < len(p.verdicts)
}
