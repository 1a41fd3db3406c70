package score

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/internal/wording"
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

//go:embed report.html.tmpl
var pageText string

var htmlPage = template.Must(template.New("report").Parse(pageText))

// WriteHTML writes the report as one page that needs nothing else.
func (r *Report) WriteHTML(w io.Writer) error { return htmlPage.Execute(w, r.sections()) }

// sections returns the report as people read it.
func (r *Report) sections() []section {
	list := []section{r.corpora()}
	if r.hasLoops() {
		list = append(list, r.scores())
		if r.ByAgent {
			list = append(list, r.byAgent())
		}
	}
	if r.hasPairs() {
		list = append(list, r.pairs())
	}
	if r.hasOutcomes() {
		list = append(list, r.outcomes())
	}
	for _, c := range r.Curves {
		list = append(list, r.curve(c))
	}
	if len(r.Curves) > 0 {
		list[len(list)-1].Chart = template.HTML(r.Chart())
	}
	return append(list, r.disagreements())
}

func (r *Report) corpora() section {
	head := []string{"corpus", "runs", "steps", "looping", "healthy", "labelled pairs", "unlabelled"}
	s := section{Title: "Corpora", Head: head}
	for _, c := range r.Corpora {
		s.Rows = append(s.Rows, []string{
			wording.Line(c.Path), strconv.Itoa(c.Runs), strconv.Itoa(c.Steps), strconv.Itoa(c.Loops), strconv.Itoa(c.Healthy),
			strconv.Itoa(c.Pairs), strconv.Itoa(c.Unlabelled),
		})
		if c.Source != "" {
			at := ""
			if c.Commit != "" {
				at = ", at " + c.Commit
			}
			s.Lines = append(s.Lines, wording.Line(c.Path+": from "+c.Source+at+", under "+c.Licence))
		}
		for _, note := range c.Notes() {
			s.Lines = append(s.Lines, wording.Line(c.Path+": "+note))
		}
	}
	return s
}

func (r *Report) scores() section {
	s := section{
		Title: "Loops found, and false alarms",
		Lines: []string{
			"found: looping runs with an alarm. false alarms: healthy runs with an alarm. " + r.intervals() +
				" delay: steps from the third step of the loop to the first alarm, median (range).",
			"saved: the share of the steps of looping runs that come after the first alarm. lost: the same share of healthy " +
				"runs.",
		},
		Head: append([]string{"detector"}, r.scoreHead()...),
	}
	if r.hasKinds() {
		s.Lines = append(s.Lines, "same: runs with a loop of this kind. in vain: runs whose loops are all in vain.")
	}
	for _, row := range r.Rows {
		s.Rows = append(s.Rows, append([]string{wording.Line(row.Name())}, r.cells(row)...))
	}
	return s
}

// intervals says how the intervals are made.
func (r *Report) intervals() string {
	if !r.isDrawn() {
		return "(95 %): the 95 % interval of the share, by Wilson."
	}
	return fmt.Sprintf("Each run counts by its weight in the sample. (95 %%): the 95 %% interval of the "+
		"share, by a bootstrap over tasks (%d draws, seed %d), but no narrower than Wilson's for the number of tasks.",
		bootstrapDraws, bootstrapSeed)
}

// scoreHead names the cells of a row.
func (r *Report) scoreHead() []string {
	head := []string{"found (95 %)"}
	if r.hasKinds() {
		head = append(head, "same (95 %)", "in vain (95 %)")
	}
	return append(head, "false alarms (95 %)", "delay", "saved", "lost")
}

func (r *Report) cells(row Row) []string {
	cells := []string{estimate(row.Recall)}
	if r.hasKinds() {
		cells = append(cells, estimate(row.Same), estimate(row.InVain))
	}
	return append(cells, estimate(row.FalseAlarms), delay(row.Latency), percent(row.Saved), percent(row.Lost))
}

