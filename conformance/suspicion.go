package conformance

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// A spectrum says what the tests of a run are about that passed or failed.
type spectrum struct {
	cited    map[string]float64         // how many tests cite a clause
	wanted   map[string]float64         // how many tests want a loop of the rule that a clause defines
	evidence map[spec.DetectorID]bool   // nothing but evidence is wrong with the detector
	member   map[spec.DetectorID]string // nothing but this member of verdicts is; empty without one
}

// spectrum returns what the tests are about, without failures that others explain. A port that fails the contrast of a
// case has passed the case. A test that passed counts as far as it could have failed as the failures did.
func (r *Report) spectrum(failures []Result) spectrum {
	s := spectrum{map[string]float64{}, map[string]float64{}, map[spec.DetectorID]bool{}, map[spec.DetectorID]string{}}
	for _, of := range lists.Grouped(failures, func(f Result) spec.DetectorID { return f.Detector }) {
		s.evidence[of[0].Detector] = !slices.ContainsFunc(of, func(f Result) bool { return !f.isOfEvidence() })
		s.member[of[0].Detector] = onlyMember(of)
	}
	share := shares(failures)
	for _, result := range r.Results {
		switch {
		case result.Status == Passed:
			s.count(result, s.cited, s.wanted, factsOf(result.Case).couldShow(share))
		case result.Status == Failed && (!r.IsExplained(result) || result.isInContrast()):
			s.count(result, s.cited, s.wanted, 1)
		}
	}
	return s
}

// ofFeature is what a test counts that needs a feature: if the rule itself is broken, tests of features fail, too.
const ofFeature = 0.25

// count adds a test to those that cite a clause, and to those that want a loop.
func (s spectrum) count(result Result, cited, wanted map[string]float64, times float64) {
	if factsOf(result.Case).feature {
		times *= ofFeature
	}
	for clause, weight := range s.cites(result) {
		cited[clause] += weight * times
	}
	for _, clause := range result.wants() {
		wanted[clause] += times
	}
}

// isAbout reports whether a failure cites the clause, or misses a loop of the rule that it defines.
func (s spectrum) isAbout(failure Result, clause string) bool {
	return s.cites(failure)[clause] > 0 || slices.Contains(failure.wants(), clause)
}

// later is the weight of a clause that a test does not cite first; the first has the weight 1. A test is about its
// first clause, but often fails when a later one is broken. With a half, the first clause that a report shows is a
// broken one for more than 92 % of the habits that tools/habits plants; the gate there demands as much.
const later = 0.5

// cites returns how much a test says of the clauses that it cites: everything of the first, half as much of the others.
// If nothing but evidence is wrong with a detector, only clauses about evidence count; else wrong evidence follows from
// what is wrong, and says nothing of these clauses, unless the test cites no others. If nothing but another member is,
// only clauses that mention it count.
func (s spectrum) cites(result Result) map[string]float64 {
	weights := map[string]float64{}
	clauses := result.Clauses
	if member := s.member[result.Detector]; member != "" && result.Status == Failed {
		clauses = lists.Filter(clauses, func(id string) bool { return mentions(id, member) })
	} else if result.Status == Failed && result.isOfEvidence() {
		about, others := lists.Partition(clauses, isAboutEvidence)
		if !s.evidence[result.Detector] {
			about, others = others, about
		}
		if clauses = about; len(about) == 0 {
			clauses = others
		}
	}
	for _, clause := range clauses {
		weights[clause] = later
		if clause == result.Clauses[0] {
			weights[clause] = 1
		}
	}
	return weights
}

// mentions reports whether the clause speaks of a member of verdicts.
func mentions(id, member string) bool {
	clause, _ := spec.ClauseByID(id)
	return strings.Contains(clause.Text, "`"+member+"`")
}

// manyWrong is how many failures show that a member is wrong wherever it stands, and not in some situation.
const manyWrong = 10

// onlyMember returns the member of verdicts that is all that is wrong in many failures, if they cite a clause about it.
func onlyMember(failures []Result) (only string) {
	if len(failures) < manyWrong {
		return ""
	}
	about := false
	for _, f := range failures {
		if f.Failure == nil || len(f.Failure.Differences) == 0 {
			return ""
		}
		for _, d := range f.Failure.Differences {
			member := strings.TrimRight(d.Path, "[]0123456789")
			if !isSaid(member) || only != "" && only != member {
				return ""
			}
			only = member
		}
		about = about || slices.ContainsFunc(f.Clauses, func(id string) bool { return mentions(id, only) })
	}
	if !about {
		return ""
	}
	return only
}

// isSaid reports whether the member of a verdict says more of a loop than that it is one.
func isSaid(member string) bool {
	return !slices.Contains([]string{"", "loop", "kind", "refusal"}, member) && !strings.ContainsAny(member, ".[")
}

// mostSuspicious returns the clause that explains the failures best, or false where they cite none.
func (s spectrum) mostSuspicious(failures []Result) (string, bool) {
	var order []string
	cited, missed, first := map[string]float64{}, map[string]float64{}, map[string]int{}
	for _, f := range failures {
		s.count(f, cited, missed, 1)
		for _, clause := range slices.Concat(f.Clauses, f.wants()) {
			if s.isAbout(f, clause) && !slices.Contains(order, clause) {
				order = append(order, clause)
			}
		}
		first[f.FirstClause()]++
	}
	if len(order) == 0 {
		return "", false
	}
	plain := plainness(failures)
	suspicion := func(clause string) float64 {
		return (1 + plain[clause]) * max(ochiai(cited[clause], s.cited[clause], len(failures)),
			ochiai(missed[clause], s.wanted[clause], len(failures)))
	}
	return slices.MaxFunc(order, func(a, b string) int {
		return cmp.Or(cmp.Compare(suspicion(a), suspicion(b)), cmp.Compare(first[a], first[b]))
	}), true
}

// ochiai returns the coefficient of a clause; 0 where no failure is about it. One more test than there are is taken to
// pass, so that a clause with a single test does not explain everything.
func ochiai(failed, total float64, failures int) float64 {
	if failed == 0 {
		return 0
	}
	return failed / math.Sqrt((total+1)*float64(failures))
}

// plainest is how much more suspicious a clause is that the simplest failure names first.
const plainest = 0.5

// plainness returns how much more suspicious the simplicity of failures makes a clause: the simpler the simplest of
// those that name it first, or miss a loop of the rule that it defines, the more.
func plainness(failures []Result) map[string]float64 {
	sorted := slices.SortedStableFunc(slices.Values(failures), func(a, b Result) int {
		return slices.Compare(a.complexity(), b.complexity())
	})
	plain := map[string]float64{}
	for i, f := range sorted {
		for _, clause := range append(f.wants(), f.FirstClause()) {
			if _, known := plain[clause]; !known {
				plain[clause] = plainest * (1 - float64(i)/float64(len(sorted)))
			}
		}
	}
	return plain
}

// complexity measures how hard it is to follow what a test does. It is compared number by number: 1 for a law, 1 for a
// test of a feature, how many settings it has, how many events, how many clauses it names.
func (r *Result) complexity() []int {
	facts := factsOf(r.Case)
	settings, events := facts.settings, facts.events
	if !facts.known {
		settings = oneIf(r.Config != "")
		if r.Failure != nil {
			events = r.Failure.Steps
		}
	}
	return []int{oneIf(r.isOfLaw()), oneIf(facts.feature), settings, events, len(r.Clauses)}
}

func oneIf(is bool) int {
	if is {
		return 1
	}
	return 0
}
