// Package spec is Loopstone's vocabulary in Go: events, verdicts, detectors, ports, and the texts of the
// clauses that they are judged by.
//
// Two interfaces matter. A [Detector] is what the author of a Go detector writes: it sees one event at a time and
// says after each whether the agent is stuck. A [Port] is what everything that tests talks to: it speaks in JSON
// values, exactly as the stdio protocol does, so that a Go detector, a foreign process and a deliberately broken
// detector are checked by the same code. [NewHost] turns detectors into a Port.
//
// Who only wants to run the suite on a detector in another language needs none of this: see the README.
package spec
