package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/declared"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/internal/suite/sourceclaims"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

func showCommand(flags *pflag.FlagSet) runner {
	noSource := flags.Bool("no-source", false, "leave out the lines of the reference, if you write a clean-room port")
	web := flags.Bool("web", false, "open the page of the id on the site that "+siteEnv+" names, and print its address")
	return func(ctx context.Context, std streams, c call) (conformance.Outcome, error) {
		ids := c.all()
		if len(ids) == 0 && !*web {
			showContents(sheetOf(std))
			return conformance.Conformant, nil
		}
		if len(ids) == 0 {
			return conformance.Usage, usagef("name what has a page: a clause, a case, a detector, a claim or a @profile")
		}
		all, err := builtInSuite()
		if err != nil {
			return conformance.SuiteFault, err
		}
		if *web {
			return showWeb(ctx, std, all, ids)
		}
		return showText(std, all, ids, *noSource)
	}
}

// entry is something that has an id.
type entry struct {
	show func(sheet)
	page string // the path of its page of the site; empty where it has none
}

// profileEntry returns the profile of a name, or a case that a port of a profile is asked.
func profileEntry(all []cases.Case, id, name string) (entry, error) {
	p, err := profile.ByName(name)
	if err == nil {
		return entry{func(s sheet) { showProfile(s, p) }, "profile/" + p.Name}, nil
	}
	asked, broken := withProfiles(all, []string{id})
	if broken != nil {
		return entry{}, broken
	}
	if c, ok := caseOf(asked, id); ok {
		return entry{show: func(s sheet) { showCase(s, c) }}, nil
	}
	return entry{}, usageError{err}
}

