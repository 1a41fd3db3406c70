package pages

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/loopstone/loopstone/internal/lab/label"
	"github.com/loopstone/loopstone/internal/lab/score"
	"github.com/loopstone/loopstone/reference"
)

// scoreboard is what the page says of all detectors.
type scoreboard struct {
	Runs, Labelled, Loops int // Runs are those that the labelled ones stand for
	Solved                int
	Rows                  []boardRow
	Agents                []score.Group   // of the runs that models labelled
	Corpora               []score.Group   // the same by corpus
	Study                 []score.Group   // the agents of the runs that people labelled
	Models                label.Agreement // of the two models that labelled
	People                label.Agreement // of a model with the people of the study
}

// boardRow is a detector on the runs that models labelled, and on those that people labelled.
type boardRow struct{ Drawn, People score.Row }

// Row returns the row of a detector.
func (b *scoreboard) Row(name string) (boardRow, error) {
	i := slices.IndexFunc(b.Rows, func(r boardRow) bool { return r.Drawn.Name() == name })
	if i < 0 {
		return boardRow{}, fmt.Errorf("there is no detector %s", name)
	}
	return b.Rows[i], nil
}

// RowOf returns the row of a detector in one corpus.
func (b *scoreboard) RowOf(corpus, name string) (score.Row, error) {
	for _, c := range b.Corpora {
		for _, row := range c.Rows {
			if c.Name == corpus && row.Name() == name {
				return row, nil
			}
		}
	}
	return score.Row{}, fmt.Errorf("there is no detector %s in %s", name, corpus)
}

// labelled are the corpora that models labelled.
var labelled = []string{"enigma", "coder", "baseline"}

// readBoard scores all detectors on the runs of the folder that models labelled, and on sola-st. The labels are the
// files of docs/labels.
func readBoard(ctx context.Context, folder, labels string) (*scoreboard, error) {
	drawn, err := scoredByLabels(ctx, folder, labels)
	if err != nil {
		return nil, err
	}
	sola := filepath.Join(folder, "sola-st")
	corpus, err := score.Open(ctx, sola)
	if err != nil {
		return nil, err
	}
	people, err := scoredApart(ctx, []*score.Corpus{corpus})
	if err != nil {
		return nil, err
	}
	b := &scoreboard{}
	for i, row := range drawn.Rows {
		b.Rows = append(b.Rows, boardRow{row, people.Rows[i]})
	}
	b.Rows = withStopsBeside(b.Rows)
	b.Solved = b.Rows[0].Drawn.Solved.Of
	for _, c := range drawn.Corpora {
		b.Loops, b.Labelled = b.Loops+c.Loops, b.Labelled+c.Loops+c.Healthy
	}
	weight := 0.0
	for _, result := range drawn.Runs {
		weight += result.Run.Weight
	}
	b.Runs = int(math.Round(weight))
	b.Agents, b.Study = drawn.Agents(), people.Agents()
	b.Corpora = drawn.By(func(run *score.Run) string { return filepath.Base(run.Corpus) })
	return b, b.agree(ctx, sola, labels)
}

// labelledRuns opens the corpora that models labelled, with their labels and weights.
func labelledRuns(ctx context.Context, folder, labels string) (corpora []*score.Corpus, err error) {
	files := []string{filepath.Join(labels, "first.jsonl"), filepath.Join(labels, "decided.jsonl")}
	marked, err := score.ReadLabels(ctx, files)
	if err != nil {
		return nil, err
	}
	sample, err := score.ReadSample(ctx, filepath.Join(labels, "runs.jsonl"))
	if err != nil {
		return nil, err
	}
	for _, name := range labelled {
		c, err := score.Open(ctx, filepath.Join(folder, name))
		if err == nil {
			err = errors.Join(c.Label(marked), c.Draw(sample))
		}
		if err != nil {
			return nil, err
		}
		corpora = append(corpora, c)
	}
	return corpora, nil
}

func scoredByLabels(ctx context.Context, folder, labels string) (*score.Report, error) {
	corpora, err := labelledRuns(ctx, folder, labels)
	if err != nil {
		return nil, err
	}
	return scoredApart(ctx, corpora)
}

// scoredApart scores all detectors, and once more the stops alone of the profile whose warnings may err more often.
func scoredApart(ctx context.Context, corpora []*score.Corpus) (*score.Report, error) {
	all, err := score.Choice{Detectors: sideBySide()}.Of(ctx, reference.Port(), "")
	if err != nil {
		return nil, err
	}
	stops, err := score.Choice{Detectors: []string{"@loopstone"}, Least: "critical"}.Of(ctx, reference.Port(), "")
	if err != nil {
		return nil, err
	}
	return score.Score(ctx, corpora, append(all, stops...), nil)
}

// withStopsBeside moves the last row, the stops alone of @loopstone, below the row of @loopstone.
func withStopsBeside(rows []boardRow) []boardRow {
	last := len(rows) - 1
	i := slices.IndexFunc(rows, func(r boardRow) bool { return r.Drawn.Name() == "@loopstone" })
	return slices.Insert(slices.Clone(rows[:last]), i+1, rows[last])
}

// agree compares the labels of the two models, and those of a third with what people said.
func (b *scoreboard) agree(ctx context.Context, sola, labels string) error {
	var files [3]label.Labels
	for i, name := range []string{"first.jsonl", "second.jsonl", "sola.jsonl"} {
		var err error
		if files[i], err = label.Read(ctx, filepath.Join(labels, name)); err != nil {
			return err
		}
	}
	corpus, err := score.Open(ctx, sola)
	if err != nil {
		return err
	}
	runs, err := score.NewLabelling(ctx, corpus)
	if err != nil {
		return err
	}
	if b.Models, err = label.Agree(files[0], files[1]); err != nil {
		return err
	}
	b.People, err = label.Agree(files[2], runs.Own())
	return err
}

// percent and rate write a share, with and without a sign; rated adds its 95 % interval to the rate.
func percent(s score.Share) string {
	if s.Of == 0 {
		return "–"
	}
	return rate(s) + " %"
}

func rate(s score.Share) string {
	r, ok := s.Rate()
	if !ok {
		return "–"
	}
	return fmt.Sprintf("%.0f", 100*r)
}

func rated(s score.Share) string {
	if s.Of == 0 {
		return "–"
	}
	low, high := s.Interval()
	return fmt.Sprintf("%s (%.0f–%.0f)", rate(s), 100*low, 100*high)
}

// thousands writes a number below a million with a comma before its last three digits.
func thousands(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}

// delay writes the median delay of a row: 0 if the alarm came before the third step of the loop, and no figure if the
// detector found nearly no loop.
func delay(row score.Row) string {
	median, _, _, ok := row.Latency.Median()
	if !ok || rate(row.Same) == "0" && rate(row.InVain) == "0" {
		return "–"
	}
	return strconv.Itoa(max(0, median))
}

func figure(f float64, known bool) string {
	if !known {
		return "–"
	}
	return fmt.Sprintf("%.2f", f)
}
