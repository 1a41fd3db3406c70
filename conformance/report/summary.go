package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec/words"
)

// summary says in one sentence how the run ended, after the outcome: what passed, what did not, what was not checked.
func summary(r *conformance.Report) string {
	counts := tally(r.Results)
	ran := len(r.Results) - counts[conformance.Skipped]
	clauses := []string{passedOf(r, counts[conformance.Passed], ran)}
	add := func(n int, text string) {
		if n > 0 {
			clauses = append(clauses, fmt.Sprintf("%d %s", n, text))
		}
	}
	if r.Settings.Against != nil {
		add(counts[conformance.Failed], "differ")
	} else {
		add(counts[conformance.Failed], "failed")
	}
	add(counts[conformance.Known], plural(counts[conformance.Known], "known failure", "known failures"))
	add(counts[conformance.Broken], "broken by the adapter")
	add(counts[conformance.Faulty], "spoilt by the suite itself")
	add(counts[conformance.Undecided], "without an answer")
	add(len(r.Problems), plural(len(r.Problems), "problem", "problems")+" with the known failures")
	if r.Unexplained > 1 {
		clauses = append(clauses, diedUnexplained(r))
	}
	against, protocol := "", ""
	if n := len(r.Intolerable()); n > 0 {
		against = fmt.Sprintf(" (%d against the policy)", n)
	}
	if n := r.Suite.UnselectedProtocol; n > 0 {
		protocol = fmt.Sprintf(" (%d of the protocol)", n)
	}
	add(counts[conformance.Skipped], plural(counts[conformance.Skipped], "TEST", "TESTS")+" NOT CHECKED"+against)
	add(r.Suite.Total-r.Suite.Selected, plural(r.Suite.Total-r.Suite.Selected, "CASE", "CASES")+" NOT SELECTED"+protocol)
	laws := r.Suite.UnselectedLaws + r.Suite.UncheckedLaws
	add(laws, plural(laws, "LAW", "LAWS")+" NOT CHECKED")
	return strings.Join(clauses, ", ")
}

// passedOf says how many of the tests that ran passed, and of how many cases and laws they were.
func passedOf(r *conformance.Report, passed, ran int) string {
	word, manners := "passed", ""
	if r.Settings.Against != nil {
		word = "agree"
	}
	if r.OnlyManners() {
		manners = ", of the protocol alone"
	}
	if ran == 0 {
		return "nothing was checked" + manners
	}
	what := asked(r)
	if what != "" {
		what = " (" + what + ")"
	}
	return fmt.Sprintf("%d of %s %s%s%s", passed, count(ran, "test", "tests"), word, what, manners)
}

