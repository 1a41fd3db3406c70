package strength

import (
	"context"
	"slices"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/strength/kills"
	"github.com/loopstone/loopstone/spec"
)

// gross is the share of a detector's cases beyond which a mutant that they kill says nothing of any of them: most cases
// open a session, and most expect a loop.
const gross = 0.5

// Record sums up, case by case, what was found.
func (v *Verdict) Record(suite []cases.Case) *kills.List {
	list := &kills.List{Clauses: map[string]int{}, Cases: map[string]kills.Record{}}
	for _, c := range suite {
		if c.Detector != cases.Protocol {
			list.Cases[c.ID] = kills.Record{Demand: kills.Demand(c)}
		}
	}
	for _, o := range v.Outcomes {
		if v.Fates[o.Mutant.ID] == Killed {
			v.record(list, o)
		}
	}
	return list
}

// record notes one mutant that is killed. The list must have all its killers.
func (v *Verdict) record(list *kills.List, o Outcome) {
	if len(o.Killers) > 0 {
		for _, clause := range o.Mutant.Clauses {
			list.Clauses[clause]++
		}
	}
	isGross := v.isGross(o)
	for _, id := range o.Killers {
		r := list.Cases[id]
		if !isGross {
			r.Kills++
		}
		if len(o.Killers) == 1 {
			r.Alone = append(r.Alone, o.Mutant.Key().String())
		}
		for _, clause := range o.Mutant.Clauses {
			if slices.Contains(v.suite[id].Clauses, clause) && !slices.Contains(r.Clauses, clause) {
				r.Clauses = append(r.Clauses, clause)
				slices.Sort(r.Clauses)
			}
		}
		list.Cases[id] = r
	}
}

// isGross reports whether most cases of a detector kill the mutant.
func (v *Verdict) isGross(o Outcome) bool {
	killers := map[spec.DetectorID]int{}
	for _, id := range o.Killers {
		killers[v.suite[id].Detector]++
	}
	for detector, n := range killers {
		if float64(n) > gross*float64(v.size[detector]) {
			return true
		}
	}
	return false
}

// Steps finds, for every case, the steps without which it kills less, and adds them to the list. The verdict must be
// that on the mutants of this build.
func (b *Build) Steps(ctx context.Context, v *Verdict, list *kills.List) error {
	killed := v.killedBy()
	var ids []string
	for id := range list.Cases {
		if len(v.suite[id].Steps) > 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	found := make([][]int, len(ids))
	err := b.share(ctx, len(ids), func(ctx context.Context, i int, w *worker) error {
		answer, err := w.ask(ctx, Request{Case: ids[i], Mutants: killed[ids[i]]})
		found[i] = answer.Steps
		return err
	})
	for i, id := range ids {
		r := list.Cases[id]
		r.Steps = found[i]
		list.Cases[id] = r
	}
	return err
}

// killedBy returns, for every case, the mutants that say something of it: those that it kills without ending the process.
func (v *Verdict) killedBy() map[string][]int {
	killed := map[string][]int{}
	for _, o := range v.Outcomes {
		if v.Fates[o.Mutant.ID] != Killed || v.isGross(o) || len(o.Crashed) > 0 {
			continue
		}
		for _, id := range o.Killers {
			killed[id] = append(killed[id], o.Mutant.ID)
		}
	}
	return killed
}
