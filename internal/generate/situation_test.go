package generate

import (
	"math"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/internal/laws"
	"github.com/loopstone/loopstone/spec"
)

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
