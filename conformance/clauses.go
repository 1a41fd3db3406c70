package conformance

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/words"
)

// ClauseFailures are the failures that one broken clause explains.
type ClauseFailures struct {
	Clause  string
	Results []Result
}

// ByClause localises the faults: it explains the failures, known ones left out, by as few clauses as it needs, the most
// suspicious first. A clause is suspicious if its tests fail and seldom pass: of the clauses that the failing tests
// are about, the one with the highest Ochiai coefficient, failed / sqrt(all failures × the clause's tests), takes all
// failures that are about it; then the next is chosen among the rest. Among equals, the clause comes first that more
// tests name first, then the one that turns up first.
//
// First of all comes PR-26 where all that fails of a detector fails after a refusal. Last come the laws and twins that
// other failures explain.
func (r *Report) ByClause() []ClauseFailures {
	failures, explained := r.failures()
	var groups []ClauseFailures
	if after, rest := words.Partition(failures, r.isOfRefusal); len(after) > 0 {
		groups, failures = append(groups, ClauseFailures{refusalClause, after}), rest
	}
	for spectrum := r.spectrum(failures); len(failures) > 0; {
		clause, ok := spectrum.mostSuspicious(failures)
		if !ok {
			groups = append(groups, ClauseFailures{noClause, failures})
			break
		}
		group := ClauseFailures{Clause: clause}
		var rest []Result
		group.Results, rest = words.Partition(failures, func(f Result) bool { return spectrum.isAbout(f, clause) })
		slices.SortStableFunc(group.Results, func(a, b Result) int {
			return slices.Compare(a.effort(clause), b.effort(clause))
		})
		groups, failures = append(groups, group), rest
	}
	for _, result := range explained {
		groups = append(groups, ClauseFailures{result.FirstClause(), []Result{result}})
	}
	return groups
}

// effort says how hard it is to see in a failure that the clause is broken, what weighs most first: a case was written
// to be read, a law was not; a case is about the clause that it names first; other clauses and steps distract.
func (r *Result) effort(clause string) []int {
	law, place, steps := 0, slices.Index(r.Clauses, clause), 0
	if r.isOfLaw() {
		law = 1
	}
	if place < 0 {
		place = len(r.Clauses)
	}
	if r.Failure != nil {
		steps = r.Failure.Steps
	}
	return []int{law, place, len(r.Clauses), steps}
}

// failures returns the failures that are told by their clauses, and the laws and twins that other failures explain.
func (r *Report) failures() (failures, explained []Result) {
	return words.Partition(withFailures(r.Results), func(f Result) bool { return !r.IsExplained(f) })
}

func withFailures(results []Result) []Result {
	return words.Among(results, func(result Result) bool { return result.Status == Failed })
}

// A spectrum says what the tests of a run are about that passed or failed.
type spectrum struct {
	cited    map[string]float64       // how many tests cite a clause
	wanted   map[string]float64       // how many tests want a loop of the rule that a clause defines
	evidence map[spec.DetectorID]bool // nothing but evidence is wrong with the detector
}

// spectrum returns what the tests are about, without failures that others explain. A port that fails the twin of a case
// has passed the case.
func (r *Report) spectrum(failures []Result) spectrum {
	s := spectrum{map[string]float64{}, map[string]float64{}, map[spec.DetectorID]bool{}}
	for _, of := range grouped(failures, func(f Result) spec.DetectorID { return f.Detector }) {
		s.evidence[of[0].Detector] = !slices.ContainsFunc(of, func(f Result) bool { return !f.isOfEvidence() })
	}
	for _, result := range r.Results {
		if result.Status == Passed || result.Status == Failed && (!r.IsExplained(result) || result.isInTwin()) {
			s.count(result, s.cited, s.wanted)
		}
	}
	return s
}

// count adds a test to those that cite a clause, and to those that want a loop.
func (s spectrum) count(result Result, cited, wanted map[string]float64) {
	for clause, weight := range s.cites(result) {
		cited[clause] += weight
	}
	for _, clause := range result.wants() {
		wanted[clause]++
	}
}

// isAbout reports whether a failure cites the clause, or misses a loop of the rule that it defines.
func (s spectrum) isAbout(failure Result, clause string) bool {
	return s.cites(failure)[clause] > 0 || slices.Contains(failure.wants(), clause)
}

// later is how much a test says of a clause that it does not cite first.
const later = 0.5

