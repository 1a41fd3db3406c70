package score

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/spec/words"
)

// section is a part of the report as a person reads it, in a terminal, in Markdown or in a browser.
type section struct {
	Title string
	Lines []string // paragraphs
	Head  []string // of the table; none where there is no table
	Rows  [][]string
	Chart template.HTML // an SVG, drawn by us, with all names escaped
}

// mostDisagreements is how many runs are listed for people; a program gets all.
const mostDisagreements = 10

// sections returns the report as people read it.
func (r *Report) sections() []section {
	list := []section{r.corpora()}
	if r.HasLoops() {
		list = append(list, r.scores())
	}
	if r.HasPairs() {
		list = append(list, r.pairs())
	}
	if r.HasOutcomes() {
		list = append(list, r.outcomes())
	}
	for _, c := range r.Curves {
		list = append(list, c.section())
	}
	if len(r.Curves) > 0 {
		list[len(list)-1].Chart = template.HTML(r.Chart())
	}
	return append(list, r.disagreements())
}

func (r *Report) corpora() section {
	head := []string{"corpus", "runs", "steps", "loops", "healthy", "pairs", "without a label"}
	s := section{Title: "Corpora", Head: head}
	for _, c := range r.Corpora {
		s.Rows = append(s.Rows, []string{
			words.Line(c.Path), strconv.Itoa(c.Runs), strconv.Itoa(c.Steps), strconv.Itoa(c.Loops), strconv.Itoa(c.Healthy),
			strconv.Itoa(c.Pairs), strconv.Itoa(c.Unlabelled),
		})
		if c.Source != "" {
			s.Lines = append(s.Lines, words.Line(strings.Join(slices.DeleteFunc([]string{
				c.Path + ": from " + c.Source, "at " + c.Commit, "under " + c.Licence,
			}, func(part string) bool { return part == "at " }), ", ")))
		}
		for _, note := range c.Notes() {
			s.Lines = append(s.Lines, words.Line(c.Path+": "+note))
		}
	}
	return s
}

func (r *Report) scores() section {
	s := section{
		Title: "Loops found, and false alarms",
		Lines: []string{
			"per 100: the 95 % Wilson interval. delay: steps from the third repetition to the first alarm, median (range). " +
				"saved: the share of the steps of loops that follow the first alarm; lost: the same of healthy runs.",
		},
		Head: append([]string{"detector"}, scoreHead...),
	}
	for _, row := range r.Rows {
		s.Rows = append(s.Rows, append([]string{words.Line(row.Name())}, row.cells()...))
	}
	return s
}

// scoreHead names the cells of a row.
var scoreHead = []string{"found", "per 100", "false alarms", "per 100", "delay", "saved", "lost"}

func (r *Row) cells() []string {
	return []string{
		part(r.Recall), interval(r.Recall), part(r.FalseAlarms), interval(r.FalseAlarms), delay(r.Latency),
		percent(r.Saved) + ofCost(r.SavedCost), percent(r.Lost) + ofCost(r.LostCost),
	}
}

func (r *Report) pairs() section {
	s := section{
		Title: "Pairs of steps: does this one repeat the last?",
		Lines: []string{
			"A detector says that a step repeats the last one where its evidence holds both. The last rows are rules that " +
				"compare the two steps alone.",
		},
		Head: []string{"detector or rule", "right", "precision", "repetitions found", "recall"},
	}
	add := func(name string, a Agreement) {
		s.Rows = append(s.Rows, []string{
			name, part(a.Precision()), decimal(a.Precision()), part(a.Recall()), decimal(a.Recall()),
		})
	}
	for _, row := range r.Rows {
		add(words.Line(row.Name()), row.Pairs)
	}
	for _, rule := range r.PairRules {
		add("rule: "+rule.Name, rule.Agreement)
	}
	return s
}

func (r *Report) outcomes() section {
	s := section{
		Title: "Outcomes",
		Lines: []string{
			"This is no score. An agent may fail without a loop, and solve its task after one: so an alarm in a run that " +
				"failed may be false, and one in a run that was solved may be right.",
		},
		Head: []string{"detector", "alarm in solved runs", "per 100", "alarm in unsolved runs", "per 100"},
	}
	for _, row := range r.Rows {
		s.Rows = append(s.Rows, []string{
			words.Line(row.Name()), part(row.Solved), interval(row.Solved), part(row.Unsolved), interval(row.Unsolved),
		})
	}
	return s
}

func (c Curve) section() section {
	s := section{
		Title: fmt.Sprintf("Sweep of %s: %s", c.Setting, c.Name),
		Head:  append([]string{c.Setting}, scoreHead...),
	}
	for _, p := range c.Points {
		s.Rows = append(s.Rows, append([]string{strconv.Itoa(p.Sweep.Value)}, p.cells()...))
	}
	return s
}

func (r *Report) disagreements() section {
	all := r.Disagreements()
	s := section{Title: "Runs on which the detectors disagree, shortest first"}
	if len(all) == 0 {
		s.Lines = []string{"None: all report a loop, or none does."}
		return s
	}
	s.Head = []string{"run", "steps", "label", "loop reported at step", "no loop"}
	for _, result := range all[:min(len(all), mostDisagreements)] {
		var spoke, silent []string
		for i, alarm := range result.Alarms {
			name := words.Line(r.Rows[i].Name())
			if alarm == nil {
				silent = append(silent, name)
				continue
			}
			spoke = append(spoke, fmt.Sprintf("%s at %d", name, alarm.Step+1))
		}
		s.Rows = append(s.Rows, []string{
			words.Line(result.Run.Name), strconv.Itoa(result.Steps), result.label(), strings.Join(spoke, ", "),
			strings.Join(silent, ", "),
		})
	}
	if more := len(all) - mostDisagreements; more > 0 {
		s.Lines = []string{fmt.Sprintf("The first %d of %d; --json lists all.", mostDisagreements, len(all))}
	}
	return s
}

func part(s Share) string {
	if s.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%d of %d", s.Part, s.Of)
}

func interval(s Share) string {
	if s.Of == 0 {
		return "–"
	}
	low, high := s.Wilson()
	return fmt.Sprintf("%.0f–%.0f", 100*low, 100*high)
}

// ofCost says the share of the cost beside that of the steps; nothing where no cost is known.
func ofCost(a Amount) string {
	rate, ok := a.Rate()
	if !ok {
		return ""
	}
	return fmt.Sprintf(", %.0f %% of $%.2f", 100*rate, a.Of)
}

func percent(s Share) string {
	rate, ok := s.Rate()
	if !ok {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*rate)
}

func decimal(s Share) string {
	rate, ok := s.Rate()
	if !ok {
		return "–"
	}
	return fmt.Sprintf("%.3f", rate)
}

func delay(s Spread) string {
	median, least, most, ok := s.Median()
	if !ok {
		return "–"
	}
	return fmt.Sprintf("%d (%d to %d)", median, least, most)
}
