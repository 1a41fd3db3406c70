// Package toy is the reference for an example: the same output again is a loop. The rule stands in this file;
// detector.go finds the same verdicts event by event. The clauses are in spec/clauses/toy.md.
package toy

import "github.com/loopstone/loopstone/spec"

// config is a configuration: how many equal outputs in a row are a loop.
type config struct{ times int }

// readConfig reads a configuration; its error is a [*spec.Fault] of kind [spec.InvalidConfig].
func readConfig(v spec.Value) (config, error) {
	c := config{times: 2} // TY-2
	err := spec.ReadConfig(v, map[string]spec.Setting{"times": spec.AtLeast(1, &c.times)})
	return c, err
}

// verdict is the verdict after the trace, which is not empty.
func verdict(c config, trace []spec.Event) spec.Verdict {
	if trace[len(trace)-1].Type != spec.Output { // TY-1
		return spec.Verdict{}
	}
	var run []int // the latest equal outputs
	text := ""
	for _, e := range trace {
		switch {
		case e.Type != spec.Output: // TY-1
		case len(run) > 0 && e.Text == text: // TY-3
			run = append(run, e.Index)
		default:
			run, text = []int{e.Index}, e.Text
		}
	}
	return echo(c, len(run), run[max(0, len(run)-spec.MaxEvidence):])
}

// echo is the verdict on so many equal outputs in a row.
func echo(c config, count int, evidence []int) spec.Verdict {
	if count < c.times { // TY-3
		return spec.Verdict{}
	}
	return spec.Verdict{Loop: true, Kind: spec.KindEcho, Count: count, Evidence: evidence} // TY-3, TY-4
}