// byAgent says what each detector finds, and alarms at in vain, in the runs of each agent.
func (r *Report) byAgent() section {
	s := section{
		Title: "By agent",
		Lines: []string{"found / false alarms. Below each agent: its looping, its healthy runs."},
		Head:  []string{"detector"},
	}
	agents := r.Agents()
	counts := []string{""}
	for _, a := range agents {
		s.Head = append(s.Head, wording.Line(cmp.Or(a.Name, "not named")))
		counts = append(counts, fmt.Sprintf("%d, %d", a.Looping.Part, a.Looping.Of-a.Looping.Part))
	}
	s.Rows = append(s.Rows, counts)
	for i, row := range r.Rows {
		cells := []string{wording.Line(row.Name())}
		for _, a := range agents {
			cells = append(cells, percent(a.Rows[i].Recall)+" / "+percent(a.Rows[i].FalseAlarms))
		}
		s.Rows = append(s.Rows, cells)
	}
	return s
}

func (r *Report) pairs() section {
	s := section{
		Title: "Pairs of steps: does a step repeat the one before?",
		Lines: []string{
			"A detector calls a step a repetition of the one before if its evidence names both. The last rows are rules that " +
				"compare these two steps only. correct: of the pairs that it calls a repetition, those that people call one, too.",
		},
		Head: []string{"detector or rule", "correct", "precision", "repetitions found", "recall"},
	}
	add := func(name string, a Agreement) {
		precision, recall := a.Precision(), a.Recall()
		s.Rows = append(s.Rows, []string{name, part(precision), decimal(precision), part(recall), decimal(recall)})
	}
	for _, row := range r.Rows {
		add(wording.Line(row.Name()), row.Pairs)
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
			"An outcome says nothing about loops, so this is not a score: an alarm in a run that failed may be false, and an " +
				"alarm in a run that solved its task may be right.",
		},
		Head: []string{"detector", "alarm in solved runs (95 %)", "alarm in unsolved runs (95 %)"},
	}
	for _, row := range r.Rows {
		s.Rows = append(s.Rows, []string{wording.Line(row.Name()), estimate(row.Solved), estimate(row.Unsolved)})
	}
	return s
}

func (r *Report) curve(c Curve) section {
	s := section{
		Title: fmt.Sprintf("Sweep of %s: %s", c.Setting, c.Name),
		Head:  append([]string{c.Setting}, r.scoreHead()...),
	}
	for _, p := range c.Points {
		s.Rows = append(s.Rows, append([]string{strconv.Itoa(p.Sweep.Value)}, r.cells(p)...))
	}
	return s
}

func (r *Report) disagreements() section {
	all := r.Disagreements()
	s := section{Title: "Runs on which the detectors disagree, shortest first"}
	if len(all) == 0 {
		s.Lines = []string{"None: in each run, all detectors report a loop or none does."}
		return s
	}
	s.Head = []string{"run", "steps", "label", "loop reported by, at step", "no loop reported by"}
	for _, result := range all[:min(len(all), mostDisagreements)] {
		var spoke, silent []string
		for i, first := range result.Alarms {
			if name := wording.Line(r.Rows[i].Name()); first == nil {
				silent = append(silent, name)
			} else {
				spoke = append(spoke, fmt.Sprintf("%s at %d", name, first.At+1))
			}
		}
		s.Rows = append(s.Rows, []string{
			wording.Line(result.Run.Name), strconv.Itoa(result.Steps), result.label(), strings.Join(spoke, ", "),
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
	if s.drawn {
		return percent(s)
	}
	return fmt.Sprintf("%d of %d", s.Part, s.Of)
}

// estimate returns a share with its 95 % interval.
func estimate(s Share) string {
	if s.Of == 0 {
		return "–"
	}
	return fmt.Sprintf("%s (%s)", part(s), interval(s))
}

func interval(s Share) string {
	low, high := s.Interval()
	return fmt.Sprintf("%.0f–%.0f %%", 100*low, 100*high)
}

func percent(s Share) string { return rate(s, "%.0f %%", 100) }

func decimal(s Share) string { return rate(s, "%.3f", 1) }

// rate writes the rate of a share, as so many parts of the whole.
func rate(s Share, format string, parts float64) string {
	rate, ok := s.Rate()
	if !ok {
		return "–"
	}
	return fmt.Sprintf(format, parts*rate)
}

func delay(s Spread) string {
	median, least, most, ok := s.Median()
	if !ok {
		return "–"
	}
	return fmt.Sprintf("%d (%d to %d)", median, least, most)
}
