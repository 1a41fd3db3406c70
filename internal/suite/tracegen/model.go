package tracegen

import (
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/spec"
)

// model is what must be known to draw for a detector, beyond its row in the table of the specification.
type model struct {
	templates []func(*draft) template            // each is drawn with its relative frequency
	settings  map[string]func(*draft) spec.Value // how those are drawn that the cases hold no such values of

	// numbers may stand in arguments of calls, beyond those that mean the same in every language. Where the detector
	// knows the feature int-float, they need it.
	numbers []string

	events int  // of a template, mostly; 0 where that is one
	ruled  bool // it is what its configuration makes of it: one of defaults tells little

	// These may be nil.
	common  func(*draft)                                            // draws what all templates have in common
	prefix  func() []laws.Step                                      // steps that seldom stand before the others
	derived func(r spec.Reading, of func(setting string) int) []int // further marks
	// how often two templates must take turns to be a loop
	alternations func(r spec.Reading, of func(setting string) int) int
}

var models = map[spec.DetectorID]model{
	spec.Fingerprint: {
		templates: []func(*draft) template{
			(*draft).callTemplate, (*draft).callTemplate, (*draft).callTemplate, (*draft).callTemplate,
			(*draft).workTemplate, (*draft).resultTemplate, (*draft).testRunTemplate, (*draft).messageTemplate,
		},
		numbers: doubles,
		prefix:  callsWithIDs, // no step asks for what a port may have forgotten then
	},
	spec.Signature: {templates: []func(*draft) template{(*draft).outputTemplate}},
	spec.History: {
		templates: []func(*draft) template{(*draft).callTemplate},
		settings:  map[string]func(*draft) spec.Value{"tool_limits": (*draft).toolLimits},
		numbers:   slices.Concat(pythons, infinities),
	},
	spec.Crow: {
		templates: []func(*draft) template{
			(*draft).stepTemplate, (*draft).stepTemplate, (*draft).stepTemplate, (*draft).parallelTemplate,
			(*draft).loneCallTemplate, (*draft).messageTemplate,
		},
		numbers: pythons,
		common:  (*draft).crowCommon,
		derived: func(r spec.Reading, of func(string) int) []int {
			if r == spec.Text {
				return []int{3, 4, 6, 12, 24}
			}
			n := of("threshold_cycles")
			return []int{n, 2 * n, n + 3, 2 * (n + 3)}
		},
		alternations: func(r spec.Reading, of func(string) int) int {
			if r == spec.Text {
				return 6
			}
			return of("threshold_cycles") + 3
		},
	},
	spec.Swarm:  {templates: []func(*draft) template{(*draft).callTemplate}, numbers: doubles},
	spec.Ralph:  {templates: []func(*draft) template{(*draft).similarTemplate}, common: (*draft).similarCommon},
	spec.Guards: {templates: []func(*draft) template{(*draft).iterationTemplate}},
	spec.Composed: {
		templates: []func(*draft) template{(*draft).composedTemplate},
		settings:  map[string]func(*draft) spec.Value{"rules": (*draft).composedRules},
		numbers:   doubles,
		events:    2,
		ruled:     true,
	},
	spec.Stream: {templates: []func(*draft) template{(*draft).streamTemplate}, settings: streamSettings, ruled: true},
}

// neutral is the model of a detector that nothing is known of: agents that do all that events can tell.
var neutral = model{templates: []func(*draft) template{
	(*draft).callTemplate, (*draft).callTemplate, (*draft).callTemplate, (*draft).workTemplate, (*draft).outputTemplate,
	(*draft).messageTemplate, (*draft).iterationTemplate, (*draft).otherTemplate,
}}

// newTemplate draws a template of the trace.
func (d *draft) newTemplate() template {
	if len(d.templates) == 1 {
		return d.templates[0](d)
	}
	return pick(d.dice, d.templates)(d)
}