func showText(std streams, all []cases.Case, ids []string, noSource bool) (conformance.Outcome, error) {
	for i, id := range ids {
		if i > 0 {
			fmt.Fprintln(std.out)
		}
		found, err := entryOf(all, id, noSource)
		if err != nil {
			return faultOf(err), err
		}
		if found.show == nil {
			return conformance.Usage, usagef("nothing has the id %q; %s", id, meantID(id))
		}
		found.show(sheetOf(std))
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
	if meant, ok := wording.Nearest(id, anyID(nil, "")); ok {
		return fmt.Sprintf("did you mean %q?", meant)
	}
	name, _, _ := strings.Cut(id, "#")
	if d, ok := documentOf(name); ok {
		return fmt.Sprintf("%s is a document, %q: loopstone show %s has what it says", d.ID, d.Title, d.ID)
	}
	return "loopstone list cases, list clauses and list claims have the ids"
}

// entryOf returns whatever has the id, or an empty entry where nothing has. Its error is that of a profile that there
// is not.
func entryOf(all []cases.Case, id string, noSource bool) (entry, error) {
	if name, is := strings.CutPrefix(id, "@"); is {
		return profileEntry(all, id, name)
	}
	found := entryOfID(all, id, noSource)
	if found.show == nil {
		found = entryOfID(all, spelled(id), noSource)
	}
	return found, nil
}

// entryOfID returns what has the id as it is spelled, or an empty entry.
func entryOfID(all []cases.Case, id string, noSource bool) entry {
	if id == string(cases.Protocol) {
		return entry{showProtocol, "spec/protocol"}
	}
	if clause, ok := spec.ClauseByID(id); ok {
		return entry{func(s sheet) { showClause(s, all, clause, noSource) }, "c/" + id}
	}
	if definition, ok := spec.DefinitionOf(spec.DetectorID(id)); ok {
		return entry{func(s sheet) { showDetector(s, definition) }, "detector/" + id}
	}
	if d, ok := documentOf(id); ok {
		return entry{func(s sheet) { showDocument(s, d) }, "claims/" + id}
	}
	if c, ok := caseOf(all, id); ok {
		return entry{func(s sheet) { showCase(s, c) }, "case/" + id}
	}
	if c, ok := caseOf(fuzz.Cases(), id); ok {
		return entry{show: func(s sheet) { showCase(s, c) }}
	}
	if c, ok := sourceclaims.ByID(id); ok {
		show := func(s sheet) { showClaim(s, all, c) }
		return entry{show, "claims/" + c.Document() + "#" + strings.ToLower(id)}
	}
	if law, ok := laws.LawByID(id); ok {
		return entry{show: func(s sheet) { showLaw(s, law) }}
	}
	return entry{}
}

func caseOf(suite []cases.Case, id string) (cases.Case, bool) {
	return lists.Find(suite, func(c cases.Case) bool { return c.ID == id })
}

// placeOf says where a case is written, or what stands in its place.
func placeOf(c cases.Case) string {
	switch {
	case c.IsLaw():
		return "on generated traces and on those of the cases; loopstone list laws"
	case strings.HasPrefix(c.Place.File, "spec/"): // the rules of a profile
		return fmt.Sprintf("%s:%d", c.Place.File, c.Place.Line)
	default:
		return fmt.Sprintf("cases/%s:%d", c.Place.File, c.Place.Line)
	}
}

func showCase(s sheet, c cases.Case) {
	fmt.Fprintf(s, "%s  %s\n  %s\n", s.strong(c.ID), c.Title, placeOf(c))
	for _, id := range c.Clauses {
		clause, _ := spec.ClauseByID(id) // the loader refuses unknown clauses
		s.text(fmt.Sprintf("  %-9s", "clause"), id+": "+clause.Text)
	}
	field := func(name, text string) {
		if text != "" {
			fmt.Fprintf(s, "  %-9s%s\n", name, text)
		}
	}
	field("source", c.Source)
	field("readings", wording.Join(c.Readings, " "))
	needs := declared.NeedsOf(c.Halves())
	field("needs", wording.Join(c.Needs, " "))
	field("rules", wording.Join(needs.Rules, " "))
	field("settings", wording.Join(needs.Settings, " "))
	field("members", wording.Join(needs.Members, " "))
	field("tags", strings.Join(c.Tags, " "))
	if c.Why != "" {
		s.text("  why      ", c.Why)
	}
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

func showClaim(s sheet, all []cases.Case, c sourceclaims.Claim) {
	fmt.Fprintf(s, "%s  %s of %s\n", s.strong(c.ID), c.Kind, c.Source())
	s.text("  ", c.Text)
	fmt.Fprintf(s, "  spec/claims/%s:%d\n", c.Place.File, c.Place.Line)
	fmt.Fprintf(s, "  %-9s %s\n", "detectors", wording.Join(c.Detectors, " "))
	if len(c.Clauses) > 0 {
		fmt.Fprintf(s, "  %-9s %s\n", "clauses", strings.Join(c.Clauses, " "))
	}
	for _, f := range c.Findings {
		showFinding(s, all, f)
	}
}

func showFinding(s sheet, all []cases.Case, f sourceclaims.Finding) {
	status := string(f.Status)
	if f.Reason != "" {
		status += ": " + f.Reason
	}
	s.text(fmt.Sprintf("  %-9s ", f.Reading), status)
	if f.Says != nil {
		s.text("    ", "If the claim is true, "+demandOf(f)+".")
	}
	for _, id := range f.Cases {
		c, _ := caseOf(all, id) // the ledger's own check refuses one that there is not
		fmt.Fprintf(s, "    %s\n", id)
		s.text("      ", c.Title)
	}
	if f.OtherReading != "" {
		s.text("    ", "The same trace in the other reading: "+f.OtherReading)
	}
}

// demandOf says what the first case of a finding expects where the claim holds.
func demandOf(f sourceclaims.Finding) string {
	if f.Says.Step == 0 {
		return fmt.Sprintf("%s returns %s", f.Cases[0], f.Says.Result)
	}
	return fmt.Sprintf("step %d of %s expects %s", f.Says.Step, f.Cases[0], f.Says.Expect)
}

// showLaw prints a law with the proof of its exceptions.
func showLaw(s sheet, law laws.Law) {
	fmt.Fprintf(s, "%s\n", s.strong(law.ID))
	s.text("  ", law.Sentence)
	s.text("  why  ", law.Why)
	for _, e := range law.Exceptions {
		s.text("  ", fmt.Sprintf("It does not hold for %s (%s): %s", e.Detector, e.Reading, e.Why))
		fmt.Fprintf(s, "    %s\n", fuzz.Subject{Trace: e.Counterexample}.Value())
	}
}

// showProfile prints what a profile says of its detector, and its rules as a configuration has them.
func showProfile(s sheet, p profile.Profile) {
	s.title("@" + p.Name + ": " + p.Title)
	s.text("  source   ", fmt.Sprint(p.Source))
	s.text("  licence  ", p.Licence)
	for _, text := range p.Covers {
		s.text("  covers   ", fmt.Sprint(text))
	}
	for _, text := range p.Lacks {
		s.text("  lacks    ", fmt.Sprint(text))
	}
	if p.Beyond != "" {
		s.text("  beyond   ", p.Beyond)
	}
	for _, m := range p.Events {
		s.text("  event    ", string(m.Type)+": "+m.Original)
	}
	s.text("  port     ", "one that declares the detector @"+p.Name+
		" is held to these rules: loopstone list cases --detector @"+p.Name)
	settings, _ := p.Settings()
	fmt.Fprint(s, settings)
}

// showWeb prints the addresses of the pages of some ids, and opens them in the browser. The addresses are all that
// somebody has who has no browser here, so that one that does not start is a warning.
func showWeb(ctx context.Context, std streams, all []cases.Case, ids []string) (conformance.Outcome, error) {
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
		fmt.Fprintln(std.out, page)
		if err := openPage(ctx, page); err != nil {
			fmt.Fprintf(std.err, "warning: the browser was not opened: %v\n", err)
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
