package bench_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/internal/suite/bench"
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

func (r run) source(label string) bench.Source {
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
	return bench.Source{Label: label, Text: strings.NewReader(text.String())}
}

func compared(t *testing.T, a, b run, anyMachine bool) *bench.Comparison {
	t.Helper()
	c, err := bench.Compare(a.source("old"), b.source("new"), anyMachine)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestGateFindsWhatGotWorse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason         string
		change         func(*run)
		worse, unclear string // units
	}{
		{"nothing changed", func(*run) {}, "", ""},
		{"40 % slower", func(r *run) { r.ns *= 1.4 }, "sec/op", ""},
		{"10 % slower, which the gate lets through", func(r *run) { r.ns *= 1.1 }, "", ""},
		{"25 % slower, which may be a little more or less than the gate", func(r *run) { r.ns *= 1.25 }, "", "sec/op"},
		{"40 % faster", func(r *run) { r.ns /= 1.4 }, "", ""},
		{"much faster, with an interval that is wide and all of it an improvement", func(r *run) { r.ns /= 9; r.scatter = 0.3 }, "", ""},
		{"one allocation more, at the same speed", func(r *run) { r.allocs++ }, "allocs/op", ""},
		{"half an allocation, which is rounded up once more often than before", func(r *run) { r.wavers = 9 }, "", ""},
		{"one allocation less", func(r *run) { r.allocs-- }, "", ""},
		{"30 % slower, on a machine that is too busy to say so", func(r *run) { r.ns *= 1.3; r.scatter = 0.4 }, "", "sec/op"},
		{"the same, on a machine that is too busy to say so", func(r *run) { r.scatter = 0.4 }, "", "sec/op"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			changed := healthy(2)
			changed.names = changed.names[:1]
			tt.change(&changed)
			old := healthy(1)
			old.names, old.scatter = changed.names, changed.scatter
			worse, unclear := compared(t, old, changed, false).Findings(0.25)
			if units(worse) != tt.worse || units(unclear) != tt.unclear {
				t.Errorf("worse %q, unclear %q, want %q, %q", worse, unclear, tt.worse, tt.unclear)
			}
		})
	}
}

// units returns the units of findings.
func units(findings []string) string {
	var found []string
	for _, f := range findings {
		found = append(found, strings.Split(f, ": ")[1])
	}
	return strings.Join(found, " ")
}

// TestProcessorsTimeStandsForWallTime has results of a machine that is busy on the new side alone: wall time doubles, the
// processor's time does not.
func TestProcessorsTimeStandsForWallTime(t *testing.T) {
	t.Parallel()
	results := func(wall, cpu int) bench.Source {
		line := fmt.Sprintf("BenchmarkObserve 1000 %d ns/op %d cpu-ns/event\n", wall, cpu)
		return bench.Source{Label: "x", Text: strings.NewReader(strings.Repeat(line, 10))}
	}
	for _, tt := range []struct {
		reason    string
		wall, cpu int
		want      string
	}{
		{"wall time alone", 1600, 800, ""},
		{"the processor's time", 1600, 1600, "cpu-sec/event"},
	} {
		c, err := bench.Compare(results(800, 800), results(tt.wall, tt.cpu), false)
		if err != nil {
			t.Fatal(err)
		}
		if worse, unclear := c.Findings(0.25); units(worse) != tt.want || len(unclear) > 0 {
			t.Errorf("%s: worse %q, unclear %q, want %q", tt.reason, worse, unclear, tt.want)
		}
	}
}

// TestGateNeverLies compares a program with itself, and with one that is 30 % slower, on machines from quiet to busy.
func TestGateNeverLies(t *testing.T) {
	t.Parallel()
	for _, scatter := range []float64{0.01, 0.05, 0.1, 0.2, 0.4, 1} {
		clear := 0
		for i := range uint64(100) {
			old, same, slow := healthy(3*i), healthy(3*i+1), healthy(3*i+2)
			old.scatter, same.scatter, slow.scatter = scatter, scatter, scatter
			slow.ns *= 1.3
			if worse, unclear := compared(t, old, same, false).Findings(0.25); len(worse) > 0 {
				t.Errorf("scatter %.2f, comparison %d: a program is worse than itself: %q", scatter, i, worse)
			} else if len(unclear) == 0 {
				clear++
			}
			if worse, unclear := compared(t, old, slow, false).Findings(0.25); len(worse)+len(unclear) == 0 {
				t.Errorf("scatter %.2f, comparison %d: 30 %% slower, and let through", scatter, i)
			}
		}
		if quiet := scatter <= 0.05; quiet && clear < 95 {
			t.Errorf("scatter %.2f: %d of 100 comparisons of a program with itself are clear, want nearly all", scatter, clear)
		}
	}
}

func TestComparisonThatCouldNotFailIsAProblem(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason     string
		change     func(*run)
		anyMachine bool
		want       string // in the first problem; none where empty
	}{
		{"all is well", func(*run) {}, false, ""},
		{"a benchmark is gone", func(r *run) { r.names = r.names[:1] }, false, "only in old: Observe/two"},
		{"a benchmark is new", func(r *run) { r.names = append(r.names, "Observe/three") }, false, "only in new: Observe/three"},
		{"three samples never differ significantly", func(r *run) { r.samples = 3 }, false, "3 samples of sec/op"},
		{"another machine", func(r *run) { r.machine = "b" }, false, "different machines"},
		{"another machine, as asked for", func(r *run) { r.machine = "b" }, true, ""},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			changed := healthy(2)
			tt.change(&changed)
			problems := compared(t, healthy(1), changed, tt.anyMachine).Problems
			switch {
			case tt.want == "" && len(problems) > 0:
				t.Errorf("problems %q, want none", problems)
			case tt.want != "" && (len(problems) == 0 || !strings.Contains(problems[0], tt.want)):
				t.Errorf("problems %q, want %q first", problems, tt.want)
			}
		})
	}
}

