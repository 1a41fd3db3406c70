package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/declared"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/suite/claims"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/words"
)

func showCommand(flags *pflag.FlagSet) runner {
	noSource := flags.Bool("no-source", false, "leave out the lines of the reference, if you write a clean-room port")
	web := flags.Bool("web", false, "open the page of the id on the site that "+siteEnv+" names, and print its address")
	return func(ctx context.Context, io streams, c call) (conformance.Outcome, error) {
		ids := c.all()
		if len(ids) == 0 {
			return conformance.Usage, usagef("say what: the id of a case, a clause, a claim or a detector")
		}
		all, err := suiteHeads()
		if err != nil {
			return conformance.SuiteFault, err
		}
		if *web {
			return showWeb(ctx, io, all, ids)
		}
		return showText(io, all, ids, *noSource)
	}
}

// entry is something that has an id.
type entry struct {
	show func(io.Writer)
	page string // the path of its page of the site; empty where it has none
}

// profileEntry returns the profile of a name, or a case that a port of a profile is asked.
func profileEntry(id, name string) (entry, error) {
	p, err := profile.ByName(name)
	if err == nil {
		return entry{func(w io.Writer) { showProfile(w, p) }, "profile/" + p.Name}, nil
	}
	asked, broken := withProfiles(nil, []string{id})
	if broken != nil {
		return entry{}, broken
	}
	if c, ok := caseOf(asked, id); ok {
		return entry{show: func(w io.Writer) { showCase(w, c) }}, nil
	}
	return entry{}, usageError{err}
}

func showText(io streams, all []cases.Case, ids []string, noSource bool) (conformance.Outcome, error) {
	for i, id := range ids {
		if i > 0 {
			fmt.Fprintln(io.out)
		}
		found, err := entryOf(all, id, noSource)
		if err != nil {
			return faultOf(err), err
		}
		if found.show == nil {
			return conformance.Usage, usagef("nothing has the id %q; %s", id, meantID(id))
		}
		found.show(io.out)
	}
	return conformance.Conformant, nil
}

// spelled returns an id as it is spelled, of which capitals and small letters may have been mixed up.
func spelled(id string) string {
	for _, known := range anyID(nil, "") {
		if strings.EqualFold(known, id) {
			return known
		}
	}
	return id
}

// meantID says which id was meant. Clauses are numbers, all of which are near one another: of these it names the last.
func meantID(id string) string {
	if last, ok := spec.LastClause(id); ok {
		return "the last clause of those is " + last.ID
	}
	if meant, ok := words.Nearest(id, anyID(nil, "")); ok {
		return fmt.Sprintf("did you mean %q?", meant)
	}
	documents, _ := claims.Documents() // they are built in
	for _, d := range documents {
		if name, _, _ := strings.Cut(id, "#"); strings.EqualFold(name, d.ID) {
			return fmt.Sprintf("%s is a document, %q: loopstone list claims has what it says", d.ID, d.Title)
		}
	}
	return "loopstone list cases, list clauses and list claims have the ids"
}

// entryOf returns whatever has the id, or an empty entry where nothing has. Its error is that of a profile that there
// is not, or of a suite that cannot be read.
func entryOf(all []cases.Case, id string, noSource bool) (entry, error) {
	if name, is := strings.CutPrefix(id, "@"); is {
		return profileEntry(id, name)
	}
	found, err := entryOfID(all, id, noSource)
	if err != nil || found.show != nil {
		return found, err
	}
	return entryOfID(all, spelled(id), noSource)
}

// entryOfID returns what has the id as it is spelled, or an empty entry.
func entryOfID(all []cases.Case, id string, noSource bool) (entry, error) {
	if clause, ok := spec.ClauseByID(id); ok {
		return entry{func(w io.Writer) { showClause(w, all, clause, noSource) }, "c/" + id}, nil
	}
	if definition, ok := spec.DefinitionOf(spec.DetectorID(id)); ok {
		return entry{func(w io.Writer) { showDetector(w, definition) }, "detector/" + id}, nil
	}
	if c, ok, err := cases.ByID(id); err != nil {
		return entry{}, suiteError{err}
	} else if ok {
		return entry{func(w io.Writer) { showCase(w, c) }, "case/" + id}, nil
	}
	if c, ok := caseOf(fuzz.Cases(), id); ok {
		return entry{show: func(w io.Writer) { showCase(w, c) }}, nil
	}
	if c, ok := claims.ByID(id); ok {
		show := func(w io.Writer) { showClaim(w, all, c) }
		return entry{show, "claims/" + c.Document() + "#" + strings.ToLower(id)}, nil
	}
	if law, ok := laws.LawByID(id); ok {
		return entry{show: func(w io.Writer) { showLaw(w, law) }}, nil
	}
	return entry{}, nil
}

