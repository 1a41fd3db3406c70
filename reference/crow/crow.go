// Package crow is the reference of the detector crow: five patterns over the last events of an agent (D5).
//
// D5 describes the patterns twice. The reading code (see codeReading) does what D5's listing does when it runs; the
// reading text (see textReading) does what its prose, its headings and its test promise. Both look at the same window
// of events and speak in the same words.
//
// Neither goes through the window at an event. Each rule keeps up to date what it counts: an event is added when it
// enters the window and taken away when it leaves.
package crow

import "github.com/loopstone/loopstone/spec"

// Implementation returns the detector with both of D5's readings.
func Implementation() spec.Implementation {
	profile, _ := spec.ProfileOf(spec.Crow)
	return spec.Implementation{
		Offer: spec.Offer{Detector: spec.Crow, Readings: profile.Readings, Features: profile.Features},
		New: func(reading spec.Reading, config spec.Value) (spec.Detector, error) {
			d, err := New(reading, config)
			if err != nil {
				return nil, err
			}
			return d, nil
		},
		Functions: map[string]func(spec.Reading, spec.Value) (spec.Value, error){ // CR-57
			"crow.recovery":  func(_ spec.Reading, args spec.Value) (spec.Value, error) { return recovery(args) },
			"crow.ai_prompt": func(_ spec.Reading, args spec.Value) (spec.Value, error) { return aiPrompt(args) },
			"crow.ai_parse":  func(_ spec.Reading, args spec.Value) (spec.Value, error) { return aiParse(args) },
		},
	}
}

// Detector watches one agent's trace. Use [New] to make one.
type Detector struct {
	recent     int // events looked at; 0 for all
	checkEvery int // events from one check to the next

	window     queue[spec.Event] // those looked at; the index of one from before a restore is beforeRestore
	sinceCheck int               // events stored since the last check
	rules      rules
	log        *spec.ClauseLog
}

// rules is one reading of the five patterns.
type rules interface {
	add(spec.Event)        // it entered the window
	drop(spec.Event)       // it left the window; it was the oldest
	verdict() spec.Verdict // on the events in the window
	clear()
	logClauses(*spec.ClauseLog)
}

// Default sizes (D5#integration-with-react-loop, D5#performance-considerations).
const (
	codeRecent = 20
	textRecent = 50
	codeCycles = 3
)

// New returns a detector with an empty trace. The members of the configuration are recent (at least 0), check_every
// and, in the reading code only, threshold_cycles (both at least 1); an absent one stands for the defaults. The error is
// a [*spec.Fault] of kind [spec.InvalidConfig].
func New(reading spec.Reading, config spec.Value) (*Detector, error) {
	d := &Detector{checkEvery: 1}
	cycles := codeCycles
	settings := map[string]spec.Setting{ // CR-10, CR-11
		"recent":      spec.AtLeast(0, &d.recent),
		"check_every": spec.AtLeast(1, &d.checkEvery),
	}
	if reading == spec.Text {
		d.recent = textRecent // CR-7
		d.rules = newTextReading()
		return d, spec.ReadConfig(config, settings)
	}
	d.recent = codeRecent                                   // CR-6
	settings["threshold_cycles"] = spec.AtLeast(1, &cycles) // CR-9
	err := spec.ReadConfig(config, settings)
	d.rules = newCodeReading(cycles)
	return d, err
}

// Observe stores an event of the four types that D5 knows and, where a check is due, asks the rules.
func (d *Detector) Observe(e spec.Event) spec.Verdict {
	if !observed(e.Type) {
		d.log.Apply("CR-1")
		return spec.Verdict{}
	}
	d.log.Apply("CR-1")
	d.log.Apply("CR-5")
	d.log.Apply("CR-8")
	d.store(e)
	d.sinceCheck++
	if d.sinceCheck < d.checkEvery { // CR-8
		return spec.Verdict{}
	}
	d.sinceCheck = 0
	d.log.Apply("CR-12")
	d.log.Apply("CR-13")
	v := d.rules.verdict() // CR-13
	if v.Loop {
		d.logVerdict(v)
	}
	return v
}

// logVerdict notes the clauses that words of a verdict rest on.
func (d *Detector) logVerdict(v spec.Verdict) {
	for _, id := range []string{"CR-14", "CR-15", wordClauses[v.Kind]} {
		d.log.Apply(id)
	}
}

// observed reports whether events of the type are stored. // CR-1
func observed(t spec.EventType) bool {
	return t == spec.ToolCall || t == spec.ToolResult || t == spec.ErrorEvent || t == spec.Message
}

// store lets the event into the window, and the oldest one out where the window is full. // CR-5
func (d *Detector) store(e spec.Event) {
	if d.recent > 0 && d.window.size == d.recent {
		d.rules.drop(*d.window.at(0))
		d.window.drop()
	}
	*d.window.push() = e
	d.rules.add(e)
}

// Reset forgets all events and keeps the configuration. // CR-58
func (d *Detector) Reset() {
	d.log.Apply("CR-58")
	d.window.clear()
	d.sinceCheck = 0
	d.rules.clear()
}

// LogClauses implements [spec.ClauseLogger].
func (d *Detector) LogClauses(l *spec.ClauseLog) {
	d.log = l
	d.rules.logClauses(l)
}