func TestParseGate(t *testing.T) {
	t.Parallel()
	if g, err := bench.ParseGate("12.5%"); err != nil || g != 0.125 || g.String() != "12.5%" {
		t.Errorf("ParseGate(12.5%%) = %v, %v", g, err)
	}
	for _, wrong := range []string{"", "25", "0%", "-5%", "NaN%", "Inf%", "%"} {
		if _, err := bench.ParseGate(wrong); err == nil {
			t.Errorf("ParseGate(%q) gave no error", wrong)
		}
	}
}

func TestTableReadsLikeBenchstats(t *testing.T) {
	t.Parallel()
	changed := healthy(2)
	changed.ns = 1120
	var text strings.Builder
	if err := compared(t, healthy(1), changed, false).Write(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"cpu: a", "sec/op", "vs old", "Observe/one-2", "p=0.000 n=10", "events/s", "allocs/op", "~"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, &text)
		}
	}
}

// TestNamesOfResultsAreShownAsTheyAre: a file may name a result as it likes, and no terminal obeys it.
func TestNamesOfResultsAreShownAsTheyAre(t *testing.T) {
	t.Parallel()
	results := strings.Repeat("BenchmarkObserve/\x1b[31mred 1000 800 ns/op\n", 10)
	c, err := bench.Compare(bench.Source{Label: "old", Text: strings.NewReader(results)},
		bench.Source{Label: "new", Text: strings.NewReader(results)}, false)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := c.Write(&text); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text.String(), "\x1b") || !strings.Contains(text.String(), `\x1b[31mred`) {
		t.Errorf("got %q", &text)
	}
}

// TestResultsThatNobodyMeasured: a value that is no measurement ends the comparison at its place, at once.
func TestResultsThatNobodyMeasured(t *testing.T) {
	t.Parallel()
	good := "BenchmarkObserve 1000 800 ns/op\n"
	for _, value := range []string{"NaN", "+Inf", "-800"} {
		bad := strings.Repeat(good, 9) + "BenchmarkObserve 1000 " + value + " ns/op\n"
		for _, texts := range [][2]string{{good, bad}, {bad, good}} {
			_, err := bench.Compare(bench.Source{Label: "old", Text: strings.NewReader(texts[0])},
				bench.Source{Label: "new", Text: strings.NewReader(texts[1])}, false)
			if err == nil || !strings.Contains(err.Error(), ":10: ") {
				t.Errorf("%s: error %v, want the place", value, err)
			}
		}
	}
}

// TestAGateThatJudgesNothing: results in other units, or whose units are said to be better the higher they are, let no
// slowdown through.
func TestAGateThatJudgesNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		reason, head, unit string
		worse, problems    int
	}{
		{"a time", "", "ns/op", 1, 0},
		{"a time that is said to be better if it is longer", "Unit ns/op better=higher\n", "ns/op", 1, 0},
		{"a unit that is not judged", "", "parsecs", 0, 1},
	} {
		results := func(value int) bench.Source {
			text := tt.head + strings.Repeat(fmt.Sprintf("BenchmarkObserve 1000 %d %s\n", value, tt.unit), 10)
			return bench.Source{Label: "x", Text: strings.NewReader(text)}
		}
		c, err := bench.Compare(results(800), results(1600), false)
		if err != nil {
			t.Fatal(err)
		}
		c.RequireJudged()
		if worse, unclear := c.Findings(0.25); len(worse) != tt.worse || len(unclear) > 0 || len(c.Problems) != tt.problems {
			t.Errorf("%s: worse %q, unclear %q, problems %q", tt.reason, worse, unclear, c.Problems)
		}
	}
}

// TestValuesAtBothEnds: a time of 0 and one that nobody can wait for are results like any other.
func TestValuesAtBothEnds(t *testing.T) {
	t.Parallel()
	source := func(label, value string) bench.Source {
		return bench.Source{Label: label, Text: strings.NewReader(strings.Repeat("BenchmarkX 10 "+value+" ns/op\n", 6))}
	}
	for _, tt := range []struct{ reason, old, new, want string }{
		{"a time becomes 0", "5", "0", "-100.00%"},
		{"a time was 0", "0", "5", "sec/op"},
		{"a time has 300 digits", "1e308", "2e307", "e+"},
		{"a difference has 300 digits", "1e-300", "5", "%"},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			c, err := bench.Compare(source("old", tt.old), source("new", tt.new), false)
			if err != nil {
				t.Fatal(err)
			}
			var text strings.Builder
			if err := c.Write(&text); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(text.String()) {
				if len(line) > 120 {
					t.Errorf("a line has %d characters: %.60s", len(line), line)
				}
			}
			if len(c.Problems) > 0 || !strings.Contains(text.String(), tt.want) {
				t.Errorf("problems %q, want none and %q in\n%s", c.Problems, tt.want, text.String())
			}
			worse, unclear := c.Findings(0.25)
			for _, finding := range append(worse, unclear...) {
				if len(finding) > 120 {
					t.Errorf("a finding has %d characters: %.60s", len(finding), finding)
				}
			}
		})
	}
}
