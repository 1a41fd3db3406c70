package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
)

// Summary says in one sentence how the run ended, after the outcome: what passed, what did not, what was not checked.
func Summary(r *conformance.Report) string {
	counts := tally(r.Results)
	failed := counts[conformance.Failed]
	known, broken := counts[conformance.Known], counts[conformance.Broken]
	faulty, undecided := counts[conformance.Faulty], counts[conformance.Undecided]
	skipped, against := counts[conformance.Skipped], len(r.Intolerable())
	unselected, protocol := r.Suite.Total-r.Suite.Selected, r.Suite.UnselectedProtocol
	laws := r.Suite.UnselectedLaws + r.Suite.UncheckedLaws
	return changesOf(r) + passedOf(r) + strings.Join(said(
		remark{failed > 0 && r.Settings.Against == nil, fmt.Sprintf(", %d failed", failed)},
		remark{known > 0, ", " + wording.Count(known, "known failure")},
		remark{broken > 0, fmt.Sprintf(", %d broken by the adapter", broken)},
		remark{faulty > 0, fmt.Sprintf(", %d that the suite itself gets wrong", faulty)},
		remark{undecided > 0, fmt.Sprintf(", %d without an answer", undecided)},
		remark{len(r.Lost()) > 0, ", " + lostParts(r)},
		remark{len(r.Problems) > 0, ", " + wording.Count(len(r.Problems), "problem") + " with the known failures"},
		remark{r.Unexplained > 0, ", " + lostUnexplained(r)},
		remark{skipped > 0, strings.ToUpper(", " + wording.Count(skipped, "test") + " not checked")},
		remark{against > 0, fmt.Sprintf(" (%d that --strict demands)", against)},
		remark{unselected > 0, strings.ToUpper(", " + wording.Count(unselected, "case") + " not selected")},
		remark{protocol > 0, fmt.Sprintf(" (%d of the protocol)", protocol)},
		remark{laws > 0, strings.ToUpper(", " + wording.Count(laws, "law") + " not checked")},
		remark{r.LeavesParts(), ", " + wording.Count(len(r.Port.Unexercised), "declared part") + " that no test is about"},
		remark{r.Settings.ShardBy != "", ", " + partAlone(r)},
	), "")
}

// changesOf says of two ports that differ how many tests the new one fixed, and how many it broke.
func changesOf(r *conformance.Report) string {
	counts := r.CountChanges()
	for _, n := range counts {
		if n > 0 {
			return Changes(counts) + "; "
		}
	}
	return ""
}

// Changes says how many differences between two ports mean what, such as "11 fixed, 0 broken".
func Changes(counts map[conformance.Change]int) string {
	wrong, open := counts[conformance.BothWrong], counts[conformance.Unspecified]
	return strings.Join(said(
		remark{true, fmt.Sprintf("%d fixed, %d broken", counts[conformance.Fixed], counts[conformance.Regressed])},
		remark{wrong > 0, fmt.Sprintf(", %d wrong in both", wrong)},
		remark{open > 0, fmt.Sprintf(", %d not specified", open)},
	), "")
}

// share is how many tests passed, of those that ran.
type share struct{ passed, ran int }

func shareOf(results []conformance.Result) share {
	counts := tally(results)
	return share{counts[conformance.Passed], len(results) - counts[conformance.Skipped]}
}

// sharesOf counts the tests of the detectors and those of the protocol. An adapter passes the latter whatever its
// detectors are worth, so that they are no part of a port's score.
func sharesOf(r *conformance.Report) (tests, protocol share) {
	ofProtocol, others := lists.Partition(r.Results, isOfProtocol)
	return shareOf(others), shareOf(ofProtocol)
}

func isOfProtocol(result conformance.Result) bool { return result.Detector == cases.Protocol }

// passedOf says how many of the tests that ran passed, and of how many cases and laws they were; those of the protocol
// stand apart.
func passedOf(r *conformance.Report) string {
	word := "passed"
	tests, protocol := sharesOf(r)
	if r.Settings.Against != nil {
		word = "agree"
		tests.passed -= r.CountChanges()[conformance.Fixed]
	}
	switch {
	case tests.ran+protocol.ran == 0:
		return "nothing was checked"
	case tests.ran == 0:
		text := fmt.Sprintf("%d of %s of the protocol %s", protocol.passed, wording.Count(protocol.ran, "test"), word)
		if r.OnlyManners() {
			text += ", and no test of a detector ran"
		}
		return text
	}
	ran := wording.Count(tests.ran, "test")
	return withProtocol(fmt.Sprintf("%d of %s %s%s", tests.passed, ran, word, asked(r)), protocol)
}

// withProtocol adds the tests of the protocol to what is said of the others.
func withProtocol(text string, protocol share) string {
	if protocol.ran == 0 {
		return text
	}
	return fmt.Sprintf("%s, %d of %d of the protocol", text, protocol.passed, protocol.ran)
}

// asked says of how many cases and laws the tests of the detectors are: each is one in every reading.
func asked(r *conformance.Report) string {
	cases, laws := map[string]bool{}, map[string]bool{}
	for _, result := range r.Results {
		switch {
		case result.Status == conformance.Skipped || isOfProtocol(result):
		case slices.Contains(result.Tags, "law") && result.File == "":
			laws[result.Case] = true
		default:
			cases[result.Case] = true
		}
	}
	parts := said(
		remark{len(cases) > 0, wording.Count(len(cases), "case")},
		remark{len(laws) > 0, wording.Count(len(laws), "law")},
	)
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// tracesOf says how many traces were generated, and from which seeds; empty if none were.
func tracesOf(r *conformance.Report) string {
	seeds := seedsOf(r)
	switch {
	case r.Traces == 0:
		return ""
	case seeds == "":
		return wording.Count(r.Traces, "generated trace")
	}
	_, seed, _ := strings.Cut(wording.Count(len(r.Settings.Seeds), "seed"), " ")
	return fmt.Sprintf("%s from %s %s", wording.Count(r.Traces, "generated trace"), seed, seeds)
}

// seedsOf names the seeds of the generated traces.
func seedsOf(r *conformance.Report) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(r.Settings.Seeds), " ", ", "), "[]")
}

