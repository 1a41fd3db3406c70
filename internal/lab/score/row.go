package score

import (
	"math"
	"slices"
)

// Share is a part of a whole, with what can be said of the share in other runs like these.
type Share struct{ Part, Of int }

// Rate returns the share, and whether there is one.
func (s Share) Rate() (float64, bool) {
	if s.Of == 0 {
		return 0, false
	}
	return float64(s.Part) / float64(s.Of), true
}

// z is the deviation that holds 95 % of a normal distribution.
const z = 1.959963984540054

// Wilson returns the 95 % interval of the share, by Wilson's score; all from 0 to 1 where nothing was counted.
func (s Share) Wilson() (low, high float64) {
	p, ok := s.Rate()
	if !ok {
		return 0, 1
	}
	n := float64(s.Of)
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	low, high = max(0, middle-half), min(1, middle+half)
	if s.Part == 0 { // rounding
		low = 0
	}
	if s.Part == s.Of {
		high = 1
	}
	return low, high
}

// Row is the score of one contender.
type Row struct {
	Contender

	Recall      Share // of the loops, those in which it spoke
	FalseAlarms Share // of the healthy runs, those in which it spoke
	Latency     Spread
	Saved       Share // of the steps of loops, those after its first alarm
	Lost        Share // of the steps of healthy runs, those after its first alarm
	Pairs       Agreement
	Solved      Share // of the runs that solved their task, those in which it spoke
	Unsolved    Share // of those that did not
}

// Spread is how many steps after the third of a loop the first alarm came, over the loops that were found. It is below
// zero where the detector spoke before.
type Spread struct{ steps []int }

// Median returns the lower of the two middle values, the least and the greatest, and whether there are any.
func (s Spread) Median() (median, least, most int, ok bool) {
	if len(s.steps) == 0 {
		return 0, 0, 0, false
	}
	sorted := slices.Sorted(slices.Values(s.steps))
	return sorted[(len(sorted)-1)/2], sorted[0], sorted[len(sorted)-1], true
}

// Agreement is how far what is said of pairs of steps agrees with their labels.
type Agreement struct {
	Said     int `json:"said"`
	Right    int `json:"right"`
	Repeated int `json:"repeated"`
}

// Precision returns how often it is right where it says that a step repeats the last.
func (a Agreement) Precision() Share { return Share{a.Right, a.Said} }

// Recall returns how many of the repeating steps it says so of.
func (a Agreement) Recall() Share { return Share{a.Right, a.Repeated} }

// add compares what was said with the labels; pairs that nobody labelled do not count.
func (a *Agreement) add(labels []Relation, said []bool) {
	for i, label := range labels[:min(len(labels), len(said))] {
		repeats := label == Repetition
		a.Said += count(said[i])
		a.Repeated += count(repeats)
		a.Right += count(said[i] && repeats)
	}
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (s *Share) add(part bool) {
	s.Of++
	s.Part += count(part)
}

// sum adds the agreement on other pairs.
func (a *Agreement) sum(b Agreement) {
	a.Said, a.Right, a.Repeated = a.Said+b.Said, a.Right+b.Right, a.Repeated+b.Repeated
}

// add takes in what the contender said of a run.
func (r *Row) add(run *Run, steps int, trial Trial) {
	spoke, last := trial.Alarm != nil, steps-1
	if spoke {
		last = trial.Alarm.Step
	}
	after := steps - 1 - last
	switch run.Loop {
	case Yes:
		r.Recall.add(spoke)
		r.Saved.Part, r.Saved.Of = r.Saved.Part+after, r.Saved.Of+steps
		if third := run.third(); spoke && third >= 0 {
			r.Latency.steps = append(r.Latency.steps, trial.Alarm.Step-third)
		}
	case No:
		r.FalseAlarms.add(spoke)
		r.Lost.Part, r.Lost.Of = r.Lost.Part+after, r.Lost.Of+steps
	}
	switch run.Solved {
	case Yes:
		r.Solved.add(spoke)
	case No:
		r.Unsolved.add(spoke)
	}
	r.Pairs.sum(trial.Pairs)
}