func caseOf(suite []cases.Case, id string) (cases.Case, bool) {
	i := slices.IndexFunc(suite, func(c cases.Case) bool { return c.ID == id })
	if i < 0 {
		return cases.Case{}, false
	}
	return suite[i], true
}

func showClause(w io.Writer, all []cases.Case, c spec.Clause, noSource bool) {
	fmt.Fprintf(w, "%s %s, %s, %s", c.ID, c.Level, c.Mark, c.Source)
	if len(c.Readings) > 0 {
		fmt.Fprintf(w, ", %s reading", words.Join(c.Readings, "/"))
	}
	fmt.Fprintf(w, "\n  %s\n", c.Text)
	if c.Literal != "" {
		fmt.Fprintf(w, "%s\n", indent(c.Literal))
	}
	fmt.Fprintf(w, "  spec/clauses/%s:%d\n", c.File, c.Line)
	for _, claim := range claims.OfClause(c.ID) {
		fmt.Fprintf(w, "  %s claims: %s (%s)\n", claim.ID, claim.Text, claim.Summary())
	}
	if !noSource {
		showPassages(w, c)
	}
	for _, each := range all {
		if slices.Contains(each.Clauses, c.ID) {
			fmt.Fprintf(w, "  %s  %s\n", each.ID, each.Title)
		}
	}
}

// showPassages prints the lines of the reference that carry the clause's id.
func showPassages(w io.Writer, c spec.Clause) {
	for _, p := range reference.Passages(c.ID) {
		if strings.HasPrefix(p.File, "reference/fast/") {
			fmt.Fprintf(w, "  %s:%d does the same event by event\n", p.File, p.Line)
			continue
		}
		fmt.Fprintf(w, "  %s:%d\n%s\n", p.File, p.Line, indent(p.Code))
	}
}

func showDetector(w io.Writer, p spec.Definition) {
	fmt.Fprintf(w, "%s: %s\n  documents  %s\n  readings   %s\n  features   %s\n", p.ID, p.Title,
		strings.Join(p.Documents, " "), words.Join(p.Readings, " "), words.Join(p.Features, " "))
	for _, c := range spec.Clauses() {
		if strings.HasPrefix(c.ID, p.Prefix+"-") {
			fmt.Fprintf(w, "  %-6s %s\n", c.ID, c.Text)
		}
	}
}

func showCase(w io.Writer, c cases.Case) {
	place := fmt.Sprintf("cases/%s:%d", c.Place.File, c.Place.Line)
	if strings.HasPrefix(c.Place.File, "spec/") { // the rules of a profile
		place = fmt.Sprintf("%s:%d", c.Place.File, c.Place.Line)
	}
	if c.IsLaw() {
		place = "on generated traces and on those of the cases; loopstone list laws"
	}
	fmt.Fprintf(w, "%s  %s\n  %s\n", c.ID, c.Title, place)
	for _, id := range c.Clauses {
		clause, _ := spec.ClauseByID(id) // the loader refuses unknown clauses
		fmt.Fprintf(w, "  %-9s%s: %s\n", "clause", id, clause.Text)
	}
	field := func(name, text string) {
		if text != "" {
			fmt.Fprintf(w, "  %-9s%s\n", name, text)
		}
	}
	field("source", c.Source)
	field("readings", words.Join(c.Readings, " "))
	needs := declared.NeedsOf(c)
	field("needs", words.Join(c.Needs, " "))
	field("rules", words.Join(needs.Rules, " "))
	field("settings", words.Join(needs.Settings, " "))
	field("members", words.Join(needs.Members, " "))
	field("tags", strings.Join(c.Tags, " "))
	field("why", c.Why)
	demand := c.Demand()
	for _, name := range []string{"config", "refuse", "call", "result", "fault"} {
		if v := demand.Get(name); !v.IsAbsent() {
			field(name, v.String())
		}
	}
	for _, name := range []string{"steps", "exchange"} {
		for i, step := range demand.Get(name).Items() {
			field(fmt.Sprintf("%s %d", strings.TrimSuffix(name, "s"), i+1), step.String())
		}
	}
}