// partAlone says that an environment variable, which nobody sees in the command, asked for a part of the suite.
func partAlone(r *conformance.Report) string {
	return wording.Line(fmt.Sprintf("part %s alone, as %s says", r.Settings.Shard, r.Settings.ShardBy))
}

// outcomeWord names the outcome. A comparison of two ports says nothing of whether one of them is right.
func outcomeWord(r *conformance.Report) string {
	outcome := r.Outcome()
	switch {
	case r.Settings.Against != nil && outcome == conformance.Conformant:
		return "no difference"
	case r.Settings.Against != nil && outcome == conformance.NotConformant:
		return "different"
	default:
		return outcome.String()
	}
}

// speed returns what follows the summary: how much was sent, how long it took, and how often the port was started anew.
// Where no case has events, as those of the protocol have none of their own, there is nothing to say.
func speed(r *conformance.Report) string {
	events := wording.Count(r.Events, "event")
	if r.Requests > 0 {
		events += " in " + wording.Count(r.Requests, "request")
	}
	parts := said(
		remark{r.Events > 0, events},
		remark{r.Events > 0 && r.Elapsed > 0, fmt.Sprintf("%.2f s", r.Elapsed.Seconds())},
		remark{r.Traces > 0, tracesOf(r)},
		remark{r.Restarts > 0, "restarted " + wording.Count(r.Restarts, "time")},
	)
	if len(parts) == 0 {
		return ""
	}
	return "; " + strings.Join(parts, ", ")
}

// again returns the command that runs only that case in that reading; empty where the run's command is unknown.
func again(result conformance.Result, options Options) string {
	if options.Again == "" {
		return ""
	}
	if result.IsNotStarted() {
		return strings.Replace(options.Again, "%s", "", 1)
	}
	flags := " --case " + result.Case
	if result.Reading != "" {
		flags += " --reading " + string(result.Reading)
	}
	if f := result.Failure; f != nil && f.Seed > 0 {
		flags += fmt.Sprintf(" --seed %d", f.Seed)
	}
	return strings.Replace(options.Again, "%s", flags, 1)
}

// knownLines tells of each known failure in one line: clause, name and excuse, in a format.
func knownLines(r *conformance.Report, format string) []string {
	return lists.Map(withStatus(r.Results, conformance.Known), func(result conformance.Result) string {
		return fmt.Sprintf(format, firstClause(result), nameOf(result), wording.Line(result.Excuse))
	})
}

// joined returns names in one order.
func joined[T ~string](names []T, separator string) string {
	return wording.Line(strings.Join(slices.Sorted(slices.Values(lists.Strings(names))), separator))
}

// runProblems returns what is wrong with the run rather than with one case, one line each: with the file of known
// failures, that nothing was checked, or that a strict run left something out. A format that knows only tests shows
// each as one that fails, so that no reader of it can take such a run for a success.
func runProblems(r *conformance.Report) []string {
	problems := problemLines(r)
	for _, part := range r.Lost() {
		problems = append(problems, wording.Line("no longer declared: "+part.String()))
	}
	if r.Outcome() != conformance.NotDecided {
		return problems
	}
	laws, tests := r.Suite.UncheckedLaws, len(r.Intolerable())
	return append(problems, said(
		remark{r.Count(conformance.Skipped) == len(r.Results), "nothing was checked"},
		remark{r.OnlyManners(), "no detector was checked, only the protocol"},
		remark{r.Strict && laws > 0, wording.Count(laws, "law") + " left out" + ofThisRun},
		remark{r.Unexplained > 0, lostUnexplained(r)},
		remark{r.PartAlone, partAlone(r) + ", without a jsonl report for loopstone merge" + ofThisRun},
		remark{r.LeavesParts(), strings.Join(notAsked(conformance.PortInfo{Unexercised: r.Port.Unexercised}), "; ")},
		remark{r.HidesMembers(), "members of verdicts not compared" + ofThisRun},
		remark{tests > 0, wording.Count(tests, "test") + " not checked" + ofThisRun},
	)...)
}

// ofThisRun ends a problem that is none for a run that is not strict.
const ofThisRun = ", which --strict demands"

// lostParts says how much a port does not declare any more that the old one declares.
func lostParts(r *conformance.Report) string {
	return wording.Count(len(r.Lost()), "declared part") + " of the old port lost"
}

// partLines names what ports declare, a line each.
func partLines(parts []conformance.Part) []string {
	return lists.Map(parts, func(p conformance.Part) string { return wording.Line(p.String()) })
}

func lostUnexplained(r *conformance.Report) string {
	who := "the port"
	if r.Settings.Against != nil {
		who = "a port" // the list of losses says which
	}
	return fmt.Sprintf("%s died or hung %s, and no case shows why", who, wording.Count(r.Unexplained, "time"))
}

func problemLines(r *conformance.Report) []string { return lists.Map(r.Problems, wording.Line) }

// remark is what there is to say where it is so.
type remark struct {
	isSo bool
	text string
}

func said(remarks ...remark) []string {
	so := lists.Filter(remarks, func(r remark) bool { return r.isSo })
	return lists.Map(so, func(r remark) string { return r.text })
}
