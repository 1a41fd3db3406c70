package pages

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"github.com/loopstone/loopstone/internal/lab/alarm"
	"github.com/loopstone/loopstone/internal/lab/label"
	"github.com/loopstone/loopstone/internal/lab/score"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

//go:embed results.md.tmpl
var resultsText string

//go:embed study.md.tmpl
var studyText string

//go:embed byagent.md.tmpl
var byAgentText string

var (
	resultsPage = newPage("results", resultsText)
	studyPage   = newPage("study", studyText)
	byAgentPage = newPage("by-agent", byAgentText)
)

func newPage(name, text string) *template.Template {
	return template.Must(template.New(name).Funcs(template.FuncMap{
		"thousands": thousands, "percent": percent, "rated": rated, "delay": delay,
		"kappa": func(a label.Agreement) string { return figure(a.Kappa()) },
		"alpha": func(a label.Agreement) string { return figure(a.Alpha()) },
		"both":  func(a label.Agreement) int { return a.Loops[0][0] + a.Loops[1][1] },
	}).Parse(text))
}

// documented are the detectors that this page is about, in the order of its rows.
var documented = []string{"fingerprint", "history", "crow"}

// The rows of the documented detectors that the page tells more of.
const (
	rowFingerprint = iota
	rowHistory
)

// study is what the page says of the labelled runs.
type study struct {
	Runs, Loops, Healthy, Steps int
	Scores                      string
	History                     historyAlarms
	Fingerprint                 fingerprintAlarms
	AtRepetition                []atRepetition // for each row
}

// historyAlarms are history's first alarms in healthy runs.
type historyAlarms struct{ All, Edited, Changed, Neither int }

// fingerprintAlarms are fingerprint's.
type fingerprintAlarms struct{ All, Fuzzy int }

// atRepetition is how many of the alarms in loops rest on two steps that people labelled a repetition.
type atRepetition struct {
	Name      string
	Found, At int
}

// outcomes is what the page says of runs that only have an outcome.
type outcomes struct {
	Name string
	Rows []score.Row
}

// Corpora are the folders of runs that docs/results.md is computed from.
func Corpora() []string { return append(slices.Clone(labelled), "sola-st", "tau-bench", "intercode") }

