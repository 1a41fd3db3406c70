package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/internal/suite/rulecases"
	"github.com/loopstone/loopstone/internal/suite/sourceclaims"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// subjects holds what can be listed, each with the function that prints its rows, and whether the flags that select
// narrow it.
var subjects = map[string]struct {
	print    func(*tabwriter.Writer, listing) error
	narrowed bool
}{
	"cases":        {listCases, true},
	"claims":       {listClaims, false},
	"clauses":      {listClauses, true},
	"detectors":    {listDetectors, false},
	"features":     {listFeatures, false},
	"laws":         {listLaws, false},
	"profiles":     {listProfiles, false},
	"requirements": {listRequirements, false},
}

// listing says which rows are wanted.
type listing struct {
	cases.Selection
	refuted bool   // of claims
	json    bool   // whole cases, as JSON
	version string // of requirements; empty for those of this program's suite
}

func listCommand(flags *pflag.FlagSet) runner {
	var wanted listing
	selectionFlags(flags, &wanted.Selection)
	flags.BoolVar(&wanted.refuted, "refuted", false, "with claims: only those that are false in some reading")
	flags.BoolVar(&wanted.json, "json", false, "with cases: whole cases, as a JSON array with one case a line")
	versionFlag(flags, &wanted.version, "version",
		"with requirements: those of this `version`, or of the suite with this digest")
	return func(_ context.Context, std streams, c call) (conformance.Outcome, error) {
		return runList(std, c.all(), wanted)
	}
}

func runList(std streams, args []string, wanted listing) (conformance.Outcome, error) {
	if len(args) == 0 {
		return conformance.Usage, usagef("say what: one of %s", strings.Join(listNames(), ", "))
	}
	list, ok := subjects[args[0]]
	switch {
	case !ok:
		return conformance.Usage, usagef("cannot list %q; %s", args[0], wording.Hint(args[0], listNames()))
	case len(args) > 1:
		return conformance.Usage, usagef("one list at a time, got %q; flags such as --detector select", args)
	}
	if err := wanted.check(args[0]); err != nil {
		return conformance.Usage, err
	}
	if wanted.json {
		return listed(writeCases(std.out, wanted))
	}
	w := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
	if err := list.print(w, wanted); err != nil {
		return listed(err)
	}
	return conformance.Conformant, w.Flush()
}

// check refuses flags that are not for the list.
func (l listing) check(name string) error {
	switch {
	case l.refuted && name != "claims":
		return usagef("--refuted is for claims")
	case l.json && name != "cases":
		return usagef("--json is for cases")
	case l.version != "" && name != "requirements":
		return usagef("--version is for requirements")
	case name == "claims" && !l.IsAll():
		return usagef("claims are listed all, or the refuted ones with --refuted; the other flags select cases and clauses")
	case !subjects[name].narrowed && !l.IsAll():
		return usagef("%s are listed all; the flags select cases and clauses", name)
	}
	return nil
}

// listed returns what becomes of a list: an error that is not the suite's is one of the call.
func listed(err error) (conformance.Outcome, error) {
	if _, ours := errors.AsType[suiteError](err); err != nil && !ours {
		err = usageError{err}
	}
	return faultOf(err), err
}

