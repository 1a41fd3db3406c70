package score

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/loopstone/loopstone/internal/lab/alarm"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/spec"
)

// Budget is how many alarms somebody can stand: so many in 1,000 steps. The first alarm of a run counts, because a stop
// would end the run.
type Budget float64

const budgetSteps = 1000

// mostCount is the highest count that Tune proposes.
const mostCount = 30

// Tuning is what a budget leaves of a configuration of composed.
type Tuning struct {
	Budget   Budget
	Config   spec.Value // with the counts that are proposed
	Rules    []TunedRule
	Labelled bool // whether runs are labelled; then alarms in healthy runs count, and otherwise those in all runs
	Kept     bool // whether the budget is kept

	Runs, Steps   float64 // of the runs whose alarms count
	Now, Proposed Tuned
	Lost          []LostAlarm // alarms of today that are gone, the earliest first
}

// TunedRule is a rule with its lowest count, as it is and as it is proposed.
type TunedRule struct {
	Name          string
	Now, Proposed int

	first int // the contender with the count of now
	most  int // the highest count that is tried
	reach int // the highest count that the rule can have, because of its window
}

// Never reports whether the rule never reports at the count that is proposed: the configuration is without it.
func (r TunedRule) Never() bool { return r.Proposed > r.reach && r.Proposed > r.Now }

// Tuned is what a configuration does on the runs.
type Tuned struct {
	Alarms float64 // in the runs whose alarms count
	Found  Share   // of the loops
	Saved  Share   // of the steps of looping runs, or of all runs if none is labelled, those after the first alarm
}

// LostAlarm is the first alarm of a run in which the proposed counts report nothing.
type LostAlarm struct {
	Run  Run // without its events
	Step int // from 0
}

// Tune raises the counts of the rules of a configuration until they keep the budget on the runs of the corpora, and
// then lowers each as far as the budget allows, at most to what it was.
func Tune(
	ctx context.Context, corpora []*Corpus, composed Contender, config spec.Value, b Budget, progress Progress,
) (*Tuning, error) {
	t := tuner{Tuning: Tuning{Budget: b, Config: config}}
	if err := t.plan(ctx, composed); err != nil {
		return nil, err
	}
	if err := judgeAll(ctx, corpora, t.contenders, progress, t.take); err != nil {
		return nil, err
	}
	for _, corpus := range corpora {
		corpus.Problem = errors.Join(corpus.Problem, corpus.unmet())
	}
	if t.count(); t.Steps == 0 {
		err := errors.New("no run, or no healthy run, has a step: there is nothing to count alarms in")
		return nil, errors.Join(err, Problems(corpora))
	}
	t.choose(ctx)
	return &t.Tuning, context.Cause(ctx)
}

// tuner tries each rule alone at each count: rules of composed do not influence one another, so a configuration reports
// where one of its rules does.
type tuner struct {
	Tuning

	contenders []Contender
	runs       []Result
}

func (t *tuner) plan(ctx context.Context, composed Contender) error {
	rules := t.Config.Get("rules").Items()
	if len(rules) == 0 {
		return fmt.Errorf("the configuration has no rules")
	}
	reaches := reachesOf(t.Config)
	for i, rule := range rules {
		if rule.Kind() != spec.Object {
			return fmt.Errorf("rules/%d is no rule of composed", i)
		}
		rungs := rule.Get("rungs").Items()
		if len(rungs) == 0 {
			return fmt.Errorf("rules/%d has no rungs", i)
		}
		now, ok := rungs[0].Get("at").Int()
		if !ok {
			return fmt.Errorf("rules/%d/rungs/0 has no count at which it reports", i)
		}
		tuned := TunedRule{Name: rule.Get("name").Text(), Now: now, first: len(t.contenders), reach: reaches[i]}
		for n := now; n <= max(now, min(mostCount, tuned.reach+1)); n++ { // the last one stands for never
			alone := t.Config.With("rules", spec.ArrayValue(raised(rule, n-now)))
			one := composed.with(alone)
			if err := openEach(ctx, []Contender{one}); err != nil && n > now {
				break // the rule does not look so far back
			} else if err != nil {
				return err
			}
			t.contenders, tuned.most = append(t.contenders, one), n
		}
		t.Rules = append(t.Rules, tuned)
	}
	return nil
}

// reachesOf returns the highest count that each rule of a configuration can have.
func reachesOf(config spec.Value) map[int]int {
	reaches := map[int]int{}
	for i := range config.Get("rules").Items() {
		reaches[i] = math.MaxInt - 1
	}
	for i, rule := range profile.RulesOf(config) {
		if slices.Contains([]string{"among", "streak", "revisit"}, rule.Pattern.Sort) {
			reaches[i] = rule.Pattern.Last
		}
	}
	return reaches
}

