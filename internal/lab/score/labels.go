package score

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/internal/lab/label"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// Labels are those of files, by run. A later file wins, and in a file a later labeller.
type Labels map[label.Run]label.Label

// ReadLabels reads files of labels.
func ReadLabels(ctx context.Context, paths []string) (Labels, error) {
	all := Labels{}
	for _, path := range paths {
		list, err := label.Read(ctx, path)
		if err != nil {
			return nil, err
		}
		for _, l := range list {
			all[label.Run{Corpus: l.Corpus, Run: l.Run}] = l
		}
	}
	return all, nil
}

// labelName is the name of the corpus in a file of labels: the name of its folder or file.
func (c *Corpus) labelName() string {
	path, err := filepath.Abs(c.Path)
	if err != nil {
		path = c.Path
	}
	return filepath.Base(path)
}

// Label makes the labels count instead of what the corpus itself says of loops. A run that none of them decides keeps
// what the corpus says. It is an error if no label is about the corpus.
func (c *Corpus) Label(labels Labels) error {
	var names []string
	for run := range labels {
		if run.Corpus == c.labelName() {
			names = append(names, run.Run)
		}
	}
	if len(names) == 0 {
		return fmt.Errorf("%s: no label is about a corpus of the name %s", c.Path, c.labelName())
	}
	c.want(names)
	c.changes = append(c.changes, func(run *Run) error {
		l, ok := labels[label.Run{Corpus: c.labelName(), Run: run.Place}]
		if !ok || !l.Decides() {
			return nil
		}
		steps, _ := run.Steps()
		if len(steps) != l.Steps {
			return fmt.Errorf("the label of %s in %s is of a run of %d steps, but the run has %d",
				run.Place, c.labelName(), l.Steps, len(steps))
		}
		run.Loop, run.Spans, run.Pairs = truthOf(l.HasLoop()), l.Spans, nil
		return nil
	})
	return nil
}

// want notes which runs the corpus must have.
func (c *Corpus) want(names []string) {
	for _, name := range names {
		c.wanted[name] = false
	}
}

// meet notes that the corpus has a run.
func (c *Corpus) meet(place string) {
	if _, ok := c.wanted[place]; ok {
		c.wanted[place] = true
	}
}

// mostNames is how many characters of names an error has at most.
const mostNames = 300

// unmet returns the error of labels, or of a sample, whose runs the corpus does not have.
func (c *Corpus) unmet() error {
	var missing []string
	for run, met := range c.wanted {
		if !met {
			missing = append(missing, run)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	return fmt.Errorf("%s: labels or a sample name runs that it does not hold: %s", c.Path,
		wording.Cut(wording.Join(lists.Map(missing, wording.Line), ", "), mostNames))
}

// Labelling are the runs of a corpus for those who label them.
type Labelling struct {
	corpus *Corpus
	units  []unit
	runs   []label.Run
	unitOf map[label.Run]int
	own    label.Labels // what the corpus itself says
}

// NewLabelling reads a corpus once, to learn which runs it has. Runs without a step are left out.
func NewLabelling(ctx context.Context, c *Corpus) (*Labelling, error) {
	units, err := unitsOf([]*Corpus{c})
	if err != nil {
		return nil, err
	}
	l := &Labelling{corpus: c, units: units, unitOf: map[label.Run]int{}}
	for i := range units {
		found, err := units[i].visit(ctx, l.add(i))
		c.take(found, nil)
		c.Problem = errors.Join(c.Problem, err)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return l, c.wantsRuns(len(l.runs))
}

func (l *Labelling) add(unit int) func(*Run) error {
	return func(run *Run) error {
		name := label.Run{Corpus: l.corpus.labelName(), Run: run.Place}
		steps, _ := run.Steps()
		if len(steps) == 0 {
			return nil
		}
		if _, ok := l.unitOf[name]; ok {
			return fmt.Errorf("two runs are named %s", run.Place)
		}
		l.runs, l.unitOf[name] = append(l.runs, name), unit
		if len(run.Pairs) > 0 || run.Loop == No {
			l.own = append(l.own, label.Label{
				Corpus: name.Corpus, Run: name.Run, Labeller: "the corpus", Steps: len(steps), Finished: true, Spans: run.spans(),
			})
		}
		return nil
	}
}

// Runs lists the runs that have steps.
func (l *Labelling) Runs() []label.Run { return slices.Clone(l.runs) }

// Own returns the labels that the corpus itself has. A run that it calls a loop, without saying which steps, is left
// out.
func (l *Labelling) Own() label.Labels { return l.own }

// Steps reads the steps of a run.
func (l *Labelling) Steps(ctx context.Context, name label.Run) ([]label.Step, error) {
	unit, ok := l.unitOf[name]
	if !ok {
		return nil, fmt.Errorf("%s holds no run %s", l.corpus.Path, name.Run)
	}
	var steps []label.Step
	found, err := l.units[unit].visit(ctx, func(run *Run) error {
		if run.Place == name.Run {
			steps = run.shown()
		}
		return nil
	})
	switch {
	case steps != nil: // of a broken file all is shown that could be read
		return steps, nil
	case err == nil && found.Problem != "":
		err = errors.New(found.Problem)
	}
	return nil, err
}

// shown returns the steps with what was said before each, and behind the last.
func (r *Run) shown() []label.Step {
	steps, _ := r.Steps()
	list := make([]label.Step, 0, len(steps))
	var said []string
	for _, event := range r.Events {
		typ := spec.TypeOf(event)
		if text := saidBy(typ, event); text != "" {
			said = append(said, text)
		}
		if typ != spec.ToolCall {
			continue
		}
		s := steps[len(list)]
		step := label.Step{Before: said, Tool: s.Tool, Args: argsOf(s).String()}
		if s.Answered {
			step.Result = &s.Result
		}
		list, said = append(list, step), nil
	}
	if n := len(list); n > 0 {
		list[n-1].After = said
	}
	return list
}

// saidBy returns what an event says that is neither a call nor its result.
func saidBy(typ spec.EventType, event spec.Value) string {
	member := map[spec.EventType]string{
		spec.ToolCall: "thought", spec.Message: "content", spec.Output: "text", spec.Iteration: "output",
		spec.ErrorEvent: "message",
	}[typ]
	text := event.Get(member).Text()
	if role, ok := event.Get("role").Str(); ok && text != "" {
		return role + ": " + text
	}
	return strings.TrimSpace(text)
}

// spans returns the loops of which the corpus says the steps: three or more in a row, joined by Repetition.
func (r *Run) spans() []label.Span {
	spans := []label.Span{}
	for i := 0; i < len(r.Pairs); i++ {
		first := i
		for i < len(r.Pairs) && r.Pairs[i] == Repetition {
			i++
		}
		if i-first >= 2 {
			spans = append(spans, label.Span{First: first + 1, Last: i + 1, Kind: label.Same})
		}
	}
	return spans
}
