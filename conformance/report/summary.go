package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
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

// againstThePolicy marks what a strict run does not allow to be left out.
const againstThePolicy = "; against the policy of this run"

// notChecked says what was not asked: a line for each kind of reason, with the number of cases and what they needed.
// What a strict run does not allow comes first.
func notChecked(r *conformance.Report) []string {
	intolerable := map[string]bool{}
	for _, result := range r.Intolerable() {
		intolerable[nameOf(result)] = true
	}
	var lines []string
	for _, policy := range []string{againstThePolicy, ""} {
		var skipped []conformance.Result
		for _, result := range withStatus(r.Results, conformance.Skipped) {
			if intolerable[nameOf(result)] == (policy != "") {
				skipped = append(skipped, result)
			}
		}
		for _, g := range groupBy(skipped,
			func(result conformance.Result) string { return whySkipped(r.Port, result).kind }) {
			lines = append(lines, skips(r.Port, g)+policy)
		}
	}
	return slices.Concat(lines, notCompared(r), notSelected(r.Suite, r.Settings.SelectedBy))
}

// notCompared says which members of verdicts the port does not declare, a line for each detector.
func notCompared(r *conformance.Report) []string {
	var lines []string
	for _, offer := range r.Port.Detectors {
		if names := offer.Uncompared(); len(names) > 0 {
			lines = append(lines, words.Line(fmt.Sprintf("members of verdicts that the port lacks: %s of %s",
				strings.Join(names, ", "), offer.Detector)))
		}
	}
	return lines
}

// skip is why a case was not asked: a kind of reason, and what exactly is not there.
type skip struct{ kind, what string }

// whySkipped returns the reason of a skip.
func whySkipped(port conformance.PortInfo, result conformance.Result) skip {
	readings, offered := offerOf(port, result.Detector)
	switch {
	case len(result.Missing) > 0:
		return skip{"needing features that the port does not declare", joined(result.Missing, "+")}
	case len(result.MissingRules) > 0:
		return skip{"of rules that the port lacks", joined(result.MissingRules, "+")}
	case len(result.MissingSettings) > 0:
		return skip{"with settings that the port lacks", joined(result.MissingSettings, "+")}
	case len(result.MissingMembers) > 0:
		return skip{"of members that the port's verdicts lack", joined(result.MissingMembers, "+")}
	case !offered:
		return skip{"of detectors that the port does not offer", words.Line(string(result.Detector))}
	case !slices.Contains(readings, result.Reading):
		return skip{
			"of readings that the port does not offer",
			words.Line(fmt.Sprintf("%s %s", result.Detector, result.Reading)),
		}
	default:
		return skip{words.Line(result.Reason), ""}
	}
}

// offerOf returns the readings in which the port offers a detector, and whether it offers it at all.
func offerOf(port conformance.PortInfo, detector spec.DetectorID) ([]spec.Reading, bool) {
	i := slices.IndexFunc(port.Detectors, func(o conformance.OfferInfo) bool { return o.Detector == detector })
	if i < 0 {
		return nil, false
	}
	return port.Detectors[i].Readings, true
}

// skips returns the line for skips of one kind: how many there are, and of what.
func skips(port conformance.PortInfo, g group) string {
	var parts []string
	for _, missing := range groupBy(g.results,
		func(result conformance.Result) string { return whySkipped(port, result).what }) {
		amount := fmt.Sprint(len(missing.results))
		if len(missing.results[0].Missing) > 0 {
			amount = byDetector(missing.results) // detectors have features in common, and hardly anything else
		}
		if missing.key != "" {
			parts = append(parts, fmt.Sprintf("%s (%s)", missing.key, amount))
		}
	}
	tests := count(len(g.results), "test", "tests")
	if parts == nil {
		return tests + ": " + g.key
	}
	return fmt.Sprintf("%s %s: %s", tests, g.key, strings.Join(parts, ", "))
}

func byDetector(results []conformance.Result) string {
	counts := map[string]int{}
	for _, result := range results {
		counts[string(result.Detector)]++
	}
	var parts []string
	for _, detector := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%s %d", detector, counts[detector]))
	}
	return words.Line(strings.Join(parts, ", "))
}

// notSelected says what the selection left out, and which file selected, since nobody sees that in the command. The
// protocol has a line of its own: whether the adapter keeps to it is another question than whether the port is right.
func notSelected(suite conformance.SuiteInfo, by string) []string {
	var lines []string
	why := "not selected for this run"
	if by != "" {
		why += words.Line(" (" + by + ")")
	}
	protocol := suite.UnselectedProtocol
	if protocol > 0 {
		lines = append(lines,
			fmt.Sprintf("%s of the protocol: %s; loopstone check-adapter carries them out",
				count(protocol, "case", "cases"), why))
	}
	if n := suite.Total - suite.Selected - protocol; n > 0 {
		lines = append(lines, fmt.Sprintf("%s: %s", count(n, "case", "cases"), why))
	}
	if n := suite.UnselectedLaws; n > 0 {
		lines = append(lines, fmt.Sprintf("%s: %s", count(n, "law", "laws"), why))
	}
	if n := suite.UncheckedLaws; n > 0 {
		lines = append(lines, fmt.Sprintf("%s: left out of this run", count(n, "law", "laws")))
	}
	return lines
}

// knownLines tells of each known failure in one line.
func knownLines(r *conformance.Report) []string {
	return words.By(withStatus(r.Results, conformance.Known), func(result conformance.Result) string {
		return fmt.Sprintf("%s %s: %s", firstClause(result), nameOf(result), words.Line(result.Excuse))
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
	if r.Count(conformance.Skipped) == len(r.Results) {
		problems = append(problems, "nothing was checked")
	}
	if r.OnlyManners() {
		problems = append(problems, "no detector was checked, only the protocol")
	}
	if n := r.Suite.UncheckedLaws; r.Strict && n > 0 {
		problems = append(problems, fmt.Sprintf("%s left out, against the policy of this run", count(n, "law", "laws")))
	}
	if r.Unexplained > 1 {
		problems = append(problems, diedUnexplained(r))
	}
	if r.HidesMembers() {
		problems = append(problems, "members of verdicts not compared, against the policy of this run")
	}
	if n := len(r.Intolerable()); n > 0 {
		problems = append(problems, fmt.Sprintf("%s not checked, against the policy of this run", count(n, "test", "tests")))
	}
	return problems
}

func diedUnexplained(r *conformance.Report) string {
	return fmt.Sprintf("the port died %s, and no case shows why", count(r.Unexplained, "time", "times"))
}

func problemLines(r *conformance.Report) []string { return words.By(r.Problems, words.Line) }
