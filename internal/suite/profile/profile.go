// Package profile reads the profiles, the files in spec/profiles: detectors that real agents run, each written down as
// a configuration of the detector composed or stream, with its source and with what the configuration cannot say.
//
// A profile also names the types of events that its rules look at ([Mapped]). What the configuration cannot say is a
// [Gap]; it may name the traces, or the law, that show it, and no port of the profile is asked these. The package
// rulecases makes the cases that a port of a profile is asked.
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

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/userfiles"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
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
	Text    string            // the file

	config spec.Value
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

// ID returns the profile's name as that of a detector.
func (p Profile) ID() spec.DetectorID { return spec.DetectorID("@" + p.Name) }

// Config returns the configuration that the profile is, of the detector that [spec.DetectorID.Row] names.
func (p Profile) Config() spec.Value { return p.config }

// Rules returns the rules of the configuration: objects of composed, names of stream.
func (p Profile) Rules() []spec.Value { return p.config.Get("rules").Items() }

// Definition returns the profile as a detector, with the kinds of loop that its rules know.
func (p Profile) Definition() spec.Definition {
	base, _ := spec.DefinitionOf(p.ID().Row())
	kinds := base.Asked(p.config)
	row, _ := spec.DefinitionOf(p.ID())
	row.Rules = lists.Filter(row.Rules, func(r spec.Rule) bool { return slices.Contains(kinds, r.Kind) })
	return row
}

// Offer returns the profile as a detector that a port declares.
func (p Profile) Offer() spec.Offer {
	offer := p.Definition().Offer()
	offer.Fixed = p.config
	return offer
}

// All returns the built-in profiles, by name. Its error names every problem of every file.
func All() ([]Profile, error) { return builtIn() }

var builtIn = sync.OnceValues(func() ([]Profile, error) { return ReadAll(spec.ProfileFiles()) })

// ReadAll reads the profiles at the top of a file system; none is an error.
func ReadAll(files fs.FS) ([]Profile, error) {
	all, err := strictyaml.Files(files, Parse)
	if err == nil && len(all) == 0 {
		err = errors.New("there are no profiles (*.yaml)")
	}
	slices.SortFunc(all, byName)
	return all, err
}

func byName(a, b Profile) int { return strings.Compare(a.Name, b.Name) }

// Parse reads one profile; the file is named after it. The profile has rules of composed, or a whole configuration of
// stream. One that the detector refuses is a problem, with its place.
func Parse(file string, text []byte) (Profile, error) {
	p := Profile{Text: string(text)}
	node, err := strictyaml.Parse(file, text)
	if err != nil {
		return p, err
	}
	want := strings.TrimSuffix(path.Base(file), ".yaml")
	settings := Profile{Name: want}.settings()
	if err := p.read(node, settings); err != nil {
		return p, err
	}
	if p.Name != want {
		return p, node.Get("profile").Problemf("the profile %q: want %q, the name of the file", p.Name, want)
	}
	if settings == "rules" {
		p.config = spec.ObjectValue(spec.Member{Name: "rules", Value: p.config})
	}
	if err := CheckConfig(p.ID(), p.config); err != nil {
		return p, node.Get(settings).Problemf("%v", err)
	}
	if err := p.mapEvents(node.Get("events")); err != nil {
		return p, err
	}
	for rule := range p.Effects {
		isIt := func(r spec.Value) bool { return r.Get("name").Equal(spec.StringValue(rule)) }
		if !slices.ContainsFunc(p.Rules(), isIt) {
			return p, node.Get("effects").Problemf("effects: no rule is named %s", rule)
		}
	}
	return p, nil
}

// read reads the members of the file; settings is the one that says what the detector is configured with.
func (p *Profile) read(node *strictyaml.Node, settings string) error {
	return node.Read(map[string]strictyaml.Reader{
		"profile": strictyaml.Str(&p.Name), "title": strictyaml.Str(&p.Title), "licence": strictyaml.Str(&p.Licence),
		"source": func(n *strictyaml.Node) error {
			return n.Read(map[string]strictyaml.Reader{
				"repository": strictyaml.Str(&p.Source.Repository), "commit": strictyaml.Str(&p.Source.Commit),
				"path": strictyaml.Str(&p.Source.Path),
			}, "repository", "commit", "path")
		},
		"covers": strictyaml.Strs(&p.Covers), "lacks": strictyaml.Each(&p.Lacks, readGap),
		"beyond": strictyaml.Str(&p.Beyond), "events": p.readEvents, settings: strictyaml.Any(&p.config),
		"effects": p.readEffects,
	}, "profile", "title", "source", "licence", "covers", "events", settings)
}