// asked says of how many cases and laws the tests are: each is one in every reading.
func asked(r *conformance.Report) string {
	cases, laws := map[string]bool{}, map[string]bool{}
	for _, result := range r.Results {
		switch {
		case result.Status == conformance.Skipped || result.IsNotStarted():
		case slices.Contains(result.Tags, "law") && result.File == "":
			laws[result.Case] = true
		default:
			cases[result.Case] = true
		}
	}
	var parts []string
	if n := len(cases); n > 0 {
		parts = append(parts, count(n, "case", "cases"))
	}
	if n := len(laws); n > 0 {
		parts = append(parts, count(n, "law", "laws"))
	}
	return strings.Join(parts, ", ")
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

// judgedBy says by what the port was judged.
func judgedBy(r *conformance.Report) string {
	switch {
	case r.Settings.Against != nil:
		return fmt.Sprintf("compared with %s by loopstone %s", strings.Join(r.Settings.Against, " "), r.Suite.Version)
	case r.Settings.LawsAlone:
		return fmt.Sprintf("judged by loopstone %s by the protocol and the laws alone", r.Suite.Version)
	default:
		return "judged by loopstone " + r.Suite.Version
	}
}

// identity says which port was judged, and by what; of a port that knows less than all rules, which it knows, and how
// it fared.
func identity(r *conformance.Report) string {
	p := r.Port
	if p.Name == "" { // it did not start
		return words.Line(strings.Join(p.Command, " ") + ", " + judgedBy(r))
	}
	line := fmt.Sprintf("%s %s (%s), %s", p.Name, p.Version, p.Language, judgedBy(r))
	if rules := narrowed(p); rules != "" {
		ran := len(r.Results) - r.Count(conformance.Skipped)
		line += fmt.Sprintf("; %s%d of %d", rules, r.Count(conformance.Passed), ran)
	}
	return words.Line(line)
}

// speed returns what follows the summary: how much was sent, how long it took, and how often the port was started anew.
// Where no case has events, as those of the protocol have none of their own, there is nothing to say.
func speed(r *conformance.Report) string {
	var parts []string
	if r.Events > 0 {
		parts = append(parts, count(r.Events, "event", "events"))
		if r.Requests > 0 {
			parts[0] += " in " + count(r.Requests, "request", "requests")
		}
		if r.Elapsed > 0 {
			parts = append(parts, short(r.Elapsed))
		}
	}
	if r.Traces > 0 {
		seeds := strings.Trim(strings.ReplaceAll(fmt.Sprint(r.Settings.Seeds), " ", ", "), "[]")
		parts = append(parts, fmt.Sprintf("%s from %s %s", count(r.Traces, "generated trace", "generated traces"),
			plural(len(r.Settings.Seeds), "seed", "seeds"), seeds))
	}
	if r.Restarts > 0 {
		parts = append(parts, "started anew "+count(r.Restarts, "time", "times"))
	}
	if r.Unexplained == 1 {
		parts = append(parts, diedUnexplained(r))
	}
	if parts == nil {
		return ""
	}
	return "; " + strings.Join(parts, ", ")
}

func short(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

// brief returns what is wrong with a result in one line.
func brief(result conformance.Result) string {
	f := result.Failure
	if f == nil || result.Status == conformance.Faulty {
		return words.Line(result.Reason)
	}
	line := f.Problem
	if len(f.Differences) > 0 {
		d := f.Differences[0]
		want, got := excerpts(d.Want, d.Got, maxValue)
		line = fmt.Sprintf("%s: want %s, got %s", cmp.Or(d.Path, "value"), cmp.Or(want, "nothing"), cmp.Or(got, "nothing"))
	}
	if f.Step > 0 {
		line = fmt.Sprintf("step %d: %s", f.Step, line)
	}
	return words.Line(line)
}

// maxValue bounds a value within one line, in characters.
const maxValue = 45

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
	return words.By(withStatus(r.Results, conformance.Known), func(result conformance.Result) string {
		return fmt.Sprintf(format, firstClause(result), nameOf(result), words.Line(result.Excuse))
	})
}

// joined returns names in one order.
func joined[T ~string](names []T, separator string) string {
	return words.Line(strings.Join(slices.Sorted(slices.Values(words.Of(names))), separator))
}

// narrowed says of a port that does not know all rules which ones it knows: "fingerprint: exact; " and so on.
func narrowed(port conformance.PortInfo) string {
	text := ""
	for _, offer := range port.Detectors {
		if offer.Rules != nil {
			text += words.Line(fmt.Sprintf("%s: %s", offer.Detector, joined(offer.Rules, ", "))) + "; "
		}
	}
	return text
}

// runProblems returns what is wrong with the run rather than with one case, one line each: with the file of known
// failures, that nothing was checked, or that a strict run left something out. A format that knows only tests shows
// each as one that fails, so that no reader of it can take such a run for a success.
func runProblems(r *conformance.Report) []string {
	problems := problemLines(r)
	if r.Outcome() != conformance.NotDecided {
		return problems
	}
	laws, tests := r.Suite.UncheckedLaws, len(r.Intolerable())
	for _, problem := range []struct {
		is   bool
		text string
	}{
		{r.Count(conformance.Skipped) == len(r.Results), "nothing was checked"},
		{r.OnlyManners(), "no detector was checked, only the protocol"},
		{r.Strict && laws > 0, count(laws, "law", "laws") + " left out" + ofThisRun},
		{r.Unexplained > 1, diedUnexplained(r)},
		{r.HidesMembers(), "members of verdicts not compared" + ofThisRun},
		{tests > 0, count(tests, "test", "tests") + " not checked" + ofThisRun},
	} {
		if problem.is {
			problems = append(problems, problem.text)
		}
	}
	return problems
}

// ofThisRun ends a problem that is none for a run that is not strict.
const ofThisRun = ", against the policy of this run"

func diedUnexplained(r *conformance.Report) string {
	return fmt.Sprintf("the port died %s, and no case shows why", count(r.Unexplained, "time", "times"))
}

func problemLines(r *conformance.Report) []string { return words.By(r.Problems, words.Line) }
