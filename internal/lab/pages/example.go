package pages

import (
	"fmt"
	"strings"

	"github.com/loopstone/loopstone/internal/lab/score"
)

// example is what the page's prose says of one run; it must be so.
type example struct {
	run   string
	row   int
	alarm int // the step of the first alarm, as the page counts: from 1
	steps int
	says  map[int]string // what the call of a step holds
	ends  string         // what the last result holds
	same  [2]int         // the first and the last of steps that are all the same call, with the same result
}

var examples = []example{
	{
		run: "openhands/django__django-14997", row: rowHistory, alarm: 8, steps: 23,
		says: map[int]string{
			4: "python reproduce_issue.py", 6: "python reproduce_issue.py", 7: "str_replace", 8: "python reproduce_issue.py",
			20: "str_replace", 21: "str_replace", 22: "str_replace", 23: "python reproduce_issue.py",
		},
		ends: "Migrations applied successfully!",
	},
	{
		run: "openhands/pydata__xarray-3364", row: rowFingerprint, alarm: 9, steps: 17,
		says: map[int]string{6: "concat.py", 7: "concat.py", 8: "concat.py", 9: "concat.py"},
	},
	{
		run: "repairagent/Cli_39", row: rowHistory, alarm: 17, steps: 39,
		says: map[int]string{29: "extract_method_code", 30: "extract_method_code", 31: "TypeHandler.java"},
	},
	{
		run: "openhands/django__django-11283", row: rowHistory, alarm: 12, steps: 33,
		says: map[int]string{1: "ls -la", 2: "ls -la", 3: "ls -la"},
	},
	{
		run: "repairagent/Math_28", row: rowCrowText, alarm: 22, steps: 38,
		says: map[int]string{19: "get_classes_and_methods"},
		ends: "referenced before assignment",
		same: [2]int{19, 38},
	},
}

// checkExamples returns an error where a run is not what the page tells of it.
func checkExamples(report *score.Report, runs map[string][]score.Step) error {
	for _, e := range examples {
		if err := e.check(report, runs[e.run]); err != nil {
			return fmt.Errorf("the page's example %s is not as it tells: %w", e.run, err)
		}
	}
	return nil
}

func (e example) check(report *score.Report, steps []score.Step) error {
	if len(steps) != e.steps {
		return fmt.Errorf("want %d steps, got %d", e.steps, len(steps))
	}
	for _, result := range report.Runs {
		if result.Run.Name != e.run {
			continue
		}
		if alarm := result.Alarms[e.row]; alarm == nil || alarm.Step+1 != e.alarm {
			return fmt.Errorf("%s does not speak at step %d first: %+v", report.Rows[e.row].Name(), e.alarm, alarm)
		}
	}
	for at, want := range e.says {
		if s := steps[at-1]; !strings.Contains(s.Tool+" "+s.Args.String(), want) {
			return fmt.Errorf("step %d holds no %q", at, want)
		}
	}
	for at := e.same[0] + 1; at <= e.same[1]; at++ {
		s, before := steps[at-1], steps[at-2]
		if s.Tool != before.Tool || s.Args.Canonical() != before.Args.Canonical() || s.Result != before.Result {
			return fmt.Errorf("step %d is not the same as step %d", at, at-1)
		}
	}
	if last := steps[len(steps)-1]; !strings.Contains(last.Result, e.ends) {
		return fmt.Errorf("it does not end with %q", e.ends)
	}
	return nil
}
