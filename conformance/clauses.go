package conformance

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
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
// tests name first, then the one that turns up first. A clause that the simplest failures name first counts as more
// suspicious, so that a rule comes before what refines it.
//
// First of all comes PR-26 where all that fails of a detector fails after a refusal. Last come the laws and contrasts
// that other failures explain.
func (r *Report) ByClause() []ClauseFailures {
	failures, explained := r.failures()
	var groups []ClauseFailures
	if after, rest := lists.Partition(failures, r.isOfRefusal); len(after) > 0 {
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
		group.Results, rest = lists.Partition(failures, func(f Result) bool { return spectrum.isAbout(f, clause) })
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

// effort measures how hard it is to see in a failure that the clause is broken. It is compared number by number: 1
// for a law, as a case was written to be read and a law's trace was not; how many clauses the test names before this
// one, as a case is about the first; and then [Result.complexity].
func (r *Result) effort(clause string) []int {
	place := slices.Index(r.Clauses, clause)
	if place < 0 { // it misses a loop of the clause's rule; a test that cites the clause shows more of it
		place = math.MaxInt
	}
	return slices.Concat([]int{oneIf(r.isOfLaw()), place}, r.complexity())
}

// failures returns the failures that are told by their clauses, and the laws and contrasts that other failures explain.
func (r *Report) failures() (failures, explained []Result) {
	return lists.Partition(withFailures(r.Results), func(f Result) bool { return !r.IsExplained(f) })
}

func withFailures(results []Result) []Result {
	return lists.Filter(results, func(result Result) bool { return result.Status == Failed })
}

// wants returns the clauses that define the rules whose loops a test wants; of one that failed, only those of the loop
// that it missed. A rule that is silent would else hide behind all that its tests look at.
func (r *Result) wants() []string {
	kinds := factsOf(r.Case).kinds
	if r.Status == Failed {
		missed, is := r.Missed()
		kinds = lists.Filter(kinds, func(kind spec.VerdictKind) bool { return is && kind == missed })
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

// IsExplained reports whether a failure is that of a contrast, or of a law which breaks along with others, and a case
// or a law that the port breaks in the same detector and reading says why: agreement with the reference says no more
// than that something is wrong, evidence is wrong where the port counts the wrong events, and a contrast is silent
// where a rule is. A profile's own case explains the traces that the profile has from its detector's cases.
func (r *Report) IsExplained(failure Result) bool {
	return failure.Status == Failed && failure.says() > 0 && slices.ContainsFunc(r.Results, func(other Result) bool {
		return other.Status == Failed && other.says() < failure.says() &&
			other.Detector == failure.Detector && other.Reading == failure.Reading &&
			!(failure.isBorrowed() && other.isOfLaw())
	})
}

// says returns how little a failure says of its cause: 0 for all but two laws, contrasts and borrowed traces. A port
// that fails a contrast has passed the case, which is what the clauses are about.
func (r *Result) says() int {
	switch {
	case r.IsAgreement():
		return 2
	case r.isLaw("evidence"), r.isInContrast(), r.isBorrowed():
		return 1
	default:
		return 0
	}
}

// isBorrowed reports whether a profile has the trace from a case of its detector, which was written for other rules.
func (r *Result) isBorrowed() bool {
	return r.Detector.IsProfile() && !r.isOfLaw() && !slices.Contains(r.Tags, cases.ProfileTag)
}

func (r *Result) isInContrast() bool { return r.Failure != nil && r.Failure.Contrast != "" }

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
				kind = spec.VerdictKind(value.Text())
			}
		}
	}
	return kind, is
}