func showClaim(w io.Writer, all []cases.Case, c claims.Claim) {
	fmt.Fprintf(w, "%s %s of %s\n  %s\n  spec/claims/%s:%d\n", c.ID, c.Kind, c.Source(), c.Text, c.Place.File,
		c.Place.Line)
	fmt.Fprintf(w, "  %-9s %s\n", "detectors", words.Join(c.Detectors, " "))
	if len(c.Clauses) > 0 {
		fmt.Fprintf(w, "  %-9s %s\n", "clauses", strings.Join(c.Clauses, " "))
	}
	for _, f := range c.Findings {
		showFinding(w, all, f)
	}
}

func showFinding(w io.Writer, all []cases.Case, f claims.Finding) {
	fmt.Fprintf(w, "  %-9s %s", f.Reading, f.Status)
	if f.Reason != "" {
		fmt.Fprintf(w, ": %s", f.Reason)
	}
	fmt.Fprintln(w)
	if f.Says != nil {
		fmt.Fprintf(w, "    if the claim is true, %s\n", demandOf(f))
	}
	for _, id := range f.Cases {
		c, _ := caseOf(all, id) // the ledger's own check refuses one that there is not
		fmt.Fprintf(w, "    %s  %s\n", id, c.Title)
	}
	if f.Contrast != "" {
		fmt.Fprintf(w, "    the same trace in the other reading: %s\n", f.Contrast)
	}
}

// demandOf says what the first case of a finding expects where the claim holds.
func demandOf(f claims.Finding) string {
	if f.Says.Step == 0 {
		return fmt.Sprintf("%s returns %s", f.Cases[0], f.Says.Result)
	}
	return fmt.Sprintf("step %d of %s expects %s", f.Says.Step, f.Cases[0], f.Says.Expect)
}

// showLaw prints a law with the proof of its exceptions.
func showLaw(w io.Writer, law laws.Law) {
	fmt.Fprintf(w, "%s: %s\n  why  %s\n", law.ID, law.Sentence, law.Why)
	for _, e := range law.Exceptions {
		fmt.Fprintf(w, "  does not hold for %s (%s): %s\n    %s\n", e.Detector, e.Reading, e.Why,
			fuzz.Subject{Trace: e.Counterexample}.Value())
	}
}

// showProfile prints what a profile says of its detector, and its rules as a configuration has them.
func showProfile(w io.Writer, p profile.Profile) {
	fmt.Fprintf(w, "@%s: %s\n  source   %s\n  licence  %s\n", p.Name, p.Title, p.Source, p.Licence)
	for _, text := range p.Covers {
		fmt.Fprintf(w, "  covers   %s\n", text)
	}
	for _, text := range p.Lacks {
		fmt.Fprintf(w, "  lacks    %s\n", text)
	}
	if p.Beyond != "" {
		fmt.Fprintf(w, "  beyond   %s\n", p.Beyond)
	}
	for _, m := range p.Events {
		fmt.Fprintf(w, "  event    %s: %s\n", m.Type, m.Original)
	}
	fmt.Fprintf(w,
		"  port     one that declares the detector @%s is held to these rules: loopstone list cases --detector @%s\n",
		p.Name, p.Name)
	settings, _ := p.Settings()
	fmt.Fprint(w, settings)
}

// showWeb prints the addresses of the pages of some ids, and opens them in the browser. The addresses are all that
// somebody has who has no browser here, so that one that does not start is a warning.
func showWeb(ctx context.Context, io streams, all []cases.Case, ids []string) (conformance.Outcome, error) {
	var pages []string
	for _, id := range ids {
		found, err := entryOf(all, id, false)
		if err != nil {
			return faultOf(err), err
		}
		if found.page == "" {
			id = spelled(id)
			return conformance.Usage, usagef("nothing with a page has the id %q; %s", id, meantID(id))
		}
		pages = append(pages, cmp.Or(siteBase(), usualSite)+found.page)
	}
	for _, page := range pages {
		fmt.Fprintln(io.out, page)
		if err := openPage(ctx, page); err != nil {
			fmt.Fprintf(io.err, "warning: the browser was not opened: %v\n", err)
		}
	}
	return conformance.Conformant, nil
}

// openPage opens an address with the program that the variable BROWSER names, else with that of the system.
func openPage(ctx context.Context, address string) error {
	command := []string{"xdg-open"}
	switch named := os.Getenv("BROWSER"); {
	case named != "":
		command = []string{named}
	case runtime.GOOS == "darwin":
		command = []string{"open"}
	case runtime.GOOS == "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	return exec.CommandContext(ctx, command[0], append(command[1:], address)...).Run()
}
