package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// bad returns the results that keep the port from being conformant, by what they have in common: first where the suite
// is wrong, then where the adapter is; then, where the port is wrong, failures alike, then the clauses that explain the
// rest best, then laws and contrasts that any of these explains; then where nobody knows.
func bad(r *conformance.Report) []group {
	if r.Outcome() == conformance.Conformant {
		return nil
	}
	groups := groupBy(withStatus(r.Results, conformance.Faulty, conformance.Broken), firstClause)
	if r.Settings.Against != nil {
		return slices.Concat(groups, byChange(r), groupBy(withStatus(r.Results, conformance.Undecided), partOf))
	}
	suspects := bySuspicion(r)
	alike, rest := symptoms(r, suspects)
	explained, rest := lists.Partition(rest, r.IsExplained)
	many, few := lists.Partition(alike, func(g group) bool { return isLarge(g, suspects) })
	return slices.Concat(
		groups, many, groupBy(rest, firstClause), few, groupBy(explained, firstClause), undecided(r))
}

// isLarge reports whether failures alike are more than a quarter of those of their detectors: else they follow from
// something else.
func isLarge(g group, failures []conformance.Result) bool {
	of := lists.Filter(failures, func(f conformance.Result) bool {
		return slices.ContainsFunc(g.results, func(r conformance.Result) bool { return partOf(r) == partOf(f) })
	})
	return 4*len(g.results) > len(of)
}

// undecided returns the results that nobody knows: by clause, and then those that share a reason, such as tests that
// did not run.
func undecided(r *conformance.Report) []group {
	reason := func(result conformance.Result) string { return result.Reason }
	shared, alone := lists.Partition(groupBy(withStatus(r.Results, conformance.Undecided), reason), func(g group) bool {
		return g.key != "" && len(g.results) > 1
	})
	for i := range shared {
		shared[i].alike = true
	}
	return append(groupBy(flat(alone), firstClause), shared...)
}

// byChange brings the differences of two ports together by what they mean, the worst first and repairs last.
func byChange(r *conformance.Report) []group {
	var groups []group
	for _, change := range conformance.Changes() {
		differ := lists.Filter(r.Results, func(result conformance.Result) bool { return result.Differs() == change })
		groups = append(groups, groupBy(differ, func(conformance.Result) string { return string(change) })...)
	}
	other := lists.Filter(withStatus(r.Results, conformance.Failed),
		func(result conformance.Result) bool { return result.Differs() == "" })
	return append(groups, groupBy(other, firstClause)...)
}

// bySuspicion returns the failures by the clauses that explain them, the most suspicious first. Each has the clause
// that explains it as its first.
func bySuspicion(r *conformance.Report) []conformance.Result {
	var failures []conformance.Result
	for _, explained := range r.ByClause() {
		for _, result := range explained.Results {
			result.Clauses = firstOf(result.Clauses, explained.Clause)
			failures = append(failures, result)
		}
	}
	return failures
}

// isLaw reports whether the result is that of a law. Agreement with the reference is none: it says no more than that
// some case is broken.
func isLaw(result conformance.Result) bool {
	return result.File == "" && slices.Contains(result.Tags, "law") && !result.IsAgreement()
}

// symptoms returns the failures that look alike, whatever clauses they are about, the most frequent symptom first, and
// the other failures. What only one case shows is no symptom.
func symptoms(r *conformance.Report, failures []conformance.Result) (alike []group, rest []conformance.Result) {
	says := map[string]bool{}
	for _, result := range r.Results {
		says[partOf(result)] = says[partOf(result)] || result.SaidLoop
	}
	for _, g := range groupBy(failures, func(result conformance.Result) string {
		return symptom(result, says[partOf(result)])
	}) {
		several := slices.ContainsFunc(g.results, func(a conformance.Result) bool { return a.Case != g.results[0].Case })
		if g.alike = g.key != "" && several; g.alike {
			alike = append(alike, g)
		} else {
			rest = append(rest, g.results...)
		}
	}
	missed, rest := missedLoops(r, rest)
	alike = append(alike, missed...)
	slices.SortStableFunc(alike, func(a, b group) int { return cmp.Compare(len(b.results), len(a.results)) })
	return alike, rest
}

// So many tests about so many clauses, at the least, that want a loop and see none have probably one cause.
const (
	fewestMissed  = 10
	fewestClauses = 2
)

