package pages

import (
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/internal/lab/score"
)

// examples are the first alarms that the prose of docs/results.md tells of. What else it says of these runs stands in
// the corpus, which does not change.
var examples = []struct {
	run   string
	row   int
	alarm int // the step, as the page counts: from 1
	steps int
}{
	{"openhands/django__django-14997", rowHistory, 8, 23},
	{"openhands/pydata__xarray-3364", rowFingerprint, 9, 17},
}

// checkExamples returns an error where a run is not what the page tells of it.
func checkExamples(report *score.Report) error {
	for _, e := range examples {
		i := slices.IndexFunc(report.Runs, func(r score.Result) bool { return r.Run.Name == e.run })
		if i < 0 || report.Runs[i].Steps != e.steps {
			return fmt.Errorf("the page's example %s: there is no such run of %d steps", e.run, e.steps)
		}
		if alarm := report.Runs[i].Alarms[e.row]; alarm == nil || alarm.At+1 != e.alarm {
			return fmt.Errorf("the page's example %s: %s does not report first at step %d: %+v",
				e.run, report.Rows[e.row].Name(), e.alarm, alarm)
		}
	}
	return nil
}