// listTests prints the tests that loopstone test would run, and counts them: of those selected, what the port declares.
func (f *testFlags) listTests(ctx context.Context, std streams, c call) (conformance.Outcome, error) {
	for _, other := range []string{"against", "watch", "known", "write-known", "statement", "report"} {
		if f.given(other) {
			return conformance.Usage, usagef("--list runs no test; leave out one of --list, --%s", other)
		}
	}
	run, err := f.prepare(ctx, std, c)
	if err != nil {
		return faultOf(err), err
	}
	plan, err := planOf(f.settled(), run.all)
	if err != nil {
		return conformance.Usage, usageError{err}
	}
	plan.NoTraces = !f.json
	started, err := plan.Start(ctx, std.ports, run.port.Target)
	if err = selectedWrongly(err); err != nil {
		return faultOf(err), err
	}
	tests := plan.Tests(started.Description)
	if len(tests) == 0 {
		return conformance.NotDecided, errors.New("the port declares nothing of what is selected")
	}
	if f.json {
		return conformance.Conformant, writeTestList(std.out, plan.Selected, started.Description)
	}
	w := tabwriter.NewWriter(std.out, 0, 0, 2, ' ', 0)
	for _, t := range tests {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", t.ID, cmp.Or(t.Reading, "-"), strings.Join(t.Clauses, " "), t.Title)
	}
	fmt.Fprintf(std.err, "tests: %d\n", len(tests))
	if made := plan.Unlisted(); len(made) > 0 {
		fmt.Fprintf(std.err, "and those on traces that are made when they run: of %s\n", strings.Join(made, ", "))
	}
	return conformance.Conformant, w.Flush()
}

// listedTest is a test in a list for programs, which choose among them.
type listedTest struct {
	Case       string       `json:"case"`
	Reading    spec.Reading `json:"reading,omitempty"`
	Title      string       `json:"title"`
	Clauses    []string     `json:"clauses"`
	NotChecked string       `json:"not_checked,omitempty"` // why the test is not run
}

