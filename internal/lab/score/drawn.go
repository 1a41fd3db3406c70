package score

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/loopstone/loopstone/internal/lab/label"
	"github.com/loopstone/loopstone/internal/suite/userfiles"
	"github.com/loopstone/loopstone/internal/wording"
)

// Drawn is a run of a sample. Weight is how many runs of the corpus it stands for; a run without a weight was not
// drawn, and only its outcome counts. Task, Agent and Solved say what the recording does not.
type Drawn struct {
	Corpus string  `json:"corpus"`
	Run    string  `json:"run"`
	Weight float64 `json:"weight,omitempty"`
	Task   string  `json:"task,omitempty"`
	Agent  string  `json:"agent,omitempty"`
	Solved *bool   `json:"solved,omitempty"`
}

func (d Drawn) run() label.Run { return label.Run{Corpus: d.Corpus, Run: d.Run} }

// WriteSample writes what was drawn, a line for each run.
func WriteSample(w io.Writer, drawn []Drawn) error {
	out := json.NewEncoder(w)
	for _, d := range drawn {
		if err := out.Encode(d); err != nil {
			return err
		}
	}
	return nil
}

// ReadSample reads what [WriteSample] wrote. Its error has file and line.
func ReadSample(ctx context.Context, path string) ([]Drawn, error) {
	text, err := userfiles.Read(ctx, path, userfiles.MostReport)
	if err != nil {
		return nil, err
	}
	var list []Drawn
	line := map[label.Run]int{}
	for n, text := range bytes.Split(bytes.TrimRight(text, "\n"), []byte{'\n'}) {
		d, err := parseDrawn(text)
		if err == nil && line[d.run()] > 0 {
			err = fmt.Errorf("the run %s is on line %d, too", d.Run, line[d.run()])
		}
		if err != nil {
			return nil, userfiles.Wrong(fmt.Errorf("%s:%d: %w", path, n+1, err))
		}
		line[d.run()] = n + 1
		list = append(list, d)
	}
	return list, nil
}

// leastWeight and mostWeight bound a weight, so that a sum of weights is never infinite, nor a share of them undefined.
const leastWeight, mostWeight = 1e-9, 1e9

func parseDrawn(line []byte) (d Drawn, err error) {
	var given struct {
		Weight *float64 `json:"weight"`
	}
	switch err = cmp.Or(wording.ReadWholeJSON(line, &d), wording.ReadJSON(line, &given)); {
	case err != nil:
	case d.Corpus == "" || d.Run == "":
		err = errors.New("want corpus and run")
	case given.Weight != nil && (d.Weight < leastWeight || d.Weight > mostWeight):
		err = fmt.Errorf("weight is %g; want the number of runs that it represents, from %g to %g", d.Weight, leastWeight,
			mostWeight)
	}
	if err != nil {
		return d, fmt.Errorf("no run of a sample: %w", err)
	}
	return d, nil
}

// Keep leaves the runs that a sample names, and no others.
func (l *Labelling) Keep(ctx context.Context, path string) error {
	drawn, err := ReadSample(ctx, path)
	if err != nil {
		return err
	}
	known := map[label.Run]bool{}
	for _, run := range l.runs {
		known[run] = true
	}
	l.runs = nil
	for _, d := range drawn {
		switch {
		case d.Weight == 0 || d.Corpus != l.corpus.labelName():
		case !known[d.run()]:
			return userfiles.Wrong(fmt.Errorf("%s: %s holds no run %s", path, l.corpus.Path, d.Run))
		default:
			l.runs = append(l.runs, d.run())
		}
	}
	if len(l.runs) == 0 {
		return userfiles.Wrong(fmt.Errorf("%s: no run of it is of a corpus of the name %s", path, l.corpus.labelName()))
	}
	return nil
}

// Draw makes only the labels of the runs count that were drawn, each with its weight. It is an error if none is of the
// corpus.
func (c *Corpus) Draw(sample []Drawn) error {
	drawn := map[string]Drawn{}
	for _, d := range sample {
		if d.Corpus == c.labelName() {
			drawn[d.Run] = d
		}
	}
	if len(drawn) == 0 {
		return fmt.Errorf("%s: no run of the sample is of a corpus of the name %s", c.Path, c.labelName())
	}
	c.want(slices.Collect(maps.Keys(drawn)))
	c.changes = append(c.changes, func(run *Run) error {
		run.take(drawn[run.Place])
		return nil
	})
	return nil
}

// withoutWeight is the note of a run whose label does not count.
const withoutWeight = "its label does not count: the sample names it without a weight"

// take takes over what a sample says of the run.
func (r *Run) take(d Drawn) {
	if d.Weight == 0 {
		r.unweighed = d.Run != "" && r.Loop != Unknown
		r.Loop, r.Pairs, r.Spans = Unknown, nil, nil
	}
	r.Weight, r.Task, r.Agent = d.Weight, d.Task, cmp.Or(d.Agent, r.Agent)
	if d.Solved != nil {
		r.Solved = truthOf(*d.Solved)
	}
}
