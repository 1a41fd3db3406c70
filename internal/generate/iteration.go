package generate

import "github.com/loopstone/loopstone/spec"

var iterationType = spec.StringValue(string(spec.Iteration))

// iterationLetter is of iterations that print the same and end the same; near ones end otherwise, or print something
// else. Time goes on, mostly.
func (d *draft) iterationLetter() letter {
	text, failed := d.output(), d.maybe()
	return func(d *draft, near bool) {
		output, failed := text, failed
		if near {
			if d.maybe() {
				output = d.nearOutput(text)
			} else {
				failed = !failed
			}
		}
		d.emit(spec.ObjectValue(
			spec.Member{Name: "type", Value: iterationType},
			spec.Member{Name: "elapsed_s", Value: d.elapsed()},
			spec.Member{Name: "output", Value: spec.StringValue(output)},
			spec.Member{Name: "failed", Value: spec.BoolValue(failed)},
		))
	}
}

// oddTimes are no times that an agent would tell.
var oddTimes = numbers("0", "-1", "0.999", "1e1", "2.0", "1e-7", "1e300", "-0.0")

// elapsed returns the seconds since the start: in steps of a half, so that a limit of whole seconds is met exactly,
// just missed and passed.
func (d *draft) elapsed() spec.Value {
	if d.oneIn(32) {
		return pick(d.dice, oddTimes)
	}
	d.clock += d.below(3)
	if d.clock%2 == 0 {
		return spec.IntValue(d.clock / 2)
	}
	return spec.FloatValue(float64(d.clock) / 2)
}
