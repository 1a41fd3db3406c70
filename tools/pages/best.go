package pages

import (
	"context"
	_ "embed"
	"slices"
	"strings"
	"text/template"

	"github.com/loopstone/loopstone/internal/lab/score"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

//go:embed best.md.tmpl
var bestText string

var bestPage = template.Must(template.New("best").Funcs(template.FuncMap{"rated": rated, "rate": rate}).Parse(bestText))

// Best is what the search found, and what it is worth.
type Best struct {
	Stops, Warns int // rules of the space
	Runs         int
	Rules        []Part
	Whole        Measured
	Normalised   Measured // if results are compared without what often changes in them

	Agents, Models         []Fold
	OverAgents, OverModels Over
	Variants               []Variant
	Costs                  []Cost
	Calm, Stuck            []string
	choice                 Choice
	field                  []score.Row
}

// StopCount returns how many rules of the choice stop an agent.
func (b *Best) StopCount() int { return len(b.choice.Stops) }

// Measured are the shares of a configuration: of its stops, and of its stops and warnings.
type Measured struct{ Stops, All score.Row }

// Part is a rule of the choice.
type Part struct {
	Name           string
	Alone, Without Measured // without it, the others are left
}

// Fold is a choice that was made without the runs of one agent or model, and what it does on these.
type Fold struct {
	Left  string
	Rules string
	Measured
}

// Over are the shares over all folds, each run by the choice that was made without it.
type Over struct{ Stops, All rates }

// Variant is the choice with one threshold changed by one.
type Variant struct {
	Rule string
	At   int
	Measured
}

// scoring collects configurations, so that all of them see the runs at once.
type scoring struct {
	contenders []score.Contender
	report     *score.Report
}

// add adds a configuration and returns its place.
func (s *scoring) add(config spec.Value) int {
	all := contenderOf(config)
	stops := all
	stops.Least = "critical"
	s.contenders = append(s.contenders, stops, all)
	return len(s.contenders) - 2
}

// measured returns what the configuration at a place does in the runs whose rows these are.
func measured(rows []score.Row, place int) Measured {
	return Measured{rows[place], rows[place+1]}
}

// config returns the rules of a choice, the warnings with their severity.
func (c Choice) config() spec.Value {
	atoms := slices.Clone(c.Stops)
	for _, a := range c.Warns {
		rung := a.Rule.Get("rungs").Items()[0].With("severity", spec.StringValue("warning"))
		a.Rule = a.Rule.With("rungs", spec.ArrayValue(rung))
		atoms = append(atoms, a)
	}
	return Config(atoms...)
}

// names returns the rules in words.
func (c Choice) names() string {
	var list []string
	for _, a := range slices.Concat(c.Stops, c.Warns) {
		list = append(list, a.Name)
	}
	return strings.Join(list, "; ")
}

// without returns the choice without its rule at a place.
func (c Choice) without(place int) Choice {
	if place < len(c.Stops) {
		return Choice{slices.Delete(slices.Clone(c.Stops), place, place+1), c.Warns}
	}
	return Choice{c.Stops, nil}
}

// alone returns the choice with its rule at a place alone.
func (c Choice) alone(place int) Choice {
	if place < len(c.Stops) {
		return Choice{c.Stops[place : place+1], nil}
	}
	return Choice{nil, c.Warns}
}

// moved returns the choice with the threshold of its rule at a place moved.
func (c Choice) moved(place, by int) Choice {
	moved := Choice{slices.Clone(c.Stops), slices.Clone(c.Warns)}
	list, i := moved.Stops, place
	if place >= len(c.Stops) {
		list, i = moved.Warns, place-len(c.Stops)
	}
	a := &list[i]
	a.At += by
	a.Rule = a.Rule.With("rungs", spec.ArrayValue(a.Rule.Get("rungs").Items()[0].With("at", spec.IntValue(a.At))))
	return moved
}

// Search chooses the rules of the profile @loopstone by the labelled runs of the folder, and measures the choice: rule
// by rule, on agents and models that it was not chosen by, with other thresholds, and beside the field's detectors.
func Search(ctx context.Context, folder, labels, recordings string) (*Best, error) {
	corpora, err := labelledRuns(ctx, folder, labels)
	if err != nil {
		return nil, err
	}
	t, err := measure(ctx, corpora)
	if err != nil {
		return nil, err
	}
	required, err := readRequirements(ctx, recordings, t)
	if err != nil {
		return nil, err
	}
	all := func(score.Run) bool { return true }
	b := &Best{Stops: len(t.stops), Warns: len(t.warns), Runs: len(t.runs), choice: t.choose(all, required)}
	for _, one := range required.list {
		if one.Stuck {
			b.Stuck = append(b.Stuck, one.Name)
		} else {
			b.Calm = append(b.Calm, one.Name)
		}
	}
	return b, b.evaluate(ctx, t, required, corpora)
}

// agentOf and modelOf split the name of an agent in a sample, such as "EnIGMA, gpt-4o".
func agentOf(run score.Run) string { agent, _, _ := strings.Cut(run.Agent, ", "); return agent }

func modelOf(run score.Run) string { _, model, _ := strings.Cut(run.Agent, ", "); return model }

// left is a choice that was made without some of the runs.
type left struct {
	name   string
	choice Choice
	place  int
}

// folds chooses without the runs of each name in turn.
func (t *table) folds(nameOf func(score.Run) string, required *requirements, s *scoring) (folds []left) {
	var names []string
	for _, run := range t.runs {
		if !slices.Contains(names, nameOf(run)) {
			names = append(names, nameOf(run))
		}
	}
	slices.Sort(names)
	for _, name := range names {
		choice := t.choose(func(run score.Run) bool { return nameOf(run) != name }, required)
		folds = append(folds, left{name, choice, s.add(choice.config())})
	}
	return folds
}

// evaluate scores the choice, its parts and variants, the folds and the field, all in one pass over the runs.
func (b *Best) evaluate(ctx context.Context, t *table, required *requirements, corpora []*score.Corpus) error {
	s := &scoring{}
	whole, normal := s.add(b.choice.config()), s.add(b.choice.config())
	for i := range 2 {
		s.contenders[normal+i].Port = normalising{s.contenders[normal+i].Port}
	}
	var parts, moved []int
	for i := range len(b.choice.Stops) + len(b.choice.Warns) {
		parts = append(parts, s.add(b.choice.alone(i).config()), s.add(b.choice.without(i).config()))
		moved = append(moved, s.add(b.choice.moved(i, -1).config()), s.add(b.choice.moved(i, 1).config()))
	}
	agents, models := t.folds(agentOf, required, s), t.folds(modelOf, required, s)
	field, err := score.Choice{Detectors: sideBySide()}.Of(ctx, reference.Port(), "")
	if err != nil {
		return err
	}
	ours := len(s.contenders)
	if s.report, err = score.Score(ctx, corpora, append(s.contenders, field...), nil); err != nil {
		return err
	}
	rows := s.report.Rows
	b.Whole, b.Normalised, b.field = measured(rows, whole), measured(rows, normal), rows[ours:]
	for i, a := range slices.Concat(b.choice.Stops, b.choice.Warns) {
		b.Rules = append(b.Rules, Part{a.Name, measured(rows, parts[2*i]), measured(rows, parts[2*i+1])})
		for k, by := range []int{-1, 1} {
			b.Variants = append(b.Variants, Variant{a.Name, a.At + by, measured(rows, moved[2*i+k])})
		}
	}
	b.Agents, b.OverAgents = s.leftOut(agents, agentOf)
	b.Models, b.OverModels = s.leftOut(models, modelOf)
	b.Costs, err = costs(s.report, whole, ours)
	return err
}

// leftOut returns what each choice does on the runs that it was made without, and the shares over all of them.
func (s *scoring) leftOut(folds []left, nameOf func(score.Run) string) (list []Fold, over Over) {
	groups := s.report.By(func(run *score.Run) string { return nameOf(*run) })
	for _, f := range folds {
		i := slices.IndexFunc(groups, func(g score.Group) bool { return g.Name == f.name })
		list = append(list, Fold{f.name, f.choice.names(), measured(groups[i].Rows, f.place)})
	}
	var stops, all tally
	for _, result := range s.report.Runs {
		i := slices.IndexFunc(folds, func(f left) bool { return f.name == nameOf(result.Run) })
		if result.Run.Loop != score.Unknown && i >= 0 {
			stops.add(result.Run, result.Alarms[folds[i].place] != nil)
			all.add(result.Run, result.Alarms[folds[i].place+1] != nil)
		}
	}
	return list, Over{stops.rates(), all.rates()}
}

// Config returns the rules that were chosen.
func (b *Best) Config() spec.Value { return b.choice.config() }

// Page returns docs/dev/best.md.
func (b *Best) Page() (string, error) {
	var text strings.Builder
	err := bestPage.Execute(&text, b)
	return wrapped(text.String()), err
}

// Cost is what a detector costs at each of prices.
type Cost struct {
	score.Cost
	At [3]float64
}

// prices are those of a step of work that a wrong stop prevents, where a step of a loop costs 1.
var prices = [3]float64{1, 10, 100}

// mostCheap is how many of the cheapest detectors are listed at each price.
const mostCheap = 4

// costs returns what some detectors cost: none, ours, and those of the field that cost the least at one of prices. The
// rows of the field begin at a place.
func costs(report *score.Report, stops, field int) (list []Cost, err error) {
	some := *report
	some.Rows = slices.Clone(report.Rows[field:])
	ours := report.Rows[stops]
	ours.Profile = "@loopstone"
	some.Rows = append(some.Rows, ours)
	places := map[string]int{}
	var all [len(prices)][]score.Cost
	for i, price := range prices {
		if all[i], err = some.Costs(score.Prices{Looping: 1, Lost: price}); err != nil {
			return nil, err
		}
		for k, c := range all[i] {
			_, known := places[c.Name]
			isOurs := c.Name == score.NoDetector || strings.HasPrefix(c.Name, "@loopstone")
			if !known && (isOurs || k < mostCheap) {
				places[c.Name] = len(list)
				list = append(list, Cost{Cost: c})
			}
		}
	}
	for i := range prices {
		for _, c := range all[i] {
			if place, known := places[c.Name]; known {
				list[place].At[i] = c.Cost
			}
		}
	}
	return list, nil
}
