package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/loopstone/loopstone"
	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/docs"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/internal/suite/published"
	"github.com/loopstone/loopstone/internal/suite/sourceclaims"
	"github.com/loopstone/loopstone/spec"
)

// repository is where the files are that have no page.
const repository = "https://github.com/loopstone/loopstone/blob/main/"

// site is what pages are made of, and those that were made.
type site struct {
	suite     []cases.Case
	documents []sourceclaims.Document
	profiles  []profile.Profile
	ports     []implementation
	rules     map[spec.VerdictKind]*shown
	history   map[string]published.History // of clauses, by id
	templates *template.Template
	pages     map[string]string // by path
}

func histories() (map[string]published.History, error) {
	all := map[string]published.History{}
	for _, c := range spec.Clauses() {
		h, err := published.HistoryOf(c, loopstone.ChangeLog)
		if err != nil {
			return nil, fmt.Errorf("write the history of %s: %w", c.ID, err)
		}
		all[c.ID] = h
	}
	return all, nil
}

// writePages writes all pages into a folder, which it empties first, with the file data.json that the site's scripts
// read. The reports of implementations are in folders, too.
func writePages(ctx context.Context, folder string, reports []string) error {
	pages, err := pagesOf(ctx, reports)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(folder); err != nil {
		return fmt.Errorf("empty the folder of pages: %w", err)
	}
	for name, text := range pages {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("write pages: %w", err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return fmt.Errorf("write pages: %w", err)
		}
	}
	return nil
}

// read returns the site with all that its pages are made of, and no page.
func read(ctx context.Context) (*site, error) {
	suite, err := cases.All()
	if err != nil {
		return nil, fmt.Errorf("read the suite: %w", err)
	}
	documents, err := sourceclaims.Documents()
	if err != nil {
		return nil, fmt.Errorf("read the claims: %w", err)
	}
	profiles, err := profile.All()
	if err != nil {
		return nil, fmt.Errorf("read the profiles: %w", err)
	}
	s := &site{suite: suite, documents: documents, profiles: profiles, pages: map[string]string{}}
	if s.rules, err = rulesOf(ctx, suite); err != nil {
		return nil, err
	}
	if s.history, err = histories(); err != nil {
		return nil, err
	}
	return s, s.parse()
}

// pagesOf returns every file of the folder by its path.
func pagesOf(ctx context.Context, reports []string) (map[string]string, error) {
	s, err := read(ctx)
	if err != nil {
		return nil, err
	}
	if s.ports, err = implementations(reports); err != nil {
		return nil, err
	}
	add := func(name, template string, about any) {
		var problem error
		s.pages[name], problem = s.page(template, about)
		err = errors.Join(err, problem)
	}
	add("index.md", "home", nil)
	add("playground.md", "playground", nil)
	add("implementations.md", "implementations", s.matrix())
	for _, c := range spec.Clauses() {
		add("c/"+c.ID+".md", "clause", c)
	}
	for _, c := range s.suite {
		add("case/"+c.ID+".md", "case", c)
	}
	for _, d := range spec.Detectors() {
		add("detector/"+string(d.ID)+".md", "detector", d)
	}
	for _, d := range s.documents {
		add("claims/"+d.ID+".md", "claims", d)
	}
	for _, p := range s.profiles {
		add("profile/"+p.Name+".md", "profile", p)
	}
	for _, i := range s.ports {
		s.pages["public/statement/"+i.File()] = i.text
	}
	data, dataErr := s.data()
	s.pages["data.json"] = data
	return s.pages, errors.Join(err, dataErr, s.pictures(), s.clauseFiles(), s.guides())
}

// pictures copies the pictures of the first page, for light and for dark pages, and that of a guide.
func (s *site) pictures() error {
	for _, name := range []string{"demo-light.svg", "demo-dark.svg", "dev/best-light.svg"} {
		picture, err := docs.Pictures.ReadFile(name)
		if err != nil {
			return fmt.Errorf("read a picture: %w", err)
		}
		s.pages["public/"+path.Base(name)] = string(picture)
	}
	return nil
}

// clauseFiles makes a page of each clause file, in which every clause leads to its own.
func (s *site) clauseFiles() error {
	return eachMarkdown(spec.ClauseFiles(), func(name, text string) {
		lines := strings.Split(text, "\n")
		for i, line := range lines {
			id, rest, _ := strings.Cut(strings.TrimPrefix(line, "**"), "**")
			if _, ok := spec.ClauseByID(id); ok && strings.HasPrefix(line, "**") {
				lines[i] = fmt.Sprintf("**[%s](/c/%s)**%s", id, id, rest)
			}
		}
		s.pages["spec/"+name] = guide("spec/clauses/"+name, strings.Join(lines, "\n"))
	})
}

func eachMarkdown(files fs.FS, give func(name, text string)) error {
	names, err := fs.Glob(files, "*.md")
	deeper, deeperErr := fs.Glob(files, "*/*.md")
	names, err = append(names, deeper...), errors.Join(err, deeperErr)
	if err != nil || len(names) == 0 {
		return cmp.Or(err, errors.New("no Markdown files"))
	}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return fmt.Errorf("read a guide: %w", err)
		}
		give(name, string(text))
	}
	return nil
}