// cites returns how much a test says of the clauses that it cites: everything of the first, half as much of the others.
// If nothing but evidence is wrong with a detector, only clauses about evidence count; else wrong evidence follows from
// what is wrong, and says nothing of these clauses, unless the test cites no others.
func (s spectrum) cites(result Result) map[string]float64 {
	weights := map[string]float64{}
	clauses := result.Clauses
	if result.Status == Failed && result.isOfEvidence() {
		about, others := words.Partition(clauses, isAboutEvidence)
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

// wants returns the clauses that define the rules whose loops a test wants; of one that failed, only those of the loop
// that it missed. A rule that is silent would else hide behind all that its tests look at.
func (r *Result) wants() []string {
	kinds := wantedKinds()[r.Case]
	if r.Status == Failed {
		missed, is := r.Missed()
		kinds = words.Among(kinds, func(kind spec.VerdictKind) bool { return is && kind == missed })
	}
	var list []string
	for _, kind := range kinds {
		for _, id := range clausesOfRules()[kind] {
			if clause, _ := spec.ClauseByID(id); clause.Binds(r.Reading) {
				list = append(list, id)
			}
		}
	}
	return list
}

// clausesOfRules returns the clauses that define each rule.
var clausesOfRules = sync.OnceValue(func() map[spec.VerdictKind][]string {
	clauses := map[spec.VerdictKind][]string{}
	for _, d := range spec.Detectors() {
		for _, rule := range d.Rules {
			clauses[rule.Kind] = rule.Clauses
		}
	}
	return clauses
})

// isOfEvidence reports whether nothing is wrong with the verdict but its evidence.
func (r *Result) isOfEvidence() bool {
	if r.Failure == nil ||
		slices.ContainsFunc(r.Failure.Differences, func(d Difference) bool { return !d.isOfEvidence() }) {
		return false
	}
	return len(r.Failure.Differences) > 0 || slices.Contains(r.Clauses, evidenceClause)
}

// isAboutEvidence reports whether the clause says what evidence holds.
func isAboutEvidence(id string) bool {
	clause, _ := spec.ClauseByID(id)
	return strings.Contains(clause.Text, "`evidence`") && !strings.Contains(clause.Text, "snapshot")
}

// refusalClause says that a request that is refused changes nothing.
const refusalClause = "PR-26"

// isOfRefusal reports whether a failure came after a refusal that must change nothing, as all failures of cases did of
// its detector in its reading.
func (r *Report) isOfRefusal(failure Result) bool {
	return slices.Contains(failure.Clauses, refusalClause) && !slices.ContainsFunc(r.Results, func(other Result) bool {
		return other.Status == Failed && other.File != "" && other.Detector == failure.Detector &&
			other.Reading == failure.Reading && (other.Failure == nil || !other.Failure.Refused)
	})
}

// IsExplained reports whether a failure is that of a twin, or of a law which breaks along with others, and a case or a
// law that the port breaks in the same detector and reading says why: agreement with the reference says no more than
// that something is wrong, evidence is wrong where the port counts the wrong events, and a twin is silent where a rule
// is. A profile's own case explains the traces that the profile has from its detector's cases.
func (r *Report) IsExplained(failure Result) bool {
	return failure.Status == Failed && failure.says() > 0 && slices.ContainsFunc(r.Results, func(other Result) bool {
		return other.Status == Failed && other.says() < failure.says() &&
			other.Detector == failure.Detector && other.Reading == failure.Reading &&
			!(failure.isBorrowed() && other.isOfLaw())
	})
}

// says returns how little a failure says of its cause: 0 for all but two laws, twins and borrowed traces. A port that
// fails a twin has passed the case, which is what the clauses are about.
func (r *Result) says() int {
	switch {
	case r.IsAgreement():
		return 2
	case r.isLaw("evidence"), r.isInTwin(), r.isBorrowed():
		return 1
	default:
		return 0
	}
}

// isBorrowed reports whether a profile has the trace from a case of its detector, which was written for other rules.
func (r *Result) isBorrowed() bool {
	return r.Detector.IsProfile() && !r.isOfLaw() && !slices.Contains(r.Tags, cases.ProfileTag)
}

func (r *Result) isInTwin() bool { return r.Failure != nil && r.Failure.Twin != "" }

// mostSuspicious returns the clause that explains the failures best, or false where they cite none.
func (s spectrum) mostSuspicious(failures []Result) (string, bool) {
	var order []string
	cited, missed, first := map[string]float64{}, map[string]float64{}, map[string]int{}
	for _, f := range failures {
		s.count(f, cited, missed)
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
	suspicion := func(clause string) float64 {
		return max(ochiai(cited[clause], s.cited[clause], len(failures)),
			ochiai(missed[clause], s.wanted[clause], len(failures)))
	}
	return slices.MaxFunc(order, func(a, b string) int {
		return cmp.Or(cmp.Compare(suspicion(a), suspicion(b)), cmp.Compare(first[a], first[b]))
	}), true
}

// ochiai returns the coefficient of a clause; 0 where no failure is about it.
func ochiai(failed, total float64, failures int) float64 {
	if failed == 0 {
		return 0
	}
	return failed / math.Sqrt(total*float64(failures))
}

// Missed reports whether the test failed because the port said that there is no loop where one is wanted. The kind is
// that of the loop, empty where the case names none.
func (r *Result) Missed() (kind spec.VerdictKind, is bool) {
	if r.Status != Failed || r.Failure == nil {
		return "", false
	}
	for _, d := range r.Failure.Differences {
		switch d.Path {
		case "loop":
			is = d.Want == "true" && d.Got == "false"
		case "kind":
			if value, err := spec.ParseValue([]byte(d.Want)); err == nil {
				name, _ := value.Str()
				kind = spec.VerdictKind(name)
			}
		}
	}
	return kind, is
}

// wantedKinds returns, for each case of the built-in suite, the kinds of loop that it wants by their names.
var wantedKinds = sync.OnceValue(func() map[string][]spec.VerdictKind {
	all, _ := cases.All() // a suite that cannot be read has been told before a port was judged
	wanted := map[string][]spec.VerdictKind{}
	for _, c := range all {
		for _, half := range c.Pair() {
			wanted[c.ID] = append(wanted[c.ID], namedKinds(half)...)
		}
	}
	return wanted
})

// namedKinds returns the kinds of loop that a case demands by their names, each once.
func namedKinds(c cases.Case) (kinds []spec.VerdictKind) {
	for _, step := range c.Steps {
		for _, expect := range step.Expect {
			kind, _ := expect.Want("kind")
			if name, isText := kind.Equal.Str(); isText && !slices.Contains(kinds, spec.VerdictKind(name)) {
				kinds = append(kinds, spec.VerdictKind(name))
			}
		}
	}
	return kinds
}
