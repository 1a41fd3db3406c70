package conformance

import (
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// task is one case in one reading, and what came of it.
type task struct {
	c       cases.Case
	reading spec.Reading
	result  Result
}

// plan makes a task of every case in every reading that it holds for. Those that the port cannot be asked are
// answered already: skipped, with the reason.
func plan(suite []cases.Case, port spec.Description) []*task {
	var tasks []*task
	for _, c := range suite {
		if c.Detector == cases.Protocol {
			continue
		}
		for _, reading := range c.Readings {
			t := &task{c: c, reading: reading, result: newResult(c, reading)}
			t.skip(port)
			tasks = append(tasks, t)
		}
	}
	return tasks
}

func newResult(c cases.Case, reading spec.Reading) Result {
	return Result{
		Case: c.ID, Detector: c.Detector, Reading: reading, Title: c.Title, Clauses: c.Clauses, Tags: c.Tags,
		File: c.Place.File, Line: c.Place.Line, Why: c.Why,
	}
}

// skip marks the task as skipped where the port does not declare what it needs.
func (t *task) skip(port spec.Description) {
	offer, ok := port.Offer(t.c.Detector)
	switch {
	case !ok:
		t.result.Reason = fmt.Sprintf("the port does not offer the detector %s", t.c.Detector)
	case !slices.Contains(offer.Readings, t.reading):
		t.result.Reason = fmt.Sprintf("the port does not offer %s in the reading %s", t.c.Detector, t.reading)
	default:
		for _, f := range t.c.Needs {
			if !slices.Contains(offer.Features, f) {
				t.result.Missing = append(t.result.Missing, f)
			}
		}
		if t.result.Missing == nil {
			return
		}
		t.result.Reason = fmt.Sprintf("the port does not declare %s for %s", list(t.result.Missing), t.c.Detector)
	}
	t.result.Status = Skipped
}

// NewResult returns the result of a case in a reading before it is run: skipped already where the port cannot be asked,
// else without a status.
func NewResult(c cases.Case, reading spec.Reading, port spec.Description) Result {
	t := &task{c: c, reading: reading, result: newResult(c, reading)}
	t.skip(port)
	return t.result
}

func list[T ~string](words []T) string {
	text := ""
	for i, w := range words {
		if i > 0 {
			text += ", "
		}
		text += string(w)
	}
	return text
}
