package pages

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
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

// labelledRuns opens the corpora that models labelled, with their labels and weights.
func labelledRuns(ctx context.Context, folder, labels string) (corpora []*score.Corpus, err error) {
	files := []string{filepath.Join(labels, "first.jsonl"), filepath.Join(labels, "decided.jsonl")}
	marked, err := score.ReadLabels(ctx, files)
	if err != nil {
		return nil, err
	}
	sample, err := score.ReadSample(ctx, filepath.Join(labels, "runs.jsonl"))
	if err != nil {
		return nil, err
	}
	for _, name := range labelled {
		c, err := score.Open(ctx, filepath.Join(folder, name))
		if err == nil {
			err = errors.Join(c.Label(marked), c.Draw(sample))
		}
		if err != nil {
			return nil, err
		}
		corpora = append(corpora, c)
	}
	return corpora, nil
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

// rates returns the share of the runs of each kind in the set, each run by its weight.
func (t *table) rates(set bitset, use func(score.Run) bool) (rates [3]float64) {
	var part, of [3]float64
	for i, run := range t.runs {
		if !use(run) {
			continue
		}
		weight := cmp.Or(run.Weight, 1)
		of[kindOf(run)] += weight
		if set.has(i) {
			part[kindOf(run)] += weight
		}
	}
	for k := range rates {
		if of[k] > 0 {
			rates[k] = part[k] / of[k]
		}
	}
	return rates
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
	rates   [3]float64
	span    int
	heights int // the sum of its thresholds
}

// choose returns the best rules by the runs that are used. Of the sets of stops that alarm at few healthy runs, it
// takes the simplest of those that cannot be told apart from the one that finds the most loops of the same: the one
// with the fewest rules, then the one that looks back the least, as a long window fits itself to few runs, then the
// one with the higher thresholds. Then it adds the warning that finds the most loops in vain.
func (t *table) choose(use func(score.Run) bool, demands *requirements) Choice {
	var candidates []candidate
	var extend func(c candidate, from int)
	extend = func(c candidate, from int) {
		if len(c.atoms) > 0 && demands.met(c.atoms) {
			candidates = append(candidates, c)
		}
		if len(c.atoms) == mostStops {
			return
		}
		for i := from; i < len(t.stops); i++ {
			sameForm := slices.ContainsFunc(c.atoms, func(k int) bool { return t.stops[k].Form == t.stops[i].Form })
			if sameForm || demands.broken(demands.stops[i]) {
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
	if warning, found := t.warning(use, best.alarms, demands); found {
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
func (t *table) warning(use func(score.Run) bool, stopped bitset, demands *requirements) (best int, found bool) {
	most := 0.0
	for i := range t.warns {
		if demands.broken(demands.warns[i]) {
			continue
		}
		rates := t.rates(union(stopped, t.warned[i]), use)
		if rates[healthyRun] <= mostWarned && rates[vainRun] > most {
			best, most, found = i, rates[vainRun], true
		}
	}
	return best, found
}
