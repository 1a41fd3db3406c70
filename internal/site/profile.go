package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/words"
)

// longestRung bounds the events of a trace that makes a rung speak; a longer one is told, not drawn.
const longestRung = 40

// profilePage shows a detector of the field: where it stands, what its configuration says, and what makes it speak.
func (s *site) profilePage(ctx context.Context, p profile.Profile) (string, error) {
	var b strings.Builder
	b.WriteString(front("@" + p.Name))
	fmt.Fprintf(&b, "# @%s\n\n%s. It is a configuration of %s.\n\n", p.Name, prose(p.Title), detectorLink(p.ID().Row()))
	fmt.Fprintf(&b, "- Source: [%s](https://github.com/%s), `%s` at `%s`\n", p.Source.Repository, p.Source.Repository,
		p.Source.Path, p.Source.Commit)
	fmt.Fprintf(&b, "- Licence: %s\n- File: %s\n\n", prose(p.Licence), source("spec/profiles/"+p.Name+".yaml", 1))
	b.WriteString("[Compare it with the other profiles](/docs/field)\n\n")
	writeList(&b, "What it covers", p.Covers)
	writeList(&b, "What it lacks", words.By(p.Lacks, profile.Gap.String))
	writeList(&b, "Its events in the original", words.By(p.Events, func(m profile.Mapped) string {
		return string(m.Type) + ": " + m.Original
	}))
	if err := writeRungs(ctx, &b, p); err != nil {
		return "", err
	}
	b.WriteString("## The profile\n\n" + fenced("yaml", p.Text) + "\n")
	b.WriteString(whys(s.casesWith(p)))
	return b.String(), nil
}

func writeList(b *strings.Builder, title string, sentences []string) {
	if len(sentences) == 0 {
		return
	}
	fmt.Fprintf(b, "## %s\n\n", title)
	for _, sentence := range sentences {
		fmt.Fprintf(b, "- %s\n", prose(sentence))
	}
	b.WriteString("\n")
}

// writeRungs shows for each rung a trace after which it speaks, and one that lacks an event and is no loop.
func writeRungs(ctx context.Context, b *strings.Builder, p profile.Profile) error {
	answers, err := profile.Witnesses(ctx, p.ID(), p.Config())
	if err != nil {
		return fmt.Errorf("look for what makes @%s speak: %w", p.Name, err)
	}
	for _, a := range answers {
		title := "Rule " + tag(a.Rule)
		if a.Rung != "" {
			title += ", rung " + tag(a.Rung)
		}
		fmt.Fprintf(b, "## %s\n\n", title)
		if len(a.Trace) == 0 {
			return fmt.Errorf("no trace is known for the %s of @%s", a, p.Name)
		}
		t := trace{detector: p.ID().Row(), reading: spec.Code, config: p.Config(), events: a.Trace, profile: p.Name}
		fires, err := t.judged(ctx)
		if err != nil {
			return fmt.Errorf("judge a trace by @%s: %w", p.Name, err)
		}
		writeRung(ctx, b, fires, a)
	}
	return nil
}

func writeRung(ctx context.Context, b *strings.Builder, fires trace, a profile.Witness) {
	fmt.Fprintf(b, "It reports a loop after %d events. [Try it in the playground](%s)\n\n", len(fires.events),
		fires.link())
	if len(fires.events) > longestRung {
		return
	}
	which := "the rule " + a.Rule
	if a.Rung != "" {
		which = "rung " + a.Rung + " of " + which
	}
	b.WriteString(fires.picture("After the last event, "+which+" reports a loop") + "\n")
	if quiet, without, ok := fires.quiet(ctx); ok {
		b.WriteString(quiet.picture(fmt.Sprintf("Without event %d, %s reports no loop", without+1, which)) + "\n")
	}
}

// casesWith lists the cases that run on the configuration of a profile.
func (s *site) casesWith(p profile.Profile) []cases.Case {
	return slices.DeleteFunc(slices.Clone(s.suite), func(c cases.Case) bool {
		return c.Detector != p.ID().Row() || c.Config.Canonical() != p.Config().Canonical()
	})
}

// profileLink links to the page of a profile.
func profileLink(p profile.Profile) string { return fmt.Sprintf("[@%s](/profile/%s)", p.Name, p.Name) }

// profilesData returns what the site's scripts know of profiles.
func (s *site) profilesData() spec.Value {
	var all []spec.Value
	for _, p := range s.profiles {
		all = append(all, spec.ObjectValue(
			spec.Member{Name: "id", Value: spec.StringValue(p.Name)},
			spec.Member{Name: "title", Value: spec.StringValue(p.Title)},
			spec.Member{Name: "detector", Value: spec.StringValue(string(p.ID().Row()))},
			spec.Member{Name: "config", Value: p.Config()},
		))
	}
	return spec.ArrayValue(all...)
}

// profileTable lists the profiles that configure one of the detectors.
func (s *site) profileTable(detectors ...spec.DetectorID) string {
	var b strings.Builder
	b.WriteString("| profile | what it looks for |\n|---|---|\n")
	for _, p := range s.profiles {
		if !slices.Contains(detectors, p.ID().Row()) {
			continue
		}
		fmt.Fprintf(&b, "| %s | %s |\n", profileLink(p), cell(p.Title))
	}
	return b.String() + "\n"
}
