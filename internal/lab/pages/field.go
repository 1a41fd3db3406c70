package pages

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/loopstone/loopstone/internal/lab/score"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

//go:embed field.md.tmpl
var fieldText string

var fieldPage = template.Must(template.New("field").Funcs(template.FuncMap{"joined": joined}).Parse(fieldText))

// row is a profile as the page has it.
type row struct {
	profile.Profile

	Thresholds []string
	Blind      []string // one cell for each probe
	Does       []string // one cell for each complaint
	Wrong      int      // complaints that it gets wrong
}

// content is what the page is made of.
type content struct {
	Rows       []row
	Probes     []Probe
	Complaints []Complaint
	Runs       int
	Scores     string
}

// Field returns docs/field.md, the profiles side by side: their rules, what they find in runs of real agents, which
// loops they miss, and what they do in runs that users complained of. The corpus is the one of sola-st.
func Field(ctx context.Context, corpus string) ([]byte, error) {
	c, err := read(ctx)
	if err != nil {
		return nil, err
	}
	report, err := scored(ctx, corpus, append(slices.Clone(documented), "@*"))
	if err != nil {
		return nil, err
	}
	c.Runs, c.Scores = len(report.Runs), report.Markdown(score.Scores)
	var b bytes.Buffer
	if err := fieldPage.Execute(&b, c); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// read asks all profiles what needs no recorded runs.
func read(ctx context.Context) (*content, error) {
	all, err := profile.All()
	if err != nil {
		return nil, err
	}
	c := &content{Probes: probes(), Complaints: complaints()}
	for _, p := range all {
		r := row{Profile: p}
		r.ladder()
		for _, step := range []func(context.Context, *content) error{r.probe, r.judge} {
			if err := step(ctx, c); err != nil {
				return nil, fmt.Errorf("@%s: %w", p.Name, err)
			}
		}
		c.Rows = append(c.Rows, r)
	}
	return c, nil
}

// ladder takes over the rules with their thresholds.
func (r *row) ladder() {
	for _, rule := range r.Rules.Items() {
		var rungs []string
		for _, g := range rule.Get("rungs").Items() {
			rungs = append(rungs, g.Get("at").String())
		}
		name, _ := rule.Get("name").Str()
		r.Thresholds = append(r.Thresholds, name+" "+strings.Join(rungs, "/"))
	}
}

// open returns what plays events to the profile, and says how severely it spoke at the most.
func (r *row) open(ctx context.Context) (func([]spec.Value) (said, error), func() error, error) {
	s, err := reference.Port().Open(ctx, spec.Composed, spec.Code, r.Config())
	if err != nil {
		return nil, nil, err
	}
	hinted := false
	observe := func(events []spec.Value) (said, error) {
		verdicts, err := s.Observe(ctx, events)
		most := silent
		for i, v := range verdicts {
			if role, _ := events[i].Get("role").Str(); role == string(spec.User) {
				hinted = false
			}
			most = max(most, r.says(v, &hinted))
		}
		return most, err
	}
	return observe, func() error { return s.Close(ctx) }, nil
}

// says returns what comes of a verdict; hinted is whether the model has had a hint since the user's message.
func (r *row) says(v spec.Value, hinted *bool) said {
	rule, _ := v.Get("rule").Str()
	severity, _ := v.Get("severity").Str()
	switch effect := r.Effects[rule]; {
	case !v.Get("loop").IsTrue() || effect == profile.NoEffect:
		return silent
	case effect == profile.HintFirst && !*hinted:
		*hinted = true
		return warned
	case severity == "critical":
		return stopped
	default:
		return warned
	}
}

// said is how severely a profile spoke.
type said int

const (
	silent  said = iota
	warned       // a notice or a warning, after which the agent goes on
	stopped      // critical
)

// probe asks in which round of each loop it speaks.
func (r *row) probe(ctx context.Context, c *content) error {
	for _, p := range c.Probes {
		observe, done, err := r.open(ctx)
		if err != nil {
			return err
		}
		round, err := p.until(observe)
		if err != nil {
			return err
		}
		r.Blind = append(r.Blind, cell(round))
		if err := done(); err != nil {
			return err
		}
	}
	return nil
}

// judge plays what users complain of.
func (r *row) judge(ctx context.Context, c *content) error {
	for _, complaint := range c.Complaints {
		observe, done, err := r.open(ctx)
		if err != nil {
			return err
		}
		events := complaint.Events
		if complaint.Again {
			half := len(events) / 2
			if _, err := observe(events[:half]); err != nil {
				return err
			}
			events = events[half:]
		}
		most, err := observe(events)
		if err != nil {
			return err
		}
		r.Does = append(r.Does, complaint.cell(most))
		if (most > silent) != complaint.Stuck {
			r.Wrong++
		}
		if err := done(); err != nil {
			return err
		}
	}
	return nil
}

// cell writes what a profile does of it.
func (c Complaint) cell(most said) string {
	switch {
	case !c.Stuck && most == stopped:
		return "**stops it**"
	case !c.Stuck && most == warned:
		return "**warns of it**"
	case c.Stuck && most == silent:
		return "**misses it**"
	default:
		return "right"
	}
}

// Told says what the run is for.
func (c Complaint) Told() string {
	if c.Stuck {
		return "stuck"
	}
	return "healthy"
}