// neverDrawn reports whether no subject has the setting: a subject is played several times, and two sessions with the
// name of one swarm would be one.
func neverDrawn(p spec.Parameter) bool { return p.Needs == spec.Shared }

// modelOf returns the model of a detector of the specification. It panics with the name of what is missing.
func modelOf(d spec.Definition) model {
	w, known := models[d.ID.Row()]
	if !known {
		panic(fmt.Sprintf("internal/suite/tracegen/model.go has no model of the detector %q", d.ID))
	}
	for _, p := range slices.DeleteFunc(slices.Clone(d.Settings), neverDrawn) {
		if isOfCases(p) && fromCases().settings[p.Name] == nil {
			panic(fmt.Sprintf("no case has a value of the setting %s of %s, to be drawn", p.Name, d.ID))
		}
	}
	for name := range d.Functions {
		if !canBeCalled(name) {
			panic(fmt.Sprintf("internal/suite/tracegen/function.go does not say how to call %s, and no case does", name))
		}
	}
	return w
}

// config draws a configuration that is not refused. Each member is absent as often as not, in short traces less often;
// a threshold may be above its window.
func (d *draft) config() spec.Value {
	if !d.model.ruled && d.oneIn(4) || d.model.ruled && d.oneIn(16) {
		return spec.Value{}
	}
	var members []spec.Member
	for _, p := range d.settings {
		if !d.offer.HasSetting(p.Name) || !d.model.ruled && (d.small() && d.oneIn(4) || !d.small() && d.maybe()) {
			continue
		}
		members = append(members, spec.Member{Name: p.Name, Value: d.setting(p)})
	}
	return spec.ObjectValue(members...)
}

// setting draws a value that is not refused.
func (d *draft) setting(p spec.Parameter) spec.Value {
	switch draw := d.model.settings[p.Name]; {
	case draw != nil:
		return draw(d)
	case isOfCases(p):
		text := d.text
		if d.ID == spec.Guards && p.Name == "signature" { // a configuration, whose only text is a reading
			text = func() string { return string(pick(d.dice, []spec.Reading{spec.Text, spec.Code})) }
		}
		return d.recombined(fromCases().settings[p.Name], text)
	default:
		return d.number(p)
	}
}

// isOfCases reports whether the values of a setting are those of the cases: no numbers, and those that are not to be
// small: ralph's similarity, and crow's window, which its rules begin to fit in at certain sizes.
func isOfCases(p spec.Parameter) bool {
	return p.Kind != spec.Number || p.Use == spec.Percent || p.Name == "recent"
}

// small reports whether the configuration shall let the rules speak after few events. It is not, where templates must
// take turns for long: rules that need fewer events would speak before that one.
func (d *draft) small() bool { return !d.long && d.model.alternations == nil }

// number draws a number that events can come up to.
func (d *draft) number(p spec.Parameter) spec.Value {
	most := map[spec.Use]int{spec.Threshold: 6, spec.Percent: 6, spec.Window: 12, spec.Limit: 12, spec.Interval: 4}[p.Use]
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
			if p.Name == name && p.Use != spec.Percent && p.Use != spec.Interval {
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
		if p.Kind == spec.Array {
			marks = append(marks, countsIn(p, config.Get(p.Name))...)
		}
	}
	marks = append(marks, s.fixed...)
	if s.model.derived != nil {
		marks = append(marks, s.model.derived(s.reading, of)...)
	}
	return append(marks, 3)
}

// countsIn returns the thresholds and windows within a setting that is an object, or a list of objects.
func countsIn(p spec.Parameter, v spec.Value) (counts []int) {
	for _, item := range v.Items() {
		counts = append(counts, countsIn(p, item)...)
	}
	for _, inner := range p.Members {
		n, isCount := v.Get(inner.Name).Int()
		if isCount && (inner.Use == spec.Threshold || inner.Use == spec.Window) {
			counts = append(counts, n)
		}
		counts = append(counts, countsIn(inner, v.Get(inner.Name))...)
	}
	return counts
}

// toolLimits draws limits of tools that traces have.
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
