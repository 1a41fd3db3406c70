package conformance

import (
	"cmp"
	"math"
	"slices"
)

// ClauseFailures are the failures that one broken clause explains.
type ClauseFailures struct {
	Clause  string
	Results []Result
}

// ByClause explains the failures, known ones left out, by as few clauses as it needs, the most suspect first. Suspect
// is a clause whose cases fail and whose cases seldom pass: of the clauses that the failing cases cite, the one with
// the highest Ochiai coefficient, failed / sqrt(all failures × the clause's cases), takes all failures that cite it;
// then the next is chosen among the rest. Among equally suspect clauses, one that is the first that its cases name
// comes first, then the one that turns up first.
func (r *Report) ByClause() []ClauseFailures {
	cited := map[string]int{}
	var failures []Result
	for _, result := range r.Results {
		if result.Status != Passed && result.Status != Failed {
			continue
		}
		for _, clause := range result.Clauses {
			cited[clause]++
		}
		if result.Status == Failed {
			failures = append(failures, result)
		}
	}
	var groups []ClauseFailures
	for len(failures) > 0 {
		clause, ok := mostSuspect(failures, cited)
		if !ok {
			return append(groups, ClauseFailures{"no clause", failures})
		}
		group := ClauseFailures{Clause: clause}
		var rest []Result
		for _, f := range failures {
			if slices.Contains(f.Clauses, clause) {
				group.Results = append(group.Results, f)
			} else {
				rest = append(rest, f)
			}
		}
		slices.SortStableFunc(group.Results, func(a, b Result) int {
			return cmp.Compare(slices.Index(a.Clauses, clause), slices.Index(b.Clauses, clause))
		})
		groups, failures = append(groups, group), rest
	}
	return groups
}

// mostSuspect returns the clause that explains the failures best, or false where they cite none.
func mostSuspect(failures []Result, cited map[string]int) (string, bool) {
	var order []string
	failed, first := map[string]int{}, map[string]int{}
	for _, f := range failures {
		for i, clause := range f.Clauses {
			if failed[clause] == 0 {
				order = append(order, clause)
			}
			failed[clause]++
			if i == 0 {
				first[clause]++
			}
		}
	}
	if len(order) == 0 {
		return "", false
	}
	return slices.MaxFunc(order, func(a, b string) int {
		return cmp.Or(
			cmp.Compare(ochiai(failed[a], len(failures), cited[a]), ochiai(failed[b], len(failures), cited[b])),
			cmp.Compare(first[a], first[b]),
		)
	}), true
}

func ochiai(failed, all, cited int) float64 {
	return float64(failed) / math.Sqrt(float64(all)*float64(cited))
}
