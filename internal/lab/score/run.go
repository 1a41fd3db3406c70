package score

import (
	"github.com/loopstone/loopstone/internal/lab/label"
	"github.com/loopstone/loopstone/spec"
)

// Truth is what somebody has said of a run.
type Truth int

// The three truths.
const (
	Unknown Truth = iota
	Yes
	No
)

func truthOf(b bool) Truth {
	if b {
		return Yes
	}
	return No
}

// Relation is how a step of an agent relates to the step before it, as the study of sola-st names it.
type Relation string

// Repetition is the relation of a step that does the last one again.
const Repetition Relation = "Repetition"

// Run is one run of an agent, with what is known of it.
type Run struct {
	Corpus string       `json:"-"`
	Name   string       `json:"name"`            // unique in its corpus
	Place  string       `json:"-"`               // as a file of labels names it
	Agent  string       `json:"agent,omitempty"` // where the recording names it
	Events []spec.Value `json:"-"`

	Loop   Truth      `json:"loop"`            // as it was labelled, or by Pairs
	Pairs  []Relation `json:"pairs,omitempty"` // Pairs[i] is that of the steps i and i+1; nil where nobody labelled them
	Solved Truth      `json:"solved"`          // the outcome

	Spans []label.Span `json:"spans,omitempty"` // its loops, where a file of labels has the run

	Weight float64 `json:"weight,omitempty"` // how many runs it stands for, if it was drawn; 0 if it was not
	Task   string  `json:"task,omitempty"`   // what it worked at, where a sample says it

	unweighed bool // it has a label, which does not count: a sample names it without a weight
}

// undrawn returns what counts of a run for its outcome, which is known of all runs of a corpus and not only of those
// that were drawn: its task, and a weight of one if that is known.
func (r *Run) undrawn() Run {
	return Run{Corpus: r.Corpus, Name: r.Name, Task: r.Task, Weight: float64(count(r.Task != ""))}
}

// weight returns for how many runs the run counts.
func (r *Run) weight() float64 {
	if r.Weight == 0 {
		return 1
	}
	return r.Weight
}

// task names what the run worked at. A run of which nobody says it has a task of its own.
func (r *Run) task() string {
	if r.Task != "" {
		return r.Task
	}
	return r.Corpus + "\x00" + r.Name
}

// Labelled reports whether anything is known of the run.
func (r *Run) Labelled() bool { return r.Loop != Unknown || r.Solved != Unknown || len(r.Pairs) > 0 }

// setPairs takes over labels of pairs. A run is a loop where three steps or more, one after the other, are joined by
// Repetition.
func (r *Run) setPairs(pairs []Relation) {
	r.Pairs = pairs
	r.Loop = truthOf(thirdStep(pairs) >= 0)
}

// third returns the step, from 0, with which the first loop has its third step; -1 where nobody marked the steps.
func (r *Run) third() int {
	if len(r.Spans) > 0 {
		return r.Spans[0].First + 1
	}
	return thirdStep(r.Pairs)
}

// thirdStep returns the step, from 0, with which the first loop has its third: from there on it can be known. It is -1
// where there is no loop.
func thirdStep(pairs []Relation) int {
	for i := 1; i < len(pairs); i++ {
		if pairs[i-1] == Repetition && pairs[i] == Repetition {
			return i + 1
		}
	}
	return -1
}

// Step is one call of a tool and what came of it.
type Step struct {
	Tool     string
	Args     spec.Value
	Result   string
	Answered bool // whether a result came at all
}

// Steps returns the steps of the run, and for each event the step that it belongs to. What happens before the first
// call belongs to the first.
func (r *Run) Steps() ([]Step, []int) {
	var steps []Step
	of := make([]int, len(r.Events))
	byID := map[string]int{}
	for i, event := range r.Events {
		of[i] = max(0, len(steps)-1)
		switch spec.TypeOf(event) {
		case spec.ToolCall:
			of[i] = len(steps)
			if id, ok := event.Get("id").Str(); ok {
				byID[id] = len(steps)
			}
			steps = append(steps, Step{Tool: event.Get("tool").Text(), Args: event.Get("args")})
		case spec.Reply: // of which the next call is a part
			of[i] = len(steps)
		case spec.ToolResult:
			if id, ok := event.Get("call").Str(); ok {
				if k, known := byID[id]; known {
					of[i] = k
				}
			}
			if len(steps) > 0 {
				s := &steps[of[i]]
				s.Result, s.Answered = event.Get("content").Text(), true
			}
		}
	}
	for i := range of {
		of[i] = min(of[i], max(0, len(steps)-1))
	}
	return steps, of
}
