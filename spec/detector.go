package spec

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
	Layout      Feature = "layout"      // their white space as the document prints it, too
	Functions   Feature = "functions"   // the detector's pure functions, except those of the next three
	Hashes      Feature = "hashes"      // history.hash
	AI          Feature = "ai"          // crow.ai_prompt, crow.ai_parse
	Merge       Feature = "merge"       // swarm.merge
	State       Feature = "state"       // the state that the document makes visible
	Snapshots   Feature = "snapshot"    // a state to go on from, in this process or another
	Mitigations Feature = "mitigations" // history's mitigations of D3's known gap
	Evidence    Feature = "evidence"    // verdicts name the events that they rest on
	IntFloat    Feature = "int-float"   // the language tells 1 from 1.0
	Replies     Feature = "replies"     // events of type reply, and the members that recordings add
	Shared      Feature = "shared"      // several sessions, in several processes, are one swarm
)

// Detector is the interface that a detector in Go implements. It observes one agent's trace, one event at a time, and
// is used by one goroutine at a time.
type Detector interface {
	// Observe observes the next event and returns the verdict after it. An event of a type that the detector does not
	// know is ignored: it is neither stored nor counted, and its verdict is the zero Verdict.
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

// Snapshotter is implemented by a Detector with snapshots (feature [Snapshots]). Restore replaces the whole state or
// nothing; its error is a [*Fault] of kind [InvalidState].
type Snapshotter interface {
	Snapshot() Value
	Restore(Value) error
}
