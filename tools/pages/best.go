package pages

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"slices"
	"text/template"

	"github.com/loopstone/loopstone/internal/lab/score"
	"github.com/loopstone/loopstone/spec"
)

//go:embed best.md.tmpl
var bestText string

var bestPage = template.Must(template.New("best").Funcs(template.FuncMap{"share": share}).Parse(bestText))

// notDemanded are recordings that no demand is made of. In the poll a healthy agent makes six equal calls with equal
// results, which is what a loop is to all rules of the space. The repeating answer is streamed text, which the rules do
// not see.
var notDemanded = []string{"poll.jsonl", "repeating-answer.jsonl"}

// Result is what the search found.
type Result struct {
	Space        int // atoms
	Runs         int
	Choice       *Choice
	Rules        []Part
	Folds        []Fold
	Found, False score.Share // over all folds, on agents that were left out
	Single       []Single
	Stuck, Calm  []string // what is demanded
}

// Part is a rule of the choice, with what would be lost without it.
type Part struct {
	Name    string
	Found   score.Share // by this rule alone
	False   score.Share
	Adds    int      // loops that no other rule of the choice finds
	Demands []string // that only it meets
}

// Fold is a choice that was made without one agent, and what it does on that agent's runs.
type Fold struct {
	Agent        string
	Rules        []string
	Found, False score.Share
}

// Single is what the best rules do alone that find as many loops as that.
type Single struct {
	Name         string
	Found, False score.Share
}

// Search finds the rules of the profile @loopstone, by labelled runs and by demands, a corpus of recordings whose
// labels must be met: few rules of composed that together find most of the loops, alarm at next to none of the healthy
// runs and do what is demanded of them. It says what each rule adds, and what the choice is worth on agents that it has
// not seen.
func Search(ctx context.Context, corpus, demands string) (*Result, error) {
	t, err := measure(ctx, corpus, demands, notDemanded)
	if err != nil {
		return nil, err
	}
	all := func(score.Run) bool { return true }
	r := &Result{Space: len(t.atoms), Runs: len(t.runs), Choice: t.choose(all)}
	if r.Choice == nil {
		return nil, fmt.Errorf("no set of up to %d rules does what is demanded", mostRules)
	}
	for k, run := range t.demands {
		if t.stuck&(set(1)<<k) != 0 {
			r.Stuck = append(r.Stuck, run.Name)
		} else {
			r.Calm = append(r.Calm, run.Name)
		}
	}
	r.parts(t)
	r.singles(t)
	return r, r.folds(t)
}

// parts says what each rule of the choice adds.
func (r *Result) parts(t *table) {
	all := func(score.Run) bool { return true }
	for _, i := range r.Choice.chosen {
		rest := slices.DeleteFunc(slices.Clone(r.Choice.chosen), func(k int) bool { return k == i })
		p := Part{Name: t.atoms[i].Name, Demands: t.failed(rest)}
		p.Found, p.False = t.try([]int{i}, all)
		without, _ := t.try(rest, all)
		p.Adds = r.Choice.Found.Part - without.Part
		r.Rules = append(r.Rules, p)
	}
}

// folds chooses without each agent in turn.
func (r *Result) folds(t *table) error {
	var agents []string
	for _, run := range t.runs {
		if !slices.Contains(agents, run.Agent) {
			agents = append(agents, run.Agent)
		}
	}
	for _, agent := range agents {
		choice := t.choose(func(run score.Run) bool { return run.Agent != agent })
		if choice == nil {
			return fmt.Errorf("no set of rules without %s", agent)
		}
		f := Fold{Agent: agent}
		for _, i := range choice.chosen {
			f.Rules = append(f.Rules, t.atoms[i].Name)
		}
		f.Found, f.False = t.try(choice.chosen, func(run score.Run) bool { return run.Agent == agent })
		r.Found = score.Share{Part: r.Found.Part + f.Found.Part, Of: r.Found.Of + f.Found.Of}
		r.False = score.Share{Part: r.False.Part + f.False.Part, Of: r.False.Of + f.False.Of}
		r.Folds = append(r.Folds, f)
	}
	return nil
}

// singles lists, for each number of loops, the rule that finds as many with the fewest false alarms.
func (r *Result) singles(t *table) {
	best := map[int]Single{}
	for i, a := range t.atoms {
		found, alarmed := t.try([]int{i}, func(score.Run) bool { return true })
		if old, known := best[found.Part]; !known || alarmed.Part < old.False.Part {
			best[found.Part] = Single{a.Name, found, alarmed}
		}
	}
	for n := r.Choice.Found.Of; n >= r.Choice.Found.Part; n-- {
		if s, known := best[n]; known {
			r.Single = append(r.Single, s)
		}
	}
}

// Config returns the rules that were chosen, without names.
func (r *Result) Config() []spec.Value {
	atoms := allAtoms()
	var rules []spec.Value
	for _, i := range r.Choice.chosen {
		rules = append(rules, atoms[i].Rule)
	}
	return rules
}

// Page returns docs/dev/best.md.
func (r *Result) Page() ([]byte, error) {
	var b bytes.Buffer
	err := bestPage.Execute(&b, r)
	return b.Bytes(), err
}

// share writes a share with its interval, of 100.
func share(s score.Share) string {
	low, high := s.Interval()
	return fmt.Sprintf("%d of %d (%.0f–%.0f %%)", s.Part, s.Of, 100*low, 100*high)
}

// The aim of the search, as shares of the loops and of the healthy runs.
const aimRecall, aimFalse = 0.8, mostFalse

// Recall says whether the aim is reached in the loops, by their interval.
func (r *Result) Recall() string {
	low, _ := r.Found.Interval()
	rate, _ := r.Found.Rate()
	return verdict(rate >= aimRecall, low >= aimRecall)
}

// Alarms says the same of the healthy runs.
func (r *Result) Alarms() string {
	_, high := r.False.Interval()
	rate, _ := r.False.Rate()
	return verdict(rate <= aimFalse, high <= aimFalse)
}

func verdict(reached, certain bool) string {
	switch {
	case certain:
		return "the aim is reached."
	case reached:
		return "the aim is reached here, and the runs are too few to be sure."
	default:
		return "**the aim is not reached.**"
	}
}