// settings names the member of the file that says what the detector is configured with.
func (p Profile) settings() string {
	if p.ID().Row() == spec.Composed {
		return "rules"
	}
	return "config"
}

// Settings returns the text of the file from the member on that says what the detector is configured with, and its
// line.
func (p Profile) Settings() (text string, line int) {
	head, rest, _ := strings.Cut(p.Text, "\n"+p.settings()+":") // the reader has seen that it is there
	return p.settings() + ":" + rest, strings.Count(head, "\n") + 2
}

// CheckConfig returns why the detector that a profile of an id configures refuses a configuration, nil if it takes it.
func CheckConfig(id spec.DetectorID, config spec.Value) error {
	_, err := reference.Port().Open(context.Background(), id.Row(), spec.Code, config)
	return err
}

func (p *Profile) readEffects(n *strictyaml.Node) error {
	p.Effects = map[string]Effect{}
	for _, m := range n.Value().Members() {
		effect := Effect(m.Value.Text())
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
	names := lists.Map(all, Profile.ID)
	id := Profile{Name: name}.ID()
	if i := slices.Index(names, id); i >= 0 {
		return all[i], nil
	}
	if ofStream := id + "-" + spec.Stream; slices.Contains(names, ofStream) {
		return Profile{}, fmt.Errorf("no profile %s; did you mean %q?", id, ofStream)
	}
	return Profile{}, fmt.Errorf("no profile %s; %s", id, wording.Hint(id, names))
}

// IsName reports whether a word names profiles: it begins with @.
func IsName(word string) bool { return strings.HasPrefix(word, "@") }

// Named returns the built-in profiles that words name, each once and in their order by name. "@roo" names one, and in
// "@*" the star stands for any text; other words are left to others. A name that is that of none is an error.
func Named(words []string) ([]Profile, error) {
	if words = lists.Filter(words, IsName); words == nil {
		return nil, nil
	}
	all, err := All()
	if err != nil {
		return nil, err
	}
	var list []Profile
	for _, word := range words {
		if _, err := path.Match(word[1:], ""); err != nil {
			return nil, fmt.Errorf("%s: %w", word, err)
		}
		named := lists.Filter(all, func(p Profile) bool {
			matches, _ := path.Match(word[1:], p.Name)
			return matches
		})
		if named == nil {
			_, err := ByName(word[1:])
			return nil, err
		}
		list = append(list, named...)
	}
	slices.SortFunc(list, byName)
	return slices.CompactFunc(list, func(a, b Profile) bool { return a.Name == b.Name }), nil
}

// IsBuiltIn reports whether a word names built-in profiles.
func IsBuiltIn(word string) bool {
	list, err := Named([]string{word})
	return err == nil && len(list) > 0
}

// Config returns the configuration that somebody names: @name for a profile, a JSON object for itself, else the path of
// a YAML or JSON file that holds one, or a whole profile.
func Config(ctx context.Context, named string) (spec.Value, error) {
	if IsObject(named) {
		return spec.ParseValue([]byte(named))
	}
	if name, is := strings.CutPrefix(named, "@"); is {
		p, err := ByName(name)
		return p.Config(), err
	}
	text, err := userfiles.Read(ctx, named, userfiles.MostText)
	if err != nil {
		return spec.Value{}, fmt.Errorf("read a configuration: %w", err)
	}
	if v, err := spec.ParseValue(text); err == nil {
		return configured(v), nil
	}
	node, err := strictyaml.Parse(named, text)
	if err != nil {
		return spec.Value{}, userfiles.Wrong(err)
	}
	return configured(node.Value()), nil
}

// configured returns the configuration that a file holds: of a whole profile, as loopstone export writes it, what it
// configures its detector with.
func configured(file spec.Value) spec.Value {
	switch {
	case file.Get("profile").Kind() != spec.String:
		return file
	case file.Get("config").Kind() == spec.Object:
		return file.Get("config")
	default:
		return spec.ObjectValue(spec.Member{Name: "rules", Value: file.Get("rules")})
	}
}

// IsFile reports whether [Config] takes a text for the name of a file.
func IsFile(named string) bool { return named != "" && !IsObject(named) && !IsName(named) }

// IsObject reports whether [Config] takes a text for a configuration itself, not for a name.
func IsObject(named string) bool { return strings.HasPrefix(named, "{") }
