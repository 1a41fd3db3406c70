package pages

import (
	"cmp"
	"context"
	"slices"

	"github.com/loopstone/loopstone/internal/lab/alarm"
	"github.com/loopstone/loopstone/internal/lab/label"
	"github.com/loopstone/loopstone/internal/lab/score"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// What a choice may do, as shares of healthy runs, and what it may have.
const (
	mostStopped = 0.01
	mostWarned  = 0.04
	mostStops   = 3
)

// apart is by how much the shares of found loops must differ for one choice to count as better than a simpler one: the
// 95 % intervals of these shares are four times as wide to either side.
const apart = 0.03

// kind is what a run is to a detector.
type kind int

// The kinds of runs.
const (
	healthyRun kind = iota
	sameRun         // with a loop of the same
	vainRun         // whose loops are all in vain
)

// table says of each run which atoms alarmed in it.
type table struct {
	runs         []score.Run
	stops, warns []Atom
	stopped      []bitset // by atom of stops: the runs in which it alarms
	warned       []bitset // by atom of warns
}

// bitset is a set of runs.
type bitset []uint64

func (s bitset) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s bitset) has(i int) bool { return s[i/64]>>(i%64)&1 == 1 }

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func union(a, b bitset) bitset {
	sum := slices.Clone(a)
	for i := range b {
		sum[i] |= b[i]
	}
	return sum
}

// contenderOf returns the configuration as a detector to score.
func contenderOf(config spec.Value) score.Contender {
	definition, _ := spec.DefinitionOf(spec.Composed)
	return score.Contender{Observer: alarm.Observer{
		Port: reference.Port(), Detector: spec.Composed, Reading: spec.Code, Offer: definition.Offer(), Config: config,
	}}
}

// measure shows the labelled runs to each atom alone.
func measure(ctx context.Context, corpora []*score.Corpus) (*table, error) {
	t := &table{stops: stops(), warns: warnings()}
	var contenders []score.Contender
	for _, a := range slices.Concat(t.stops, t.warns) {
		contenders = append(contenders, contenderOf(Config(a)))
	}
	report, err := score.Score(ctx, corpora, contenders, nil)
	if err != nil {
		return nil, err
	}
	results := slices.DeleteFunc(report.Runs, func(r score.Result) bool { return r.Run.Loop == score.Unknown })
	for range t.stops {
		t.stopped = append(t.stopped, newBitset(len(results)))
	}
	for range t.warns {
		t.warned = append(t.warned, newBitset(len(results)))
	}
	for k, result := range results {
		t.runs = append(t.runs, result.Run)
		for i, alarm := range result.Alarms {
			switch {
			case alarm == nil:
			case i < len(t.stops):
				t.stopped[i].add(k)
			default:
				t.warned[i-len(t.stops)].add(k)
			}
		}
	}
	return t, nil
}

// kindOf returns what a run is.
func kindOf(run score.Run) kind {
	switch {
	case run.Loop != score.Yes:
		return healthyRun
	case slices.ContainsFunc(run.Spans, func(s label.Span) bool { return s.Kind == label.Same }):
		return sameRun
	default:
		return vainRun
	}
}

// rates are shares of the runs of each kind, each run by its weight.
type rates [3]float64

// False returns the share of the healthy runs, in percent.
func (r rates) False() float64 { return 100 * r[healthyRun] }

// Same returns the share of the runs with a loop of the same, in percent.
func (r rates) Same() float64 { return 100 * r[sameRun] }

// InVain returns the share of the runs whose loops are all in vain, in percent.
func (r rates) InVain() float64 { return 100 * r[vainRun] }

// tally counts runs by their kinds.
type tally struct{ part, of rates }

// add counts a run, and whether it belongs to the part.
func (t *tally) add(run score.Run, isPart bool) {
	weight := cmp.Or(run.Weight, 1)
	t.of[kindOf(run)] += weight
	if isPart {
		t.part[kindOf(run)] += weight
	}
}

// rates returns the shares; 0 of no runs.
func (t *tally) rates() (r rates) {
	for k := range r {
		if t.of[k] > 0 {
			r[k] = t.part[k] / t.of[k]
		}
	}
	return r
}

// rates returns the shares of the runs that are used and in the set.
func (t *table) rates(set bitset, use func(score.Run) bool) rates {
	var all tally
	for i, run := range t.runs {
		if use(run) {
			all.add(run, set.has(i))
		}
	}
	return all.rates()
}

// Choice is a set of rules.
type Choice struct {
	Stops []Atom
	Warns []Atom // one at most
}

// candidate is a set of stops with what it does.
type candidate struct {
	atoms   []int
	alarms  bitset
	rates   rates
	span    int
	heights int // the sum of its thresholds
}

// choose returns the best rules by the runs that are used. Of the sets of stops that alarm at few healthy runs, it
// takes the simplest of those that cannot be told apart from the one that finds the most loops of the same: the one
// with the fewest rules, then the one that looks back the least, as a long window fits itself to few runs, then the
// one with the higher thresholds. Then it adds the warning that finds the most loops in vain.
func (t *table) choose(use func(score.Run) bool, required *requirements) Choice {
	var candidates []candidate
	var extend func(c candidate, from int)
	extend = func(c candidate, from int) {
		if len(c.atoms) > 0 && required.met(c.atoms) {
			candidates = append(candidates, c)
		}
		if len(c.atoms) == mostStops {
			return
		}
		for i := from; i < len(t.stops); i++ {
			sameForm := slices.ContainsFunc(c.atoms, func(k int) bool { return t.stops[k].Form == t.stops[i].Form })
			if sameForm || required.broken(required.stops[i]) {
				continue
			}
			next := candidate{atoms: append(slices.Clone(c.atoms), i), alarms: union(c.alarms, t.stopped[i])}
			if next.rates = t.rates(next.alarms, use); next.rates[healthyRun] > mostStopped {
				continue
			}
			next.span, next.heights = c.span+t.stops[i].Span, c.heights+t.stops[i].At
			extend(next, i+1)
		}
	}
	extend(candidate{alarms: newBitset(len(t.runs))}, 0)
	best := simplest(candidates)
	choice := Choice{}
	for _, i := range best.atoms {
		choice.Stops = append(choice.Stops, t.stops[i])
	}
	if warning, found := t.warning(use, best.alarms, required); found {
		choice.Warns = []Atom{t.warns[warning]}
	}
	return choice
}

// simplest returns the simplest candidate of those that find about as many loops of the same as any.
func simplest(candidates []candidate) candidate {
	most := 0.0
	for _, c := range candidates {
		most = max(most, c.rates[sameRun])
	}
	near := slices.DeleteFunc(slices.Clone(candidates), func(c candidate) bool { return c.rates[sameRun] < most-apart })
	return slices.MinFunc(near, func(a, b candidate) int {
		if d := len(a.atoms) - len(b.atoms); d != 0 {
			return d
		}
		if d := a.span - b.span; d != 0 {
			return d
		}
		return b.heights - a.heights
	})
}

// warning returns the rule that, beside the stops, finds the most loops in vain.
func (t *table) warning(use func(score.Run) bool, stopped bitset, required *requirements) (best int, found bool) {
	most := 0.0
	for i := range t.warns {
		if required.broken(required.warns[i]) {
			continue
		}
		rates := t.rates(union(stopped, t.warned[i]), use)
		if rates[healthyRun] <= mostWarned && rates[vainRun] > most {
			best, most, found = i, rates[vainRun], true
		}
	}
	return best, found
}