// raised returns a rule with all of its counts raised by so many.
func raised(rule spec.Value, by int) spec.Value {
	var rungs []spec.Value
	for _, rung := range rule.Get("rungs").Items() {
		at, _ := rung.Get("at").Int()
		rungs = append(rungs, rung.With("at", spec.IntValue(at+by)))
	}
	return rule.With("rungs", spec.ArrayValue(rungs...))
}

func (t *tuner) take(_ *Corpus, j Result) {
	t.Labelled = t.Labelled || j.Run.Loop != Unknown
	if j.Steps > 0 {
		t.runs = append(t.runs, j)
	}
}

// thresholds are the counts of the rules, one for each.
type thresholds []int

// choose raises the counts until the budget is kept: each time the one that removes the most alarms for each loop that
// is lost, or all of them if none alone removes any. What was raised in vain is lowered in the end.
func (t *tuner) choose(ctx context.Context) {
	now := lists.Map(t.Rules, func(r TunedRule) int { return r.Now })
	chosen := slices.Clone(now)
	for at := t.tried(chosen); !t.keeps(at); at = t.tried(chosen) {
		next := t.raise(ctx, chosen, at)
		if ctx.Err() != nil || slices.Equal(next, chosen) {
			break
		}
		chosen = next
	}
	if t.Kept = t.keeps(t.tried(chosen)); t.Kept {
		t.lower(chosen)
	}
	t.Now, t.Proposed = t.tried(now), t.tried(chosen)
	var rules []spec.Value
	for i, rule := range t.Config.Get("rules").Items() {
		if t.Rules[i].Proposed = chosen[i]; !t.Rules[i].Never() {
			rules = append(rules, raised(rule, chosen[i]-now[i]))
		}
	}
	t.Config = t.Config.With("rules", spec.ArrayValue(rules...))
	t.lose(now, chosen)
}

// count counts the runs whose alarms count.
func (t *tuner) count() {
	for i := range t.runs {
		if run := &t.runs[i].Run; t.counted(run) {
			t.Runs += run.weight()
			t.Steps += run.weight() * float64(t.runs[i].Steps)
		}
	}
}

// counted reports whether alarms in the run count: if labels are known, those in healthy runs.
func (t *tuner) counted(run *Run) bool { return !t.Labelled || run.Loop == No }

func (t *tuner) keeps(at Tuned) bool {
	return at.Alarms*budgetSteps <= float64(t.Budget)*t.Steps
}

// tried returns what the counts do.
func (t *tuner) tried(at thresholds) (all Tuned) {
	for i := range t.runs {
		run := &t.runs[i].Run
		first, after := t.alarm(&t.runs[i], at), 0
		if first != nil {
			after = t.runs[i].Steps - 1 - first.At
		}
		if t.counted(run) && first != nil {
			all.Alarms += run.weight()
		}
		if run.Loop == Yes {
			all.Found.add(run, first != nil)
		}
		if run.Loop == Yes || !t.Labelled {
			all.Saved.addSteps(run, after, t.runs[i].Steps)
		}
	}
	return all
}

// alarm returns the first alarm of a run.
func (t *tuner) alarm(j *Result, at thresholds) (first *alarm.Alarm) {
	for i, rule := range t.Rules {
		one := j.Responses[rule.first+at[i]-rule.Now].Alarm
		if one != nil && (first == nil || one.At < first.At) {
			first = one
		}
	}
	return first
}

// raise returns the counts with one of them raised, as far as it must be to remove an alarm; or with all raised by one.
func (t *tuner) raise(ctx context.Context, at thresholds, from Tuned) thresholds {
	best, most := slices.Clone(at), 0.0
	for i, rule := range t.Rules {
		best[i] = min(at[i]+1, rule.most)
	}
	for i, rule := range t.Rules {
		next := slices.Clone(at)
		for next[i] < rule.most && ctx.Err() == nil {
			next[i]++
			to := t.tried(next)
			if to.Alarms == from.Alarms {
				continue
			}
			if worth := (from.Alarms - to.Alarms) / float64(1+from.Found.Part-to.Found.Part); worth > most {
				best, most = slices.Clone(next), worth
			}
			break
		}
	}
	return best
}

// lower lowers the counts again as far as the budget is kept.
func (t *tuner) lower(at thresholds) {
	for i, rule := range t.Rules {
		for at[i] > rule.Now {
			if at[i]--; !t.keeps(t.tried(at)) {
				at[i]++
				break
			}
		}
	}
}

// lose lists the alarms that are gone.
func (t *tuner) lose(now, chosen thresholds) {
	for i := range t.runs {
		before := t.alarm(&t.runs[i], now)
		if before != nil && t.alarm(&t.runs[i], chosen) == nil {
			t.Lost = append(t.Lost, LostAlarm{t.runs[i].Run, before.At})
		}
	}
	slices.SortStableFunc(t.Lost, func(a, b LostAlarm) int { return cmp.Compare(a.Step, b.Step) })
}