// RealRuns returns the pages about real runs by their names below docs: what every detector does, what the documented
// ones do on the runs that people labelled, and all figures by agent. What the prose says of single runs is checked.
// The folder holds [Corpora]; labels is the folder of the files of labels.
func RealRuns(ctx context.Context, folder, labels string) (map[string]string, error) {
	board, err := readBoard(ctx, folder, labels)
	if err != nil {
		return nil, err
	}
	s, err := readStudy(ctx, filepath.Join(folder, "sola-st"))
	if err != nil {
		return nil, err
	}
	var others []outcomes
	for _, name := range []string{"tau-bench", "intercode"} {
		o, err := readOutcomes(ctx, filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		others = append(others, o)
	}
	left, err := readLeftOut(filepath.Join(labels, "..", "dev", "best.md"))
	if err != nil {
		return nil, err
	}
	written := map[string]string{}
	about := map[string]any{"Board": board, "Study": s, "Outcomes": others, "Left": left}
	for name, page := range map[string]*template.Template{
		"results.md": resultsPage, "dev/study.md": studyPage, "dev/by-agent.md": byAgentPage,
	} {
		var b strings.Builder
		if page == byAgentPage {
			err = errors.Join(err, page.Execute(&b, board))
		} else {
			err = errors.Join(err, page.Execute(&b, about))
		}
		written[name] = wrapped(b.String())
	}
	return written, err
}

// leftOut are the shares of @loopstone on agents that were left out when its rules were chosen, in percent.
type leftOut struct{ StopsSame, StopsFalse, AllSame, AllInVain, AllFalse string }

// readLeftOut reads them from the page of the search.
func readLeftOut(path string) (leftOut, error) {
	page, err := os.ReadFile(path)
	if err != nil {
		return leftOut{}, err
	}
	for line := range strings.Lines(string(page)) {
		if cells := strings.Split(strings.Trim(line, "| \n"), " | "); len(cells) == 6 && cells[0] == "**all agents**" {
			return leftOut{cells[1], cells[2], cells[3], cells[4], cells[5]}, nil
		}
	}
	return leftOut{}, fmt.Errorf("%s has no row of all agents", path)
}

// pageWidth is how long a line of prose may be.
const pageWidth = 118

// wrapped returns the page with its prose cut anew: figures have other lengths than their places in the template.
// Tables, headings and commands stay.
func wrapped(page string) string {
	var out, paragraph []string
	isCode := false
	flush := func() {
		if len(paragraph) > 0 {
			out = append(out, fill(strings.Join(paragraph, " ")))
			paragraph = nil
		}
	}
	for line := range strings.SplitSeq(page, "\n") {
		isFence := strings.HasPrefix(line, "```")
		isCode = isCode != isFence
		switch {
		case isCode, isFence, line == "", strings.ContainsAny(line[:1], "#|<"):
			flush()
			out = append(out, line)
		default:
			if strings.HasPrefix(line, "- ") {
				flush()
			}
			paragraph = append(paragraph, strings.TrimSpace(line))
		}
	}
	flush()
	return strings.TrimRight(strings.Join(out, "\n"), "\n") + "\n"
}

// fill cuts a paragraph into lines; those of an item of a list hang.
func fill(text string) string {
	indent := ""
	if strings.HasPrefix(text, "- ") {
		indent = "  "
	}
	return strings.Join(wording.Wrap(text, pageWidth-len(indent)), "\n"+indent)
}

func readStudy(ctx context.Context, path string) (*study, error) {
	report, err := scored(ctx, path, documented)
	if err != nil {
		return nil, err
	}
	c := report.Corpora[0]
	s := &study{
		Runs: c.Runs, Loops: c.Loops, Healthy: c.Healthy, Steps: c.Steps, Scores: report.ScoresMarkdown(),
	}
	for _, row := range report.Rows {
		s.AtRepetition = append(s.AtRepetition, atRepetition{Name: row.Name()})
	}
	runs, err := stepsOf(ctx, path)
	if err != nil {
		return nil, err
	}
	for _, result := range report.Runs {
		s.add(result, runs[result.Run.Name])
	}
	return s, checkExamples(report)
}

// scored scores the reference's detectors on a corpus.
func scored(ctx context.Context, path string, detectors []string) (*score.Report, error) {
	corpus, err := score.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	contenders, err := score.Choice{Detectors: detectors}.Of(ctx, reference.Port(), "")
	if err != nil {
		return nil, err
	}
	return score.Score(ctx, []*score.Corpus{corpus}, contenders, nil)
}

// stepsOf returns the steps of all runs of a corpus, by their names.
func stepsOf(ctx context.Context, path string) (map[string][]score.Step, error) {
	corpus, err := score.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	runs := map[string][]score.Step{}
	err = corpus.Each(ctx, func(run *score.Run) error {
		runs[run.Name], _ = run.Steps()
		return nil
	})
	return runs, err
}

func (s *study) add(result score.Result, steps []score.Step) {
	if result.Run.Loop == score.Yes {
		s.addLoop(result, steps)
		return
	}
	if alarm := result.Alarms[rowHistory]; alarm != nil {
		s.History.add(*alarm, steps)
	}
	if alarm := result.Alarms[rowFingerprint]; alarm != nil {
		s.Fingerprint.add(*alarm)
	}
}

func (s *study) addLoop(result score.Result, steps []score.Step) {
	for row, alarm := range result.Alarms {
		if alarm == nil {
			continue
		}
		s.AtRepetition[row].Found++
		if restsOnRepetition(*alarm, result.Run.Pairs) {
			s.AtRepetition[row].At++
		}
	}
}

// restsOnRepetition reports whether two steps of the evidence follow one another and are labelled a repetition.
func restsOnRepetition(a alarm.Alarm, pairs []score.Relation) bool {
	for i := 1; i < len(a.Evidence); i++ {
		k := a.Evidence[i-1]
		if a.Evidence[i] == k+1 && k < len(pairs) && pairs[k] == score.Repetition {
			return true
		}
	}
	return false
}

func (h *historyAlarms) add(a alarm.Alarm, steps []score.Step) {
	edited, changed := false, false
	first, last := a.Evidence[0], a.Evidence[len(a.Evidence)-1]
	for k := first; k < last; k++ {
		edited = edited || isEdit(steps[k]) && !slices.Contains(a.Evidence, k)
	}
	for _, k := range a.Evidence {
		changed = changed || steps[k].Answered && steps[k].Result != steps[first].Result
	}
	h.All++
	h.Edited += count(edited)
	h.Changed += count(changed)
	h.Neither += count(!edited && !changed)
}

// isEdit reports whether a step changed files, as these agents do it.
func isEdit(s score.Step) bool {
	command, _ := s.Args.Get("command").Str()
	return s.Tool == "write_fix" || s.Tool == "write_patch" ||
		s.Tool == "str_replace_editor" && slices.Contains([]string{"create", "str_replace", "insert", "undo_edit"}, command)
}

func (f *fingerprintAlarms) add(a alarm.Alarm) {
	f.All++
	f.Fuzzy += count(a.Kind == string(spec.KindFuzzy))
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func readOutcomes(ctx context.Context, path string) (outcomes, error) {
	report, err := scored(ctx, path, documented)
	if err != nil {
		return outcomes{}, err
	}
	if problem := report.Corpora[0].Problem; problem != nil {
		return outcomes{}, problem
	}
	return outcomes{filepath.Base(path), report.Rows}, nil
}
