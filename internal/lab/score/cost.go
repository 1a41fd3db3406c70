package score

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/spec/words"
)

// MostPrice is the highest price of a step.
const MostPrice = 1e9

// Prices are what steps cost if each first alarm ends its run.
type Prices struct {
	Looping float64 // a step of a looping run that comes before the first alarm
	Lost    float64 // a step of a healthy run that comes after it, and is not made
}

// Cost is what a detector costs in a hundred steps of the labelled runs, each run by its weight.
type Cost struct {
	Name        string
	Saved, Lost Share
	Cost        float64
}

// NoDetector is the name of the row without a detector: no step is saved or lost.
const NoDetector = "no detector"

// costSteps is how many steps a cost is about.
const costSteps = 100

// Costs returns what each detector of the report costs, the cheapest first, and what having none costs. It fails if no
// run is labelled.
func (r *Report) Costs(p Prices) ([]Cost, error) {
	if !r.hasLoops() {
		return nil, errors.New("no run says whether it loops: mark loops with loopstone label, " +
			"and pass its file with --labels")
	}
	costs := []Cost{{Name: NoDetector, Cost: r.Rows[0].without(p)}}
	for _, row := range r.Rows {
		c := row.cost(row.Name(), p)
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
	return all.Name == name && all.Cost == c.Cost &&
		percent(all.Saved) == percent(c.Saved) && percent(all.Lost) == percent(c.Lost)
}

// cost returns what the detector of the row costs.
func (r Row) cost(name string, p Prices) Cost {
	saved, looping := r.Saved.sums()
	lost, healthy := r.Lost.sums()
	all := looping + healthy
	return Cost{name, r.Saved, r.Lost, costSteps * (p.Looping*(looping-saved) + p.Lost*lost) / max(all, 1)}
}

// without returns what the same runs cost without a detector.
func (r Row) without(p Prices) float64 {
	_, looping := r.Saved.sums()
	_, healthy := r.Lost.sums()
	return costSteps * p.Looping * looping / max(looping+healthy, 1)
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
			fmt.Sprintf("cost: of %d steps of the labelled runs, if each first alarm ended its run. Each step of a looping run "+
				"before it costs %g, and each step of a healthy run after it costs %g.", costSteps, p.Looping, p.Lost),
			"saved: the share of the steps of looping runs after the first alarm. lost: the same share of healthy runs. " +
				"critical: only the alarms of this severity.",
		},
		Head: []string{"detector", "cost", "saved", "lost"},
	}
	for _, c := range costs {
		s.Rows = append(s.Rows, []string{words.Line(c.Name), fmt.Sprintf("%.2f", c.Cost), percent(c.Saved), percent(c.Lost)})
	}
	page := &page{width: max(width, leastWidth)}
	page.section(s)
	_, err := io.WriteString(w, page.String())
	return err
}
