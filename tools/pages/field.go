package pages

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/loopstone/loopstone/internal/lab/score"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

//go:embed field.md.tmpl
var fieldText string

var fieldPage = template.Must(template.New("field").Funcs(template.FuncMap{
	"joined": joined, "counted": func(i int) int { return i + 1 },
	"thresholds": thresholds, "commit": commit,
}).Parse(fieldText))

// joined writes texts in one cell of a table.
func joined(list []string) string { return strings.ReplaceAll(strings.Join(list, "; "), "|", `\|`) }

// row is a detector as the page has it.
type row struct {
	Name     string
	Title    string          // what it looks for
	Profile  profile.Profile // that it is; without a name where it is specified from a document
	Answers  []answer        // one for each situation
	Score    score.Row       // on runs of real agents
	Reported []string        // the threads of its project's users
}

// content is what the page is made of.
type content struct {
	Rows       []row
	Profiles   []profile.Profile
	Situations []Situation
	Demands    []Demands
	Runs       int
}

// Stuck returns how many of the situations are loops.
func (c *content) Stuck() int {
	return lists.Count(c.Situations, func(s Situation) bool { return s.Stuck })
}

// Healthy returns how many are none.
func (c *content) Healthy() int { return len(c.Situations) - c.Stuck() }

// Loops and Calm return how many of the real runs have a loop, and how many have none.
func (c *content) Loops() int { return c.Rows[0].Score.Recall.Of }

// Calm is explained at [content.Loops].
func (c *content) Calm() int { return c.Rows[0].Score.FalseAlarms.Of }

// Field returns docs/dev/field.md, the detectors side by side: what they say of the situations, and what they find in
// runs of real agents. The corpus is the one of sola-st.
func Field(ctx context.Context, corpus string) ([]byte, error) {
	c, err := read(ctx)
	if err != nil {
		return nil, err
	}
	report, err := scored(ctx, corpus, sideBySide())
	if err != nil {
		return nil, err
	}
	c.Runs = len(report.Runs)
	for i := range c.Rows {
		c.Rows[i].Score = report.Rows[i]
	}
	var b bytes.Buffer
	if err := fieldPage.Execute(&b, c); err != nil {
		return nil, err
	}
	return []byte(wrapped(b.String())), nil
}

// sideBySide names the detectors that look at calls, in the order of the page.
func sideBySide() []string { return append(slices.Clone(documented), profilesOf(false)...) }

// ofStreams returns the detectors of streamed text.
func ofStreams() []string { return append([]string{string(spec.Stream)}, profilesOf(true)...) }

func profilesOf(streams bool) (names []string) {
	profiles, _ := profile.All() // who chooses by name is told of an error
	for _, p := range profiles {
		if ofStream(p) == streams {
			names = append(names, string(p.ID()))
		}
	}
	return names
}

// ofStream reports whether a profile looks at streamed text, of which the situations and the recorded runs have none.
func ofStream(p profile.Profile) bool { return p.ID().Row() == spec.Stream }

// read asks all detectors what needs no recorded runs.
func read(ctx context.Context) (*content, error) {
	contenders, err := score.Choice{Detectors: sideBySide()}.Of(ctx, reference.Port(), "")
	if err != nil {
		return nil, err
	}
	profiles, err := profile.All()
	if err != nil {
		return nil, err
	}
	c := &content{Profiles: profiles, Situations: situations(), Demands: demands}
	for _, contender := range contenders {
		r, err := c.rowOf(ctx, contender)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", contender.Name(), err)
		}
		c.Rows = append(c.Rows, r)
	}
	return c, nil
}

// rowOf asks a detector about all situations.
func (c *content) rowOf(ctx context.Context, contender score.Contender) (r row, err error) {
	definition, _ := spec.DefinitionOf(contender.Detector)
	r.Name, r.Title = contender.Name(), strings.ToUpper(definition.Title[:1])+definition.Title[1:]
	if contender.Profile != "" {
		if r.Profile, err = profile.ByName(contender.Profile[1:]); err != nil {
			return r, err
		}
		r.Title = r.Profile.Title
	}
	for _, s := range c.Situations {
		a, err := asked(ctx, contender, r.Profile, s)
		if err != nil {
			return r, err
		}
		r.Answers = append(r.Answers, a)
		for _, thread := range s.Threads {
			project, number, _ := strings.Cut(thread, "#")
			if project == r.Profile.Source.Repository {
				r.Reported = append(r.Reported, "#"+number)
			}
		}
	}
	return r, nil
}

// Found returns in how many situations a stuck agent is reported.
func (r row) Found() int { return r.count(func(a answer) bool { return a.Stuck && a.Right() }) }

// Stops and Warns return in how many situations a healthy agent is stopped, or warned.
func (r row) Stops() int {
	return r.count(func(a answer) bool { return !a.Stuck && a.Most == stopped })
}

// Warns is explained at [row.Stops].
func (r row) Warns() int { return r.count(func(a answer) bool { return !a.Stuck && a.Most == warned }) }

func (r row) count(is func(answer) bool) int { return lists.Count(r.Answers, is) }

// commit returns the commit of a profile's source, short, or the pull request.
func commit(p profile.Profile) string {
	if strings.Contains(p.Source.Commit, "/") {
		return p.Source.Commit
	}
	return p.Source.Commit[:min(len(p.Source.Commit), 9)]
}

// thresholds lists the rules of a profile with the counts at which they report.
func thresholds(p profile.Profile) (list []string) {
	for _, rule := range p.Rules() {
		if name, isText := rule.Str(); isText { // of stream
			list = append(list, name+" "+usual(p, name+"_copies"))
			continue
		}
		var rungs []string
		for _, g := range rule.Get("rungs").Items() {
			rungs = append(rungs, g.Get("at").String())
		}
		name, _ := rule.Get("name").Str()
		list = append(list, name+" "+strings.Join(rungs, "/"))
	}
	return list
}

// usual returns a number of a profile's configuration, or its default.
func usual(p profile.Profile, setting string) string {
	row, _ := spec.DefinitionOf(p.ID().Row())
	i := slices.IndexFunc(row.Settings, func(s spec.Parameter) bool { return s.Name == setting })
	n, _ := row.Settings[i].Number(spec.Code, p.Config())
	return strconv.Itoa(n)
}
