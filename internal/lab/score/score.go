package score

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/loopstone/loopstone/internal/lab/alarm"
	"github.com/loopstone/loopstone/internal/lists"
)

// Report is what was found.
type Report struct {
	Corpora   []*Corpus
	Rows      []Row // of the contenders that belong to no sweep
	PairRules []PairRule
	Runs      []Result
	Curves    []Curve

	ByAgent bool // whether it has a table by agent
}

// Group is what was found in some of the runs.
type Group struct {
	Name    string
	Looping Share // of its labelled runs, those with a loop
	Rows    []Row // without what is said of pairs
}

// Curve is a sweep: the rows of one detector in one reading that differ in one setting only.
type Curve struct {
	Name    string `json:"-"`
	Setting string `json:"setting"`
	Points  []Row  `json:"rows"`
}

// Result is what was found in one run.
type Result struct {
	Run       Run            `json:"run"` // without its events
	Steps     int            `json:"steps"`
	Responses []Response     `json:"trials"` // one for each contender
	Rules     []Agreement    `json:"rules"`  // one for each rule of pairs
	Alarms    []*alarm.Alarm `json:"-"`      // in a report: one for each row, nil where it did not speak
}

// Progress is called whenever a log has been judged: so many of all are done. It may be nil.
type Progress func(done, all int)

// Score shows all runs of the corpora to all contenders, on all cores. It is an error where no run has any label.
func Score(ctx context.Context, corpora []*Corpus, contenders []Contender, progress Progress) (*Report, error) {
	t := newTable(corpora, contenders)
	if err := judgeAll(ctx, corpora, contenders, progress, t.add); err != nil {
		return nil, err
	}
	return t.finish()
}

// table is a report that is being filled; rows are those of all contenders, in their order.
type table struct {
	report Report
	rows   []Row
}

func newTable(corpora []*Corpus, contenders []Contender) *table {
	t := &table{report: Report{Corpora: corpora, PairRules: pairRules()}, rows: make([]Row, len(contenders))}
	for i, c := range contenders {
		t.rows[i].Contender = c
	}
	return t
}

// add takes in what was said of a run. Runs come in their order.
func (t *table) add(corpus *Corpus, result Result) {
	run := result.Run
	corpus.count(&run, result.Steps)
	for i := range t.rows {
		row := &t.rows[i]
		row.add(&run, result.Steps, result.Responses[i])
		if row.Sweep == nil {
			result.Alarms = append(result.Alarms, result.Responses[i].Alarm)
		}
	}
	for i := range t.report.PairRules {
		t.report.PairRules[i].sum(result.Rules[i])
	}
	result.Responses = nil // those of a sweep are many
	t.report.Runs = append(t.report.Runs, result)
}

// finish returns the report.
func (t *table) finish() (*Report, error) {
	runs, labelled := map[string]int{}, false
	for _, result := range t.report.Runs {
		runs[result.Run.Corpus]++
		labelled = labelled || result.Run.Labelled()
	}
	for _, corpus := range t.report.Corpora {
		if err := corpus.wantsRuns(runs[corpus.Path]); err != nil {
			return nil, err
		}
		corpus.Problem = errors.Join(corpus.Problem, corpus.unmet())
	}
	if !labelled {
		err := errors.New("no run has a label, and no outcome is known: mark loops with loopstone label, and pass its file " +
			"with --labels")
		if slices.ContainsFunc(t.report.Corpora, func(c *Corpus) bool { return c.notes[withoutWeight] > 0 }) {
			err = errors.New("no label counts: the sample names each run with a label without a weight")
		}
		return nil, errors.Join(err, Problems(t.report.Corpora))
	}
	t.split()
	return &t.report, nil
}

// split puts the rows of sweeps into curves.
func (t *table) split() {
	rows, points := lists.Partition(t.rows, func(row Row) bool { return row.Sweep == nil })
	t.report.Rows = rows
	for _, points := range lists.Grouped(points, Row.sweepName) {
		curve := Curve{Name: points[0].sweepName(), Setting: points[0].Sweep.Setting, Points: points}
		t.report.Curves = append(t.report.Curves, curve)
	}
}

// sweepName names the detector in the reading whose setting is swept; a sweep has one setting.
func (r Row) sweepName() string {
	plain := Contender{Observer: r.Observer}
	plain.Profile = ""
	return plain.Name()
}

// Disagreements returns the runs in which some rows spoke and others did not, shortest first.
func (r *Report) Disagreements() []Result {
	var list []Result
	for _, result := range r.Runs {
		silent := slices.Contains(result.Alarms, nil)
		if silent && slices.ContainsFunc(result.Alarms, func(a *alarm.Alarm) bool { return a != nil }) {
			list = append(list, result)
		}
	}
	slices.SortStableFunc(list, func(a, b Result) int {
		return cmp.Or(cmp.Compare(a.Steps, b.Steps), cmp.Compare(a.Run.Name, b.Run.Name))
	})
	return list
}

// Agents returns what was found by agent, in the order in which they come. A name is empty where the recordings do not
// name the agent.
func (r *Report) Agents() []Group { return r.By(func(run *Run) string { return run.Agent }) }

// By groups the runs by a name of them. A group without a labelled run is left out.
func (r *Report) By(nameOf func(*Run) string) []Group {
	var list []Group
	for _, results := range lists.Grouped(r.Runs, func(result Result) string { return nameOf(&result.Run) }) {
		g := Group{Name: nameOf(&results[0].Run)}
		g.Rows = lists.Map(r.Rows, func(row Row) Row { return Row{Contender: row.Contender} })
		for _, result := range results {
			run := &result.Run
			if run.Loop != Unknown {
				g.Looping.add(run, run.Loop == Yes)
			}
			for k, alarm := range result.Alarms {
				g.Rows[k].add(run, result.Steps, Response{Alarm: alarm})
			}
		}
		if g.Looping.Of > 0 {
			list = append(list, g)
		}
	}
	return list
}

// isDrawn reports whether runs were drawn, so that each counts by its weight.
func (r *Report) isDrawn() bool { return r.has(func(run Run) bool { return run.Weight > 0 }) }

// hasKinds reports whether it is known of a loop if it is the same or in vain.
func (r *Report) hasKinds() bool { return r.has(func(run Run) bool { return len(run.Spans) > 0 }) }

// These report which kinds of label there are.
func (r *Report) hasLoops() bool { return r.has(func(run Run) bool { return run.Loop != Unknown }) }
func (r *Report) hasPairs() bool { return r.has(func(run Run) bool { return len(run.Pairs) > 0 }) }
func (r *Report) hasOutcomes() bool {
	return r.has(func(run Run) bool { return run.Solved != Unknown })
}

func (r *Report) has(isSo func(Run) bool) bool {
	return slices.ContainsFunc(r.Runs, func(result Result) bool { return isSo(result.Run) })
}

// label returns what people said of a run.
func (r Result) label() string {
	switch {
	case r.Run.Loop == Yes:
		return "loop"
	case r.Run.Loop == No:
		return "healthy"
	case r.Run.Solved == Yes:
		return "solved"
	case r.Run.Solved == No:
		return "not solved"
	default:
		return "not labelled"
	}
}
