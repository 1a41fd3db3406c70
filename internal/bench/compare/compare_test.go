package compare_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/internal/bench/compare"
)

// run is what one program shows of itself: the centres of its samples, and how far they scatter.
type run struct {
	seed    uint64
	ns      float64
	scatter float64 // of their logarithms
	allocs  int
	wavers  int // in how many of the samples there is one allocation more
	samples int
	machine string
	names   []string
}

func healthy(seed uint64) run {
	return run{seed: seed, ns: 800, scatter: 0.05, allocs: 3, samples: 10, machine: "a", names: []string{"Observe/one", "Observe/two"}}
}

func (r run) source(label string) compare.Source {
	var text strings.Builder
	fmt.Fprintf(&text, "goos: linux\ncpu: %s\npkg: p\nUnit events/s better=higher\n", r.machine)
	dice := rand.New(rand.NewPCG(r.seed, 1))
	for i := range r.samples {
		allocs := r.allocs
		if i < r.wavers {
			allocs++
		}
		for _, name := range r.names {
			ns := r.ns * math.Exp(r.scatter*dice.NormFloat64())
			fmt.Fprintf(&text, "Benchmark%s-2 1000 %.1f ns/op %.0f events/s %d allocs/op\n", name, ns, 1e9/ns, allocs)
		}
	}
	return compare.Source{Label: label, Text: strings.NewReader(text.String())}
}

func compared(t *testing.T, a, b run, options compare.Options) *compare.Comparison {
	t.Helper()
	c, err := compare.Compare(a.source("old"), b.source("new"), options)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestGateFindsWhatGotWorse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason string
		change func(*run)
		units  string // of the findings
	}{
		{"nothing changed", func(*run) {}, ""},
		{"40 % slower", func(r *run) { r.ns *= 1.4 }, "sec/op events/s"},
		{"15 % slower, which the gate lets through", func(r *run) { r.ns *= 1.15 }, ""},
		{"40 % faster", func(r *run) { r.ns /= 1.4 }, ""},
		{"one allocation more, at the same speed", func(r *run) { r.allocs++ }, "allocs/op"},
		{"half an allocation, which is rounded up once more often than before", func(r *run) { r.wavers = 9 }, ""},
		{"one allocation less", func(r *run) { r.allocs-- }, ""},
		{"40 % slower by the median of samples that overlap too much to say so", func(r *run) { r.ns *= 1.4; r.scatter = 1 }, ""},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			changed := healthy(2)
			changed.names = changed.names[:1]
			tt.change(&changed)
			old := healthy(1)
			old.names = changed.names
			var units []string
			for _, f := range compared(t, old, changed, compare.Options{}).Judge(0.25) {
				units = append(units, f.Unit)
			}
			if got := strings.Join(units, " "); got != tt.units {
				t.Errorf("found %q, want %q", got, tt.units)
			}
		})
	}
}

func TestEqualProgramsRaiseNoAlarm(t *testing.T) {
	t.Parallel()
	for i := range uint64(10) {
		c := compared(t, healthy(100+i), healthy(200+i), compare.Options{})
		if findings := c.Judge(0.25); len(findings) > 0 {
			t.Errorf("comparison %d of a program with itself: %v", i, findings)
		}
		if noise := c.Noise(); noise.Delta == 0 || noise.Delta > 0.25 {
			t.Errorf("comparison %d of a program with itself: noise %+v", i, noise)
		}
	}
}

func TestNoiseIsTheLargestDifferenceInEitherDirection(t *testing.T) {
	t.Parallel()
	fast := healthy(1)
	fast.ns /= 1.4
	for _, c := range []*compare.Comparison{
		compared(t, healthy(2), fast, compare.Options{}), compared(t, fast, healthy(2), compare.Options{}),
	} {
		if noise := c.Noise().Delta; noise < 0.3 || noise > 0.5 {
			t.Errorf("noise %.2f, want about 0.4", noise)
		}
	}
}

func TestComparisonThatCouldNotFailIsAProblem(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason  string
		change  func(*run)
		options compare.Options
		want    string // in the first problem; none where empty
	}{
		{"all is well", func(*run) {}, compare.Options{}, ""},
		{"a benchmark is gone", func(r *run) { r.names = r.names[:1] }, compare.Options{}, "only in old: Observe/two"},
		{"a benchmark is new", func(r *run) { r.names = append(r.names, "Observe/three") }, compare.Options{}, "only in new: Observe/three"},
		{"three samples never differ significantly", func(r *run) { r.samples = 3 }, compare.Options{}, "3 samples of sec/op"},
		{"another machine", func(r *run) { r.machine = "b" }, compare.Options{}, "different machines"},
		{"another machine, as asked for", func(r *run) { r.machine = "b" }, compare.Options{AnyMachine: true}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			changed := healthy(2)
			tt.change(&changed)
			problems := compared(t, healthy(1), changed, tt.options).Problems
			switch {
			case tt.want == "" && len(problems) > 0:
				t.Errorf("problems %q, want none", problems)
			case tt.want != "" && (len(problems) == 0 || !strings.Contains(problems[0], tt.want)):
				t.Errorf("problems %q, want %q first", problems, tt.want)
			}
		})
	}
}

func TestOtherMachinesBenchmarksAreMatchedWhenAskedFor(t *testing.T) {
	t.Parallel()
	changed := healthy(2)
	changed.machine, changed.ns = "b", 1600
	c := compared(t, healthy(1), changed, compare.Options{AnyMachine: true})
	if n := len(c.Judge(0.25)); n != 4 {
		t.Errorf("%d findings, want both benchmarks in two units", n)
	}
}

func TestWhatHoldsNoResultsIsAnError(t *testing.T) {
	t.Parallel()
	empty := compare.Source{Label: "empty.txt", Text: strings.NewReader("PASS\n")}
	if _, err := compare.Compare(healthy(1).source("old"), empty, compare.Options{}); err == nil {
		t.Error("compared with nothing")
	}
}

func TestParseGate(t *testing.T) {
	t.Parallel()
	if g, err := compare.ParseGate("12.5%"); err != nil || g != 0.125 || g.String() != "12.5%" {
		t.Errorf("ParseGate(12.5%%) = %v, %v", g, err)
	}
	for _, wrong := range []string{"", "25", "0%", "-5%", "NaN%", "Inf%", "%"} {
		if _, err := compare.ParseGate(wrong); err == nil {
			t.Errorf("ParseGate(%q) gave no error", wrong)
		}
	}
}

func TestTableReadsLikeBenchstats(t *testing.T) {
	t.Parallel()
	changed := healthy(2)
	changed.ns = 1120
	var text strings.Builder
	if err := compared(t, healthy(1), changed, compare.Options{}).Write(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"cpu: a", "sec/op", "vs old", "Observe/one-2", "p=0.000 n=10", "geomean", "events/s", "allocs/op", "~"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
}
