package score

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/internal/wording"
)

// MostPrice is the highest price of a step.
const MostPrice = 1e9

// Prices are what steps cost if each first alarm ends its run.
type Prices struct {
	Looping float64 // a step that is wasted: in a looping run, after the loop can be known, and no alarm prevents it
	Lost    float64 // a step that is lost: in a healthy run, and an alarm prevents it
}

// Cost is what a detector costs in a hundred steps of the labelled runs, each run by its weight.
type Cost struct {
	Name                   string
	WastedSteps, LostSteps float64 // of the hundred steps
	Cost                   float64 // both, at their prices
}

// NoDetector is the name of the row without a detector: no step is saved or lost.
const NoDetector = "no detector"

// costSteps is how many steps a cost is about.
const costSteps = 100

// ErrUnlabelled is that no run is known to loop or to be healthy.
var ErrUnlabelled = errors.New("no run says whether it loops: mark loops with loopstone label, " +
	"and pass its file with --labels")

// Costs returns what each detector of the report costs, the cheapest first, and what having none costs. It returns
// [ErrUnlabelled] if no run is labelled.
func (r *Report) Costs(p Prices) ([]Cost, error) {
	if !r.hasLoops() {
		return nil, ErrUnlabelled
	}
	_, all := r.Rows[0].Wasted.sums()
	costs := []Cost{r.Rows[0].costOf(NoDetector, all, 0, p)}
	for _, row := range r.Rows {
		c := row.cost(p)
		if row.Least == "" || !slices.ContainsFunc(costs, func(all Cost) bool { return c.isAsAll(all) }) {
			costs = append(costs, c)
		}
	}
	slices.SortStableFunc(costs, func(a, b Cost) int { return cmp.Compare(a.Cost, b.Cost) })
	return costs, nil
}

// isAsAll reports whether a row of one severity says the same as that of all alarms of the detector.
func (c Cost) isAsAll(all Cost) bool {
	name, _, _ := strings.Cut(c.Name, ",")
	return all.Name == name && all.WastedSteps == c.WastedSteps && all.LostSteps == c.LostSteps
}

// cost returns what the detector of the row costs.
func (r Row) cost(p Prices) Cost {
	wasted, _ := r.Wasted.sums()
	lost, _ := r.Lost.sums()
	return r.costOf(r.Name(), wasted, lost, p)
}

// costOf returns the cost of so many wasted and lost steps of the labelled runs.
func (r Row) costOf(name string, wasted, lost float64, p Prices) Cost {
	_, looping := r.Saved.sums()
	_, healthy := r.Lost.sums()
	c := Cost{Name: name}
	if all := looping + healthy; all > 0 {
		c.WastedSteps, c.LostSteps = costSteps*wasted/all, costSteps*lost/all
	}
	c.Cost = p.Looping*c.WastedSteps + p.Lost*c.LostSteps
	return c
}

// sums returns the part and the whole, by weight.
func (s Share) sums() (part, of float64) {
	if !s.drawn {
		return float64(s.Part), float64(s.Of)
	}
	sum, _ := s.total()
	return sum.part, sum.of
}

// WriteCosts writes the costs for a terminal of that many columns.
func WriteCosts(w io.Writer, costs []Cost, p Prices, width int) error {
	s := section{
		Title: "What each detector costs, the cheapest first",
		Lines: []string{
			fmt.Sprintf("Of %d steps of the labelled runs, if each first alarm ended its run:", costSteps),
			"wasted: steps of looping runs after the third step of the loop, up to the first alarm or to the end. " +
				"If no label says where the loop is, all steps up to there.",
			"lost: steps of healthy runs after the first alarm.",
			fmt.Sprintf("cost: each wasted step costs %g, each lost step costs %g.", p.Looping, p.Lost),
			"critical: only the alarms of this severity.",
		},
		Head: []string{"detector", "cost", "wasted", "lost"},
	}
	number := func(n float64) string { return strconv.FormatFloat(n, 'f', 2, 64) }
	for _, c := range costs {
		s.Rows = append(s.Rows, []string{wording.Line(c.Name), number(c.Cost), number(c.WastedSteps), number(c.LostSteps)})
	}
	return writeText(w, width, s)
}
