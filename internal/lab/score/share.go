package score

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// Share is a part of a whole: of runs, or of their steps. If the runs were drawn, the rate weighs each by how many it
// stands for, and the interval knows that runs of one task are not independent.
type Share struct {
	Part, Of int

	tasks map[string]weighed
	drawn bool // whether a run has a weight
}

// weighed is a share of the runs of one task.
type weighed struct{ part, of float64 }

// add counts a run.
func (s *Share) add(run *Run, part bool) { s.addSteps(run, count(part), 1) }

// addSteps counts the steps of a run.
func (s *Share) addSteps(run *Run, part, of int) {
	s.Part, s.Of = s.Part+part, s.Of+of
	s.drawn = s.drawn || run.Weight > 0
	weight := run.weight()
	if s.tasks == nil {
		s.tasks = map[string]weighed{}
	}
	t := s.tasks[run.task()]
	s.tasks[run.task()] = weighed{t.part + weight*float64(part), t.of + weight*float64(of)}
}

// total returns the sums over all tasks, in their order: sums of floats depend on it.
func (s Share) total() (sum weighed, tasks []weighed) {
	for _, name := range slices.Sorted(maps.Keys(s.tasks)) {
		t := s.tasks[name]
		sum = weighed{sum.part + t.part, sum.of + t.of}
		tasks = append(tasks, t)
	}
	return sum, tasks
}

// Rate returns the share, and whether there is one.
func (s Share) Rate() (float64, bool) {
	switch {
	case s.Of == 0:
		return 0, false
	case s.drawn:
		sum, _ := s.total()
		return sum.part / sum.of, true
	default:
		return float64(s.Part) / float64(s.Of), true
	}
}

// Interval returns the 95 % interval of the share: by Wilson's score, or, if the runs were drawn, by a bootstrap over
// tasks. It is all from 0 to 1 where nothing was counted.
func (s Share) Interval() (low, high float64) {
	switch {
	case s.Of == 0:
		return 0, 1
	case s.drawn:
		return s.bootstrap()
	default:
		return wilson(s.Part, s.Of)
	}
}

// The bootstrap: how often it draws as many tasks as there are, with which seed, and how many of the rates lie outside
// of the interval on each side.
const (
	bootstrapDraws = 2000
	bootstrapSeed  = 1
	outside        = bootstrapDraws * 25 / 1000
)

// bootstrap draws tasks with replacement. If few or nearly all of the runs are part, most draws are equal and say too
// little of other runs: so the interval is at least Wilson's, for as many runs as the tasks are worth by their weights.
func (s Share) bootstrap() (low, high float64) {
	sum, tasks := s.total()
	squares := 0.0
	for _, t := range tasks {
		squares += t.of * t.of
	}
	low, high = wilsonAt(sum.part/sum.of, sum.of*sum.of/squares)
	random := rand.New(rand.NewPCG(bootstrapSeed, 0))
	rates := make([]float64, bootstrapDraws)
	for i := range rates {
		var drawn weighed
		for range tasks {
			t := tasks[random.IntN(len(tasks))]
			drawn = weighed{drawn.part + t.part, drawn.of + t.of}
		}
		rates[i] = drawn.part / drawn.of
	}
	slices.Sort(rates)
	return min(low, rates[outside]), max(high, rates[bootstrapDraws-1-outside])
}

// z is the deviation that holds 95 % of a normal distribution.
const z = 1.959963984540054

// wilson returns the 95 % interval of a share by Wilson's score.
func wilson(part, of int) (low, high float64) {
	low, high = wilsonAt(float64(part)/float64(of), float64(of))
	if part == 0 { // rounding
		low = 0
	}
	if part == of {
		high = 1
	}
	return low, high
}

func wilsonAt(p, n float64) (low, high float64) {
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, middle-half), min(1, middle+half)
}
