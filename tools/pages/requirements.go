package pages

import (
	"context"
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/internal/lab/score"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// notRequired are runs of which nothing is required: healthy agents that make three equal calls with equal results
// while they wait, which is what a loop is to these rules, and streamed text, which they do not see.
var notRequired = []string{"poll.jsonl", "repeating-answer.jsonl", "a quiet build", "a long wait"}

// requirement is a small run in which a choice must report, or must not.
type requirement struct {
	Name   string
	Stuck  bool
	events []spec.Value
}

// requirements are what every choice must do, and what each atom does there.
type requirements struct {
	list         []requirement
	stops, warns [][]bool // by atom, by requirement
}

// counting is a call whose result is never equal: it carries a number.
func counting() requirement {
	r := requirement{Name: "the same call twenty times, each result with another number", Stuck: true}
	for i := range 20 {
		r.events = append(r.events, inReplies(step("search", "for", "x", fmt.Sprintf("nothing found in %d ms", 17+7*i)))...)
	}
	return r
}

// readRequirements reads the recordings of a folder and the healthy situations of the page of the field, and plays them
// to the atoms.
func readRequirements(ctx context.Context, recordings string, t *table) (*requirements, error) {
	r := &requirements{list: []requirement{counting()}}
	corpus, err := score.Open(ctx, recordings)
	if err != nil {
		return nil, err
	}
	err = corpus.Each(ctx, func(run *score.Run) error {
		r.list = append(r.list, requirement{run.Name, run.Loop == score.Yes, run.Events})
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, s := range healthy {
		one := requirement{Name: s.Name}
		for i := range s.Rounds {
			one.events = append(one.events, s.Round(i)...)
		}
		r.list = append(r.list, one)
	}
	r.list = slices.DeleteFunc(r.list, func(one requirement) bool { return slices.Contains(notRequired, one.Name) })
	if r.stops, err = r.play(ctx, t.stops); err == nil {
		r.warns, err = r.play(ctx, t.warns)
	}
	return r, err
}

func (r *requirements) play(ctx context.Context, atoms []Atom) (reports [][]bool, err error) {
	for _, a := range atoms {
		var row []bool
		for _, one := range r.list {
			reported, err := reportsIn(ctx, Config(a), one.events)
			if err != nil {
				return nil, err
			}
			row = append(row, reported)
		}
		reports = append(reports, row)
	}
	return reports, nil
}

// reportsIn reports whether a configuration of composed reports a loop in a run.
func reportsIn(ctx context.Context, config spec.Value, events []spec.Value) (bool, error) {
	session, err := reference.Port().Open(ctx, spec.Composed, spec.Code, config)
	if err != nil {
		return false, err
	}
	defer session.Close(ctx)
	verdicts, err := session.Observe(ctx, events)
	return slices.ContainsFunc(verdicts, func(v spec.Value) bool { return v.Get("loop").IsTrue() }), err
}

// met reports whether the stops report in every run where an agent is stuck.
func (r *requirements) met(stops []int) bool {
	for k, one := range r.list {
		if one.Stuck && !slices.ContainsFunc(stops, func(i int) bool { return r.stops[i][k] }) {
			return false
		}
	}
	return true
}

// broken reports whether a rule reports where an agent is healthy.
func (r *requirements) broken(reports []bool) bool {
	for k, one := range r.list {
		if !one.Stuck && reports[k] {
			return true
		}
	}
	return false
}
