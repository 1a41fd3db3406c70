package spec

// DetectorID names a detector of the specification.
type DetectorID string

// The seven detectors.
const (
	Fingerprint DetectorID = "fingerprint"
	Signature   DetectorID = "signature"
	History     DetectorID = "history"
	Crow        DetectorID = "crow"
	Swarm       DetectorID = "swarm"
	Ralph       DetectorID = "ralph"
	Guards      DetectorID = "guards"
)

// Reading names one way to understand a document that contradicts itself.
type Reading string

// The readings.
const (
	Text Reading = "text" // what the document's prose and examples say
	Code Reading = "code" // what its listing does when it runs
)

// Feature names an optional ability of a port, declared per detector.
type Feature string

// The features.
const (
	Messages    Feature = "messages"    // the exact or required texts to inject
	Functions   Feature = "functions"   // the detector's pure functions, but for those of the three that follow
	Hashes      Feature = "hashes"      // history.hash
	AI          Feature = "ai"          // crow.ai_prompt, crow.ai_parse
	Merge       Feature = "merge"       // swarm.merge
	State       Feature = "state"       // the state that the document makes visible
	Snapshots   Feature = "snapshot"    // a state to go on from, in this process or another
	Mitigations Feature = "mitigations" // history's mitigations of D3's known gap
	Evidence    Feature = "evidence"    // verdicts name the events that they rest on
	IntFloat    Feature = "int-float"   // the language tells 1 from 1.0
)

// Profile is what the specification says of one detector: what a port of it can declare.
type Profile struct {
	ID        DetectorID
	Prefix    string // of its clauses' ids
	Title     string
	Documents []string
	Readings  []Reading
	Features  []Feature
	Functions map[string]Feature // the pure functions, each with the feature that it belongs to
}

// Profiles lists the detectors of the specification, in the order of its reports.
func Profiles() []Profile {
	return []Profile{
		{
			Fingerprint, "FP", "runs of identical or similar tool calls, with nudges",
			[]string{"D1"},
			[]Reading{Text},
			[]Feature{Messages, Functions, State, Snapshots, Evidence},
			map[string]Feature{"fingerprint.compute": Functions, "fingerprint.nudge": Functions},
		},
		{
			Signature, "SG", "repeated signatures of outputs",
			[]string{"D2"},
			[]Reading{Code, Text},
			[]Feature{Functions, Snapshots, Evidence},
			map[string]Feature{"signature.extract": Functions, "signature.report": Functions},
		},
		{
			History, "HI", "repeated hashes of tool calls within a window",
			[]string{"D3", "D4"},
			[]Reading{Code},
			[]Feature{Hashes, Mitigations, Snapshots, Evidence, IntFloat},
			map[string]Feature{"history.hash": Hashes},
		},
		{
			Crow, "CR", "five patterns over recent events",
			[]string{"D5"},
			[]Reading{Code, Text},
			[]Feature{Functions, AI, Snapshots, Evidence, IntFloat},
			map[string]Feature{"crow.recovery": Functions, "crow.ai_prompt": AI, "crow.ai_parse": AI},
		},
		{
			Swarm, "SW", "the same call by many workers",
			[]string{"D1"},
			[]Reading{Text},
			[]Feature{Messages, Merge, Snapshots, Evidence},
			map[string]Feature{"swarm.merge": Merge},
		},
		{
			Ralph, "RA", "similar outputs",
			[]string{"D2"},
			[]Reading{Text},
			[]Feature{Functions, Snapshots, Evidence},
			map[string]Feature{"ralph.ratio": Functions},
		},
		{
			Guards, "GU", "limits on iterations, runtime, loops and errors",
			[]string{"D2", "D3"},
			[]Reading{Text},
			[]Feature{Snapshots, Evidence},
			nil,
		},
	}
}

// ProfileOf returns a detector's profile and whether the specification has such a detector.
func ProfileOf(id DetectorID) (Profile, bool) {
	for _, p := range Profiles() {
		if p.ID == id {
			return p, true
		}
	}
	return Profile{}, false
}

// Detector is what the author of a detector in Go writes: one agent's trace, one event at a time. A Detector is used
// by one goroutine at a time.
type Detector interface {
	// Observe takes in the next event and says whether the agent is stuck after it. An event of a type that the
	// detector does not know is ignored: neither stored nor counted, and its verdict is the zero Verdict.
	Observe(Event) Verdict
	// Reset forgets all events and keeps the configuration.
	Reset()
}

// EventChecker is implemented by a Detector that demands more of events than the protocol does. CheckEvent changes
// nothing; its error is a [*Fault] of kind [InvalidEvent].
type EventChecker interface {
	CheckEvent(Event) error
}

// Stater is implemented by a Detector whose document makes a state visible (feature [State]).
type Stater interface {
	State() Value
}

// Snapshotter is implemented by a Detector whose state can be taken out and put back (feature [Snapshots]). Restore
// replaces the state, whole or not at all; its error is a [*Fault] of kind [InvalidState].
type Snapshotter interface {
	Snapshot() Value
	Restore(Value) error
}

// WholeTrace returns a Detector that keeps every event since the last reset, and asks verdict after each for the
// whole trace: it is as plain as it is slow, for its cost grows with the trace. The function must not change the trace.
func WholeTrace(verdict func(trace []Event) Verdict) Detector { return &wholeTrace{verdict: verdict} }

type wholeTrace struct {
	verdict func([]Event) Verdict
	trace   []Event
}

func (d *wholeTrace) Observe(e Event) Verdict {
	d.trace = append(d.trace, e)
	return d.verdict(d.trace)
}

func (d *wholeTrace) Reset() { d.trace = nil }
