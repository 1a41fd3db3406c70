package pages

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/loopstone/loopstone/internal/lab/alarm"
	"github.com/loopstone/loopstone/internal/lab/score"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// mostFalse is the share of healthy runs that a choice may alarm at.
const mostFalse = 0.02

// mostRules is how many rules a choice has at most: with ten loops to learn from, more would be made for them.
const mostRules = 3

// usualCount is the number that ties go to: three steps that repeat are what the study calls a loop.
const usualCount = 3

// table says of each run, and of each demand, which atoms spoke.
type table struct {
	atoms   []Atom
	runs    []score.Run
	demands []score.Run
	spoke   [][]bool // by atom, by run
	did     []set    // by atom: the demands that it speaks in
	stuck   set      // the demands that must be spoken in
	healthy set      // those that must not
}

// set is a set of at most 64 places.
type set uint64

func (s set) size() int { return bits.OnesCount64(uint64(s)) }

// measure shows all runs of the corpus, and those that demand something, to each atom.
func measure(ctx context.Context, corpus, demands string, except []string) (*table, error) {
	t := &table{atoms: allAtoms()}
	report, err := t.score(ctx, corpus)
	if err != nil {
		return nil, err
	}
	t.spoke = make([][]bool, len(t.atoms))
	for _, result := range report.Runs {
		t.runs = append(t.runs, result.Run)
		for i, alarm := range result.Alarms {
			t.spoke[i] = append(t.spoke[i], alarm != nil)
		}
	}
	if report, err = t.score(ctx, demands); err != nil {
		return nil, err
	}
	return t, t.demand(report, except)
}

func (t *table) score(ctx context.Context, path string) (*score.Report, error) {
	corpus, err := score.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	definition, _ := spec.DefinitionOf(spec.Composed)
	plain := score.Contender{Observer: alarm.Observer{
		Port: reference.Port(), Detector: spec.Composed, Reading: spec.Code, Offer: definition.Offer(),
	}}
	contenders := make([]score.Contender, len(t.atoms))
	for i, a := range t.atoms {
		contenders[i] = plain
		contenders[i].Config = a.Config()
	}
	return score.Score(ctx, []*score.Corpus{corpus}, contenders, nil)
}

// demand takes over what must be done of recordings.
func (t *table) demand(report *score.Report, except []string) error {
	t.did = make([]set, len(t.atoms))
	for _, result := range report.Runs {
		if slices.Contains(except, result.Run.Name) {
			continue
		}
		bit := set(1) << len(t.demands)
		t.demands = append(t.demands, result.Run)
		if result.Run.Loop == score.Yes {
			t.stuck |= bit
		} else {
			t.healthy |= bit
		}
		for i, alarm := range result.Alarms {
			if alarm != nil {
				t.did[i] |= bit
			}
		}
	}
	if len(t.demands) > 64 || len(t.demands) == 0 {
		return fmt.Errorf("there are %d demands; want 1 to 64", len(t.demands))
	}
	return nil
}

// Choice is a set of rules with what it does on the runs that it was chosen by.
type Choice struct {
	chosen       []int // by their place in the space, ascending
	Found, False score.Share
}

// training is what a choice is made by: the atoms that may be in one, with what they do.
type training struct {
	*table
	atoms          []int
	loops, healthy int
	found, alarmed []set // by atom
	best           *Choice
	bestRank       [5]int
}

// choose returns the best set of rules by the runs that are used.
func (t *table) choose(use func(score.Run) bool) *Choice {
	tr := &training{table: t, found: make([]set, len(t.atoms)), alarmed: make([]set, len(t.atoms))}
	for k, run := range t.runs {
		if !use(run) {
			continue
		}
		list, place := tr.alarmed, &tr.healthy
		if run.Loop == score.Yes {
			list, place = tr.found, &tr.loops
		}
		for i := range t.atoms {
			if t.spoke[i][k] {
				list[i] |= set(1) << *place
			}
		}
		*place++
	}
	for i := range t.atoms {
		if tr.allowed(tr.alarmed[i]) && t.did[i]&t.healthy == 0 {
			tr.atoms = append(tr.atoms, i)
		}
	}
	tr.extend(nil, 0, 0, 0, 0)
	return tr.best
}

func (tr *training) allowed(alarmed set) bool {
	return float64(alarmed.size()) <= mostFalse*float64(tr.healthy)
}

// extend tries the set, and all that have further rules.
func (tr *training) extend(chosen []int, from int, found, alarmed, did set) {
	if len(chosen) > 0 && did&tr.stuck == tr.stuck {
		tr.compare(chosen, found, alarmed)
	}
	if len(chosen) == mostRules {
		return
	}
	for k := from; k < len(tr.atoms); k++ {
		i := tr.atoms[k]
		if all := alarmed | tr.alarmed[i]; tr.allowed(all) {
			tr.extend(append(chosen, i), k+1, found|tr.found[i], all, did|tr.did[i])
		}
	}
}

// compare keeps the set where it is better: by the loops that it finds, then by how few healthy runs it alarms at, how
// little it looks back, how few rules it has, and how near its counts are to the usual one.
func (tr *training) compare(chosen []int, found, alarmed set) {
	rank := [5]int{-found.size(), alarmed.size(), 0, len(chosen)}
	for _, i := range chosen {
		off := tr.table.atoms[i].At - usualCount
		rank[2] += tr.table.atoms[i].Span
		rank[4] += max(off, -off)
	}
	if tr.best == nil || slices.Compare(rank[:], tr.bestRank[:]) < 0 {
		tr.bestRank = rank
		tr.best = &Choice{
			slices.Clone(chosen),
			score.Share{Part: found.size(), Of: tr.loops},
			score.Share{Part: alarmed.size(), Of: tr.healthy},
		}
	}
}

// try returns what a set of rules does on the runs that are used.
func (t *table) try(atoms []int, use func(score.Run) bool) (found, alarmed score.Share) {
	for k, run := range t.runs {
		if !use(run) {
			continue
		}
		share := &alarmed
		if run.Loop == score.Yes {
			share = &found
		}
		share.Of++
		if slices.ContainsFunc(atoms, func(i int) bool { return t.spoke[i][k] }) {
			share.Part++
		}
	}
	return found, alarmed
}

// failed returns the demands that a set of rules does not meet.
func (t *table) failed(atoms []int) (names []string) {
	var did set
	for _, i := range atoms {
		did |= t.did[i]
	}
	for k, run := range t.demands {
		if bit := set(1) << k; (t.stuck&bit != 0) != (did&bit != 0) {
			names = append(names, run.Name)
		}
	}
	return names
}