// missedLoops returns the failures that want a loop of one kind and see none, where those of a detector in a reading
// are many and about many clauses, and the other failures: one slip in what a rule counts breaks every clause about it.
func missedLoops(r *conformance.Report, failures []conformance.Result) (missed []group, rest []conformance.Result) {
	for _, g := range groupBy(failures, missedOf) {
		looks, others := lists.Partition(g.results, func(result conformance.Result) bool {
			_, is := result.Missed()
			return is && !isLaw(result) && !r.IsExplained(result)
		})
		if len(looks) < fewestMissed || len(groupBy(looks, firstClause)) < fewestClauses || 2*len(looks) < len(g.results) {
			rest = append(rest, g.results...)
			continue
		}
		one := group{alike: true, key: "probably one cause: " + g.key, results: looks}
		for i, suspect := range groupBy(looks, firstClause) {
			one.key += []string{"; " + suspect.key + " first", ", then " + suspect.key, ""}[min(i, 2)]
		}
		missed, rest = append(missed, one), append(rest, others...)
	}
	return missed, rest
}

// missedOf names the loop that a result wants and does not see, or its detector alone.
func missedOf(result conformance.Result) string {
	kind, is := result.Missed()
	if d, _ := spec.DefinitionOf(result.Detector); kind == "" && len(d.Rules) == 1 {
		kind = d.Rules[0].Kind
	}
	switch {
	case !is:
		return partOf(result)
	case kind == "":
		return partOf(result) + " reports no loop when one is expected"
	default:
		return fmt.Sprintf("%s reports no %s when it is expected", partOf(result), kind)
	}
}

func partOf(result conformance.Result) string {
	return withReading(string(result.Detector), result.Reading)
}

// symptom says what a failure looks like where that tells the cause better than its clause: a refusal, a loop that the
// port never says, members that are not there. It is empty for any other.
func symptom(result conformance.Result, saysLoop bool) string {
	if result.Failure == nil {
		return ""
	}
	var missing []string
	differences := result.Failure.Differences
	for _, d := range differences {
		switch {
		case d.Path == "refusal" && d.Want == "":
			return wording.Line("the port refuses " + refused(d.Got))
		case d.Path == "loop" && d.Want == "true" && !saysLoop:
			return wording.Line("the port never reports a loop: " + partOf(result))
		case d.Got == "" && d.Path != "" && d.Path != "refusal":
			member := d.Path[strings.LastIndexAny(d.Path, ".")+1:]
			missing = append(missing, strings.TrimRight(member, "[]0123456789"))
		}
	}
	if len(missing) == 0 || len(missing) < len(differences) {
		return ""
	}
	slices.Sort(missing)
	return wording.Line("the port leaves out " + strings.Join(slices.Compact(missing), ", "))
}

// refused names the refusal without its words, which may hold the value; of an internal error the words are all there
// is.
func refused(fault string) string {
	if head, _, _ := strings.Cut(fault, ":"); strings.Contains(head, " ") {
		return head
	}
	return wording.Shortened(fault, maxRefusal)
}

// maxRefusal bounds a refusal's words, in characters.
const maxRefusal = 45

// firstOf returns the clauses with one of them put first.
func firstOf(clauses []string, clause string) []string {
	others := lists.Filter(clauses, func(c string) bool { return c != clause })
	return append([]string{clause}, others...)
}

// group is what results have in common, and those results.
type group struct {
	key     string // a clause, or a symptom
	alike   bool   // it is a symptom
	results []conformance.Result
}

// groupBy brings results of the same key together, in the order in which the keys turn up.
func groupBy(results []conformance.Result, key func(conformance.Result) string) []group {
	return lists.Map(lists.Grouped(results, key), func(alike []conformance.Result) group {
		return group{key: key(alike[0]), results: alike}
	})
}

// flat returns the results of all groups.
func flat(groups []group) []conformance.Result {
	return slices.Concat(lists.Map(groups, func(g group) []conformance.Result { return g.results })...)
}

// firstClause returns the clause that a result stands under.
func firstClause(result conformance.Result) string { return wording.Line(result.FirstClause()) }

// withStatus returns the results that have one of the statuses, those of the first status first.
func withStatus(results []conformance.Result, wanted ...conformance.Status) []conformance.Result {
	var list []conformance.Result
	for _, status := range wanted {
		list = append(list, lists.Filter(results, func(r conformance.Result) bool { return r.Status == status })...)
	}
	return list
}
