package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/loopstone/loopstone/conformance"
)

// summary says in one sentence how the run ended, after the outcome: what passed, what did not, what was not checked.
func summary(r *conformance.Report) string {
	counts := tally(r.Results)
	ran := len(r.Results) - counts[conformance.Skipped]
	clauses := []string{fmt.Sprintf("%d of %s passed", counts[conformance.Passed], count(ran, "case", "cases"))}
	if ran == 0 {
		clauses[0] = "nothing was checked"
	}
	if r.OnlyManners() {
		clauses[0] += ", of the protocol alone"
	}
	add := func(n int, text string) {
		if n > 0 {
			clauses = append(clauses, fmt.Sprintf("%d %s", n, text))
		}
	}
	add(counts[conformance.Failed], "failed")
	add(counts[conformance.Known], plural(counts[conformance.Known], "known failure", "known failures"))
	add(counts[conformance.Broken], "broken by the adapter")
	add(counts[conformance.Faulty], "spoilt by the suite itself")
	add(counts[conformance.Undecided], "without an answer")
	add(len(r.Problems), plural(len(r.Problems), "problem", "problems")+" with the ledger")
	add(counts[conformance.Skipped], "NOT CHECKED"+againstPolicy(r))
	add(r.Suite.Total-r.Suite.Selected, "NOT SELECTED"+ofTheProtocol(r.Suite))
	add(r.Suite.UncheckedLaws, "LAWS NOT CHECKED")
	return strings.Join(clauses, ", ")
}

// againstPolicy says how much of what was not checked a strict run does not allow to be missing.
func againstPolicy(r *conformance.Report) string {
	n := len(r.Intolerable())
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d against the policy)", n)
}

// ofTheProtocol says how much of what was not selected is the adapter check.
func ofTheProtocol(suite conformance.SuiteInfo) string {
	if suite.UnselectedProtocol == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d of the protocol)", suite.UnselectedProtocol)
}

// identity says which port was judged, and by what.
func identity(r *conformance.Report) string {
	p := r.Port
	return oneLine(fmt.Sprintf("%s %s (%s), judged by loopstone %s", p.Name, p.Version, p.Language, r.Suite.Version))
}

// speed returns what follows the summary: how much was observed, how fast, and how often the port was started anew.
// Where no case has events, as those of the protocol have none of their own, there is nothing to say.
func speed(r *conformance.Report) string {
	var parts []string
	if r.Events > 0 {
		parts = append(parts, count(r.Events, "event", "events"))
		if seconds := r.Elapsed.Seconds(); seconds > 0 {
			parts[0] += fmt.Sprintf(" in %s, %.0f events/s", short(r.Elapsed), float64(r.Events)/seconds)
		}
	}
	if r.Restarts > 0 {
		parts = append(parts, "started anew "+count(r.Restarts, "time", "times"))
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
		return oneLine(result.Reason)
	}
	line := f.Problem
	if len(f.Differences) > 0 {
		d := f.Differences[0]
		want, got := excerpts(d.Want, d.Got, maxValue)
		line = fmt.Sprintf("%s: want %s, got %s", or(d.Path, "value"), or(want, "nothing"), or(got, "nothing"))
	}
	if f.Step > 0 {
		line = fmt.Sprintf("step %d: %s", f.Step, line)
	}
	return oneLine(line)
}

// maxValue bounds a value within one line, in characters.
const maxValue = 45

// or returns the text, or what stands for it where it is empty.
func or(text, absent string) string {
	if text == "" {
		return absent
	}
	return text
}

// again returns the command that runs only that case in that reading; empty where the run's command is unknown.
func again(result conformance.Result, options Options) string {
	if options.Again == "" {
		return ""
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
