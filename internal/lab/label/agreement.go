package label

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/internal/lists"
)

// tolerance is how many steps two boundaries may lie apart and still count as equal.
const tolerance = 2

// Agreement is how far two labellers agree on the runs that both have decided.
type Agreement struct {
	Runs   int // that both have decided
	Unsure int // that both have finished, but one at least could not decide
	Single int // that only one has finished

	Loops      [2][2]int // the runs: whether the first says loop, and whether the second does
	Steps      [2][2]int // the steps: whether they lie in a loop of the first, and in one of the second
	Adjudicate []Dispute // the runs on which they differ, in the order of the first
}

// Dispute is a run on which two labellers differ.
type Dispute struct {
	Run
	A, B Label
}

// Agree compares the labels of two labellers.
func Agree(a, b Labels) (Agreement, error) {
	first, err := a.byRun()
	if err != nil {
		return Agreement{}, err
	}
	second, err := b.byRun()
	if err != nil {
		return Agreement{}, err
	}
	var g Agreement
	for _, one := range a {
		other, ok := second[one.of()]
		switch {
		case !one.Finished:
		case !ok || !other.Finished:
			g.Single++
		default:
			if one.Steps != other.Steps {
				return g, fmt.Errorf("%s has %d steps for %s and %d for %s: they labelled different logs",
					one.Run, one.Steps, one.Labeller, other.Steps, other.Labeller)
			}
			g.add(one, other)
		}
	}
	for _, other := range b {
		if one, ok := first[other.of()]; other.Finished && (!ok || !one.Finished) {
			g.Single++
		}
	}
	if g.Runs+g.Unsure == 0 {
		return g, fmt.Errorf("no run is finished in both")
	}
	return g, nil
}

func (l Labels) byRun() (map[Run]Label, error) {
	m := map[Run]Label{}
	for _, one := range l {
		if other, ok := m[one.of()]; ok {
			return nil, fmt.Errorf("%s is labelled by both %q and %q; give each labeller a file",
				one.Run, other.Labeller, one.Labeller)
		}
		m[one.of()] = one
	}
	return m, nil
}

func (g *Agreement) add(a, b Label) {
	if a.Unsure || b.Unsure {
		g.Unsure++
		g.Adjudicate = append(g.Adjudicate, Dispute{a.of(), a, b})
		return
	}
	g.Runs++
	g.Loops[bit(a.HasLoop())][bit(b.HasLoop())]++
	near := alike(a.Spans, b.Spans)
	for step := 1; step <= a.Steps; step++ {
		g.Steps[bit(holds(a.Spans, step))][bit(holds(near, step))]++
	}
	if !slices.Equal(a.Spans, near) {
		g.Adjudicate = append(g.Adjudicate, Dispute{a.of(), a, b})
	}
}

// alike returns the spans of b with each boundary that lies within the tolerance of one of a moved to it.
func alike(a, b []Span) []Span {
	moved := slices.Clone(b)
	for i := range moved {
		for _, s := range a {
			if near(moved[i].First, s.First) {
				moved[i].First = s.First
			}
			if near(moved[i].Last, s.Last) {
				moved[i].Last = s.Last
			}
		}
	}
	return moved
}

func near(a, b int) bool { return max(a-b, b-a) <= tolerance }

func holds(spans []Span, step int) bool {
	return slices.ContainsFunc(spans, func(s Span) bool { return s.First <= step && step <= s.Last })
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Kappa returns Cohen's κ on whether a run has a loop, and whether it is defined: it is not if both labellers give all
// runs one and the same answer.
func (g Agreement) Kappa() (float64, bool) {
	n := float64(g.Runs)
	both := [2]float64{}
	for i := range 2 {
		both[i] = float64(g.Loops[i][0]+g.Loops[i][1]) * float64(g.Loops[0][i]+g.Loops[1][i]) / (n * n)
	}
	observed, expected := float64(g.Loops[0][0]+g.Loops[1][1])/n, both[0]+both[1]
	if g.Runs == 0 || expected == 1 {
		return 0, false
	}
	return (observed - expected) / (1 - expected), true
}

// Alpha returns Krippendorff's α, nominal, on which steps lie in a loop, where boundaries at most two steps apart count
// as equal. It is not defined if all steps have one and the same label.
func (g Agreement) Alpha() (float64, bool) {
	differ := g.Steps[0][1] + g.Steps[1][0]
	outside, inside := 2*g.Steps[0][0]+differ, 2*g.Steps[1][1]+differ
	if outside == 0 || inside == 0 {
		return 0, false
	}
	values := float64(outside + inside)
	return 1 - (values-1)*float64(differ)/(float64(outside)*float64(inside)), true
}

// WriteText writes the agreement, and below it each run that a third labeller has to decide.
func (g Agreement) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "runs decided by both   %d\n", g.Runs)
	fmt.Fprintf(&b, "  loop / no loop       both loop %d, both no loop %d, only A loop %d, only B loop %d\n",
		g.Loops[1][1], g.Loops[0][0], g.Loops[1][0], g.Loops[0][1])
	fmt.Fprintf(&b, "kappa, loop or not     %s\n", figure(g.Kappa()))
	fmt.Fprintf(&b, "alpha, steps in a loop %s (boundaries at most %d steps apart count as equal)\n",
		figure(g.Alpha()), tolerance)
	fmt.Fprintf(&b, "unsure                 %d\n", g.Unsure)
	fmt.Fprintf(&b, "finished by one only   %d\n", g.Single)
	if len(g.Adjudicate) > 0 {
		fmt.Fprintf(&b, "\nTO DECIDE (%d)\n", len(g.Adjudicate))
	}
	for _, d := range g.Adjudicate {
		fmt.Fprintf(&b, "%s %s\n  A %s: %s\n  B %s: %s\n", d.Corpus, d.Run.Run, d.A.Labeller, d.A, d.B.Labeller, d.B)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func figure(f float64, ok bool) string {
	if !ok {
		return "not defined: all have the same label"
	}
	return fmt.Sprintf("%.2f", f)
}

// String returns the spans in words.
func (l Label) String() string {
	parts := lists.Map(l.Spans, func(s Span) string {
		return fmt.Sprintf("%d to %d %s", s.First, s.Last, strings.ReplaceAll(string(s.Kind), "_", " "))
	})
	if len(parts) == 0 {
		parts = []string{"no loop"}
	}
	if l.Unsure {
		parts = append(parts, "unsure")
	}
	return strings.Join(parts, ", ")
}
