package conformance

import (
	"cmp"
	"math"
	"slices"
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
// suspicious first. A clause is suspicious if its cases fail and seldom pass: of the clauses that the failing cases
// cite, the one with the highest Ochiai coefficient, failed / sqrt(all failures × the clause's cases), takes all
// failures that cite it; then the next is chosen among the rest. Among equals, the clause comes first that more cases
// name first, then the one that turns up first.
//
// First of all comes the clause of a rule that alone is silent, and PR-26 where all that fails of a detector fails
// after a refusal. Last come the laws and twins that other failures explain.
func (r *Report) ByClause() []ClauseFailures {
	failures, explained, cited := r.failures()
	var groups []ClauseFailures
	for _, silent := range r.silentRules() {
		group := ClauseFailures{Clause: silent.clause}
		group.Results, failures = words.Partition(failures, silent.explains)
		groups = append(groups, group)
	}
	if after, rest := words.Partition(failures, r.isOfRefusal); len(after) > 0 {
		groups, failures = append(groups, ClauseFailures{refusalClause, after}), rest
	}
	for len(failures) > 0 {
		clause, ok := mostSuspicious(failures, cited)
		if !ok {
			groups = append(groups, ClauseFailures{noClause, failures})
			break
		}
		group := ClauseFailures{Clause: clause}
		var rest []Result
		group.Results, rest = words.Partition(failures, func(f Result) bool { return slices.Contains(f.Clauses, clause) })
		slices.SortStableFunc(group.Results, func(a, b Result) int {
			return cmp.Compare(slices.Index(a.Clauses, clause), slices.Index(b.Clauses, clause))
		})
		groups, failures = append(groups, group), rest
	}
	for _, result := range explained {
		groups = append(groups, ClauseFailures{result.FirstClause(), []Result{result}})
	}
	return groups
}

// failures returns the failures that are told by their clauses, the laws and twins that other failures explain, and how
// many of the tests that say something of a clause cite it.
func (r *Report) failures() (failures, explained []Result, cited map[string]int) {
	cited = map[string]int{}
	for _, result := range r.Results {
		isExplained := r.IsExplained(result)
		switch {
		case result.Status != Passed && result.Status != Failed:
			continue
		case isExplained:
			explained = append(explained, result)
		case result.Status == Failed:
			failures = append(failures, result)
		}
		if isExplained && !result.isInTwin() {
			continue
		}
		for _, clause := range result.Clauses { // a port that fails the twin passed the case
			cited[clause]++
		}
	}
	return failures, explained, cited
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
// is.
func (r *Report) IsExplained(failure Result) bool {
	return failure.Status == Failed && failure.says() > 0 && slices.ContainsFunc(r.Results, func(other Result) bool {
		return other.Status == Failed && other.says() < failure.says() &&
			other.Detector == failure.Detector && other.Reading == failure.Reading
	})
}

// says returns how little a failure says of its cause: 0 for all but two laws and twins. A port that fails a twin has
// passed the case, which is what the clauses are about.
func (r *Result) says() int {
	switch {
	case r.IsAgreement():
		return 2
	case r.isLaw("evidence"), r.isInTwin():
		return 1
	default:
		return 0
	}
}

func (r *Result) isInTwin() bool { return r.Failure != nil && r.Failure.Twin != "" }

// mostSuspicious returns the clause that explains the failures best, or false where they cite none.
func mostSuspicious(failures []Result, cited map[string]int) (string, bool) {
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

// sightings say how the tests that want a loop of a kind ended.
type sightings struct{ missed, all int }

// A rule is silent where of 20 tests that want it to speak it says nothing in 19, and in no fewer than 3.
func (s sightings) isSilent() bool { return s.missed >= 3 && 20*s.missed >= 19*s.all }

// silentRule is a rule of a port that says nothing where it must, or says it too late.
type silentRule struct {
	part
	kind   spec.VerdictKind
	clause string // the one that says when the rule holds
}

// silentRules returns the rules that alone of their detector and reading are silent. Their cases are about all that the
// rule looks at, so each of their clauses seems broken; it is more likely that the rule itself is. Where several rules
// are silent, the cause lies in what they share.
func (r *Report) silentRules() []silentRule {
	var silent []silentRule
	for _, results := range grouped(r.Results, Result.part) {
		seen := map[spec.VerdictKind]sightings{}
		for _, result := range results {
			for _, kind := range wantedKinds()[result.Case] {
				s := seen[kind]
				switch missed, is := result.Missed(); {
				case is && missed == kind:
					s.missed, s.all = s.missed+1, s.all+1
				case is: // it did not come to the loop of this kind
				case result.Status == Passed, result.Status == Failed:
					s.all++
				}
				seen[kind] = s
			}
		}
		silent = append(silent, silentIn(results[0].part(), seen)...)
	}
	return silent
}

// silentIn returns the one rule of a detector that is silent in a reading, or nothing.
func silentIn(in part, seen map[spec.VerdictKind]sightings) []silentRule {
	definition, _ := spec.DefinitionOf(in.detector)
	var silent []silentRule
	for _, rule := range definition.Rules {
		if s := seen[rule.Kind]; !s.isSilent() {
			continue
		}
		for _, id := range rule.Clauses {
			if clause, _ := spec.ClauseByID(id); clause.Binds(in.reading) {
				silent = append(silent, silentRule{in, rule.Kind, id})
			}
		}
	}
	if len(silent) > 1 {
		return nil
	}
	return silent
}

// explains reports whether a failure is what the silence of the rule looks like.
func (s silentRule) explains(failure Result) bool {
	kind, missed := failure.Missed()
	return missed && kind == s.kind && failure.part() == s.part
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