// writeTestList prints the tests of the detectors and readings that a port declares, also those that are not checked.
func writeTestList(out io.Writer, selected []cases.Case, port spec.Description) error {
	w := bufio.NewWriter(out)
	lines := json.NewEncoder(w)
	lines.SetEscapeHTML(false)
	for _, c := range selected {
		if c.IsOfProtocol() {
			if err := lines.Encode(listedTest{Case: c.ID, Title: c.Title, Clauses: c.Clauses}); err != nil {
				return err
			}
			continue
		}
		offer, _ := port.Offer(c.Detector)
		for _, reading := range c.Readings {
			if !slices.Contains(offer.Readings, reading) {
				continue
			}
			r := conformance.NewResult(c, reading, port)
			if err := lines.Encode(listedTest{r.Case, reading, r.Title, r.Clauses, r.Reason}); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}

func listCases(w *tabwriter.Writer, wanted listing) error {
	selected, err := wanted.selected()
	if err != nil {
		return err
	}
	for _, c := range selected {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", c.ID, wording.Join(c.Readings, "/"), strings.Join(c.Clauses, " "), c.Title)
	}
	return nil
}

// writeCases prints the selected cases whole, in the format of a case file, as JSON.
func writeCases(w io.Writer, wanted listing) error {
	selected, err := wanted.selected()
	if err != nil {
		return err
	}
	text := []byte("[\n")
	for i, c := range selected {
		detector := spec.Member{Name: "detector", Value: spec.StringValue(string(c.Detector))}
		demand := spec.ObjectValue(append([]spec.Member{detector}, c.Demand().Members()...)...)
		if text = demand.AppendJSON(text); i < len(selected)-1 {
			text = append(text, ',')
		}
		text = append(text, '\n')
	}
	_, err = w.Write(append(text, "]\n"...))
	return err
}

// selected returns the wanted cases of the suite, and of what the profiles are asked that are named.
func (l listing) selected() ([]cases.Case, error) {
	suite, err := builtInSuite()
	if err == nil {
		suite, err = withProfiles(suite, slices.Concat(l.Cases, l.Detectors))
	}
	if err != nil {
		return nil, err
	}
	return l.Select(suite)
}

// withProfiles adds to the suite what the profiles are asked that patterns name.
func withProfiles(suite []cases.Case, patterns []string) ([]cases.Case, error) {
	if !slices.ContainsFunc(patterns, profile.IsName) {
		return suite, nil
	}
	asked, err := rulecases.Asked(context.Background(), suite, patterns)
	if err != nil {
		return nil, suiteError{err}
	}
	return slices.Concat(suite, asked), nil
}

func listClauses(w *tabwriter.Writer, wanted listing) error {
	cited := map[string]int{}
	all, err := builtInSuite()
	if err != nil {
		return err
	}
	selected, err := wanted.Select(all)
	if err != nil {
		return err
	}
	for _, c := range selected {
		for _, id := range c.Clauses {
			cited[id]++
		}
	}
	for _, c := range spec.Clauses() {
		if !wanted.IsAll() && cited[c.ID] == 0 {
			continue
		}
		count := wording.Count(cited[c.ID], "case")
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", c.ID, c.Level, c.Mark, c.Source, count, c.Text)
	}
	return nil
}

func listDetectors(w *tabwriter.Writer, _ listing) error {
	all, err := builtInSuite()
	if err != nil {
		return err
	}
	all = slices.Concat(all, fuzz.Cases())
	fmt.Fprintln(w, "detector\treadings\tdocuments\tfeatures\tfunctions\twhat it looks for\twhat a run tests")
	for _, impl := range reference.Implementations() {
		p, ok := spec.DefinitionOf(impl.Detector)
		if !ok {
			return fmt.Errorf("the specification has no detector %q", impl.Detector)
		}
		functions := strings.Join(slices.Sorted(maps.Keys(impl.Functions)), " ")
		n, laws, tests := countAsked(all, p.ID)
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%d cases, %d laws, %d tests\n", p.ID, wording.Join(impl.Readings, " "),
			strings.Join(p.Documents, " "), wording.Join(impl.Features, " "), cmp.Or(functions, "-"), p.Title, n, laws, tests)
	}
	return nil
}

// countAsked returns how many cases and laws of a detector there are, and how many tests: each of them in each reading.
func countAsked(all []cases.Case, detector spec.DetectorID) (n, laws, tests int) {
	for _, c := range all {
		switch {
		case c.Detector != detector:
			continue
		case c.IsLaw():
			laws++
		default:
			n++
		}
		tests += len(c.Readings)
	}
	return n, laws, tests
}

func listFeatures(w *tabwriter.Writer, _ listing) error {
	all, err := builtInSuite()
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "detector\tfeature\tcases that need it\tclauses that bind only a port with it")
	for _, p := range spec.Detectors() {
		for _, f := range p.Features {
			needing := lists.Filter(all,
				func(c cases.Case) bool { return c.Detector == p.ID && slices.Contains(c.Needs, f) })
			bound := lists.Filter(spec.Clauses(), func(c spec.Clause) bool {
				of := strings.HasPrefix(c.ID, p.Prefix+"-") || strings.HasPrefix(c.ID, "PR-")
				return of && c.Feature == f
			})
			ids := lists.Map(bound, func(c spec.Clause) string { return c.ID })
			fmt.Fprintf(w, "%s\t%s\t%d\t%s\n", p.ID, f, len(needing), strings.Join(ids, " "))
		}
	}
	return nil
}

// listClaims prints one row for each claim: its id, what is so of it, where it stands and what it says.
func listClaims(w *tabwriter.Writer, wanted listing) error {
	all, err := sourceclaims.All()
	if err != nil {
		return err
	}
	for _, c := range all {
		if wanted.refuted && c.Status() != sourceclaims.Refuted {
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", c.ID, c.Summary(), c.Source(), c.Text)
	}
	return nil
}

// listLaws prints the laws that are checked on generated traces and on the traces of the cases.
func listLaws(w *tabwriter.Writer, _ listing) error {
	for _, law := range laws.Laws() {
		fmt.Fprintf(w, "%s\t%d exceptions\t%s\n", law.ID, len(law.Exceptions), law.Sentence)
	}
	return nil
}

// listProfiles prints the detectors of the field that are configurations of composed or stream.
func listProfiles(w *tabwriter.Writer, _ listing) error {
	all, err := profile.All()
	if err != nil {
		return suiteError{err}
	}
	fmt.Fprintln(w, "profile\trules\twhat it looks for\tsource")
	for _, p := range all {
		fmt.Fprintf(w, "@%s\t%d\t%s\t%s\n", p.Name, len(p.Rules()), p.Title, p.Source.Repository)
	}
	return nil
}
