package generate

import "github.com/loopstone/loopstone/spec"

// config draws a configuration that is not refused. Each member is absent as often as not, in short traces less often;
// a threshold may be above its window.
func (d *draft) config() spec.Value {
	if d.oneIn(4) {
		return spec.Value{}
	}
	var members []spec.Member
	for _, p := range d.settings {
		if d.offer.HasSetting(p.Name) && !d.leavesOut() {
			members = append(members, spec.Member{Name: p.Name, Value: d.setting(p)})
		}
	}
	return spec.ObjectValue(members...)
}

// small reports whether the configuration shall let the rules speak after few events. It is not, where letters must take
// turns for long: rules that need fewer events would speak before that one.
func (d *draft) small() bool { return !d.long && d.world.swaps == nil }

// leavesOut reports whether a member of the configuration is absent.
func (d *draft) leavesOut() bool {
	if d.small() {
		return d.oneIn(4)
	}
	return d.maybe()
}

// setting draws one that is not refused.
func (d *draft) setting(p spec.Parameter) spec.Value {
	if s := d.world.settings[p.Name]; s.draw != nil {
		return s.draw(d)
	}
	return d.number(p)
}

// number draws a number that events can come up to.
func (d *draft) number(p spec.Parameter) spec.Value {
	most := map[spec.Use]int{spec.Threshold: 6, spec.Window: 12, spec.Limit: 12, spec.Interval: 4}[p.Use]
	return spec.IntValue(d.between(p.Least, d.atMost(most)))
}

// atMost returns the highest number that a configuration gets of those that it may have.
func (d *draft) atMost(most int) int {
	if d.small() {
		return min(most, lowSetting)
	}
	return most
}

// in returns a function that looks up an integer setting in a configuration: where it is absent, its default where
// that counts events, and 0 otherwise.
func (s *scope) in(config spec.Value) func(name string) int {
	return func(name string) int {
		if n, ok := config.Get(name).Int(); ok {
			return n
		}
		for _, p := range s.settings {
			if p.Name == name && !p.Percent && p.Use != spec.Interval {
				n, _ := p.Usual(s.reading).Int()
				return n
			}
		}
		return 0
	}
}

// marksOf returns the numbers of events that something may change about; there is at least one.
func (s *scope) marksOf(config spec.Value) []int {
	of := s.in(config)
	var marks []int
	for _, p := range s.settings {
		if n := of(p.Name); n > 0 {
			marks = append(marks, n)
		}
	}
	if s.world.derived != nil {
		marks = append(marks, s.world.derived(s.reading, of)...)
	}
	return append(marks, 3)
}

// normalize draws a list of tools whose arguments do not count.
func (d *draft) normalize() spec.Value {
	tools := make([]string, d.below(3))
	for i := range tools {
		tools[i] = pick(d.dice, toolNames)
	}
	return spec.StringsValue(tools)
}

// toolLimits draws limits of some tools.
func (d *draft) toolLimits() spec.Value {
	var members []spec.Member
	many := d.between(2, 4)
	if d.oneIn(8) {
		many = 0
	}
	for range many {
		if name := pick(d.dice, toolNames[:8]); !hasMember(members, name) {
			members = append(members, spec.Member{Name: name, Value: spec.IntValue(d.between(1, d.atMost(6)))})
		}
	}
	return spec.ObjectValue(members...)
}

// recents are sizes of crow's window at which its rules begin to fit in; 0 is no limit.
var recents = []int{24, 0, 12, 16, 25, 30, 20, 28, 8, 6, 26}

// recent draws the size of crow's window.
func (d *draft) recent() spec.Value {
	if d.maybe() {
		return spec.IntValue(pick(d.dice, recents))
	}
	return spec.IntValue(d.below(31))
}

var percentages = []int{90, 50, 95, 100, 80, 75, 67, 34, 1, 89, 91, 66, 99, 101, 2}

func (d *draft) similarity() spec.Value { return spec.IntValue(pick(d.dice, percentages)) }

// signatureSettings draws the configuration of the detector that the guards ask.
func (d *draft) signatureSettings() spec.Value {
	var members []spec.Member
	if d.maybe() {
		reading := pick(d.dice, []spec.Reading{spec.Text, spec.Code})
		members = append(members, spec.Member{Name: "reading", Value: spec.StringValue(string(reading))})
	}
	inner, _ := spec.DefinitionOf(spec.Signature)
	for _, p := range inner.Settings {
		if d.maybe() {
			members = append(members, spec.Member{Name: p.Name, Value: d.number(p)})
		}
	}
	return spec.ObjectValue(members...)
}
