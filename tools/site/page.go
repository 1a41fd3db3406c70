package main

import (
	"embed"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"text/template"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/internal/suite/published"
	"github.com/loopstone/loopstone/internal/suite/sourceclaims"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// pageFiles are the templates of the pages. What a page says stands there, and here what it may ask for.
//
//go:embed pages
var pageFiles embed.FS

// parse reads the templates, which may ask the site.
func (s *site) parse() (err error) {
	s.templates, err = template.New("").Funcs(template.FuncMap{
		// texts
		"prose": prose, "cell": cell, "tag": tag, "fenced": fenced, "front": front, "shorten": wording.Cut,
		"line": wording.Line, "join": strings.Join, "lower": strings.ToLower, "path": url.PathEscape,
		"plain": func(text string) string { return strings.ReplaceAll(text, "`", "") },
		"stem":  func(file string) string { return strings.TrimSuffix(file, ".md") },
		// links
		"clause": clauseLink, "case": s.caseLink, "detector": detectorLink, "source": source,
		"blob": func() string { return repository },
		"root": func() string { return strings.TrimSuffix(repository, "/blob/main/") },
		// what there is
		"suite":     func() []cases.Case { return s.suite },
		"documents": func() []sourceclaims.Document { return s.documents },
		"detectors": spec.Detectors, "profiles": s.profilesOf, "clausesOf": clausesOf,
		"casesOf": s.casesOf, "casesWith": s.casesWith,
		// what is known of it
		"loop": stuck, "traces": traces, "caseText": caseText, "passages": reference.Passages,
		"claims": sourceclaims.OfClause, "terms": spec.TermsOf,
		"history": func(id string) published.History { return s.history[id] },
		"rule":    s.ruleOf, "rungs": rungs, "usual": usual,
		"install": func() string { return install },
	}).ParseFS(pageFiles, "pages/*")
	return err
}

// page returns a page, filled in with what it is about.
func (s *site) page(name string, about any) (string, error) {
	var b strings.Builder
	if err := s.templates.ExecuteTemplate(&b, name+".md.tmpl", about); err != nil {
		return "", fmt.Errorf("fill in the page: %w", err)
	}
	return b.String(), nil
}

// casesOf lists the cases that cite a clause, the one that decides it first.
func (s *site) casesOf(clause string) []cases.Case {
	return cases.OfClause(s.suite, clause)
}

// casesWith lists the cases that run on the configuration of a profile.
func (s *site) casesWith(p profile.Profile) []cases.Case {
	return lists.Filter(s.suite, func(c cases.Case) bool {
		return c.Detector == p.ID().Row() && c.Config.Canonical() == p.Config().Canonical()
	})
}

// profilesOf lists the profiles that configure one of the detectors.
func (s *site) profilesOf(detectors ...spec.DetectorID) []profile.Profile {
	return lists.Filter(s.profiles, func(p profile.Profile) bool { return slices.Contains(detectors, p.ID().Row()) })
}

// clausesOf lists the clauses of a detector by their prefix; all for the empty one.
func clausesOf(prefix string) []spec.Clause {
	return lists.Filter(spec.Clauses(), func(c spec.Clause) bool {
		return prefix == "" || strings.HasPrefix(c.ID, prefix+"-")
	})
}

// usual returns a setting's default, in each reading where they differ.
func usual(d spec.Definition, p spec.Parameter) string {
	value := func(v spec.Value) string {
		if v.IsAbsent() {
			return "none"
		}
		return quoted(v.String())
	}
	if len(p.Defaults) == 0 {
		return value(p.Default)
	}
	return wording.Join(lists.Map(d.Readings, func(r spec.Reading) string {
		return fmt.Sprintf("%s in `%s`", value(p.Usual(r)), r)
	}), ", ")
}
