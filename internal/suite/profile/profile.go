// Package profile holds the profiles: detectors that real agents run, each written down as a configuration of the
// detector composed, with its source and with what the configuration cannot say. Of any configuration of composed,
// [Witnesses] says what makes each rung speak.
package profile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/loopstone/loopstone/internal/suite/files"
	"github.com/loopstone/loopstone/reference/fast/composed"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
	"github.com/loopstone/loopstone/spec/words"
)

// Profile is one detector of the field.
type Profile struct {
	Name    string // as in --config @name, and that of its file
	Title   string
	Source  Source
	Licence string            // of the source, and what follows from it
	Covers  []string          // what the configuration says
	Lacks   []Gap             // what it does not say as the original does it
	Events  []Mapped          // that the original looks at
	Beyond  string            // what the agent does besides, in a few words; empty where that is nothing
	Effects map[string]Effect // by rule: those whose verdicts the agent does not follow as they say
	Rules   spec.Value
	Text    string // the file
}

// Effect is what the agent makes of the verdicts of a rule.
type Effect string

// The effects. Without one, a critical verdict stops the agent, and any other tells the model.
const (
	NoEffect  Effect = "none"       // nothing comes of them
	HintFirst Effect = "hint first" // the first since the user's message only tells the model
)

// Source says where a detector stands.
type Source struct{ Repository, Commit, Path string }

// String returns the source in one line.
func (s Source) String() string { return s.Repository + " @ " + s.Commit + " " + s.Path }

// Config returns the configuration of composed that the profile is.
func (p Profile) Config() spec.Value {
	return spec.ObjectValue(spec.Member{Name: "rules", Value: p.Rules})
}

// Definition returns the profile as a detector, with the kinds of loop that its rules know.
func (p Profile) Definition() spec.Definition {
	composed, _ := spec.DefinitionOf(spec.Composed)
	kinds := composed.Asked(p.Config())
	row, _ := spec.DefinitionOf(spec.DetectorID("@" + p.Name))
	row.Rules = words.Among(row.Rules, func(r spec.Rule) bool { return slices.Contains(kinds, r.Kind) })
	return row
}

// Offer returns the profile as a detector that a port declares.
func (p Profile) Offer() spec.Offer {
	offer := p.Definition().Offer()
	offer.Fixed = p.Config()
	return offer
}

// All returns the built-in profiles, by name. Its error names every problem of every file.
func All() ([]Profile, error) { return builtIn() }

var builtIn = sync.OnceValues(func() ([]Profile, error) { return ReadAll(spec.ProfileFiles()) })

// ReadAll reads the profiles at the top of a file system; none is an error.
func ReadAll(files fs.FS) ([]Profile, error) {
	paths, err := fs.Glob(files, "*.yaml")
	if err != nil || len(paths) == 0 {
		return nil, errors.Join(err, errors.New("there are no profiles (*.yaml)"))
	}
	var all []Profile
	var problems []error
	for _, name := range paths {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		p, err := Parse(name, text)
		all, problems = append(all, p), append(problems, err)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return all, nil
}

// Parse reads one profile; the file is named after it. Rules that the detector refuses are a problem, with their place.
func Parse(file string, text []byte) (Profile, error) {
	p := Profile{Text: string(text)}
	node, err := strictyaml.Parse(file, text)
	if err != nil {
		return p, err
	}
	err = node.Read(map[string]strictyaml.Reader{
		"profile": strictyaml.Str(&p.Name), "title": strictyaml.Str(&p.Title), "licence": strictyaml.Str(&p.Licence),
		"source": func(n *strictyaml.Node) error {
			return n.Read(map[string]strictyaml.Reader{
				"repository": strictyaml.Str(&p.Source.Repository), "commit": strictyaml.Str(&p.Source.Commit),
				"path": strictyaml.Str(&p.Source.Path),
			}, "repository", "commit", "path")
		},
		"covers": strictyaml.Strs(&p.Covers), "lacks": p.readGaps, "beyond": strictyaml.Str(&p.Beyond),
		"events": p.readEvents, "rules": strictyaml.Any(&p.Rules),
		"effects": p.readEffects,
	}, "profile", "title", "source", "licence", "covers", "events", "rules")
	if err != nil {
		return p, err
	}
	if want := strings.TrimSuffix(path.Base(file), ".yaml"); p.Name != want {
		return p, node.Get("profile").Problemf("the profile %q: want %q, the name of the file", p.Name, want)
	}
	if _, err := composed.Implementation().New(spec.Code, p.Config()); err != nil {
		return p, node.Get("rules").Problemf("%v", err)
	}
	if err := p.mapEvents(node.Get("events")); err != nil {
		return p, err
	}
	for rule := range p.Effects {
		isIt := func(r spec.Value) bool { return r.Get("name").Equal(spec.StringValue(rule)) }
		if !slices.ContainsFunc(p.Rules.Items(), isIt) {
			return p, node.Get("effects").Problemf("effects: no rule is named %s", rule)
		}
	}
	return p, nil
}

func (p *Profile) readEffects(n *strictyaml.Node) error {
	p.Effects = map[string]Effect{}
	for _, m := range n.Value().Members() {
		text, _ := m.Value.Str()
		effect := Effect(text)
		if effect != NoEffect && effect != HintFirst {
			return n.Problemf("effects: %s: want %q or %q, got %s", m.Name, NoEffect, HintFirst, m.Value)
		}
		p.Effects[m.Name] = effect
	}
	return nil
}

// ByName returns the built-in profile of that name. Its error names the nearest one.
func ByName(name string) (Profile, error) {
	all, err := All()
	if err != nil {
		return Profile{}, err
	}
	names := make([]string, len(all))
	for i, p := range all {
		names[i] = "@" + p.Name
	}
	if i := slices.Index(names, "@"+name); i >= 0 {
		return all[i], nil
	}
	return Profile{}, fmt.Errorf("no profile @%s; %s", name, words.Hint("@"+name, names))
}

// IsName reports whether a word names profiles: it begins with @.
func IsName(word string) bool { return strings.HasPrefix(word, "@") }

// Named returns the built-in profiles that words name, each once and in their order by name. "@roo" names one, and in
// "@*" the star stands for any text; other words are left to others. A name that is that of none is an error.
func Named(words []string) ([]Profile, error) {
	all, err := All()
	if err != nil {
		return nil, err
	}
	chosen := make([]bool, len(all))
	for _, word := range words {
		if !IsName(word) {
			continue
		}
		found := false
		for i, p := range all {
			matched, err := path.Match(word[1:], p.Name)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", word, err)
			}
			chosen[i], found = chosen[i] || matched, found || matched
		}
		if _, err := ByName(word[1:]); !found {
			return nil, err
		}
	}
	var list []Profile
	for i, p := range all {
		if chosen[i] {
			list = append(list, p)
		}
	}
	return list, nil
}

// Config returns the configuration that somebody names: @name for a profile, else the path of a YAML or JSON file that
// holds one.
func Config(ctx context.Context, named string) (spec.Value, error) {
	if name, is := strings.CutPrefix(named, "@"); is {
		p, err := ByName(name)
		return p.Config(), err
	}
	text, err := files.Read(ctx, named, files.MostText)
	if err != nil {
		return spec.Value{}, fmt.Errorf("read a configuration: %w", err)
	}
	if v, err := spec.ParseValue(text); err == nil {
		return v, nil
	}
	node, err := strictyaml.Parse(named, text)
	if err != nil {
		return spec.Value{}, err
	}
	return node.Value(), nil
}
