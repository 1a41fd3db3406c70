// Package spec is Loopstone's vocabulary in Go: events, verdicts, detectors, ports, and the texts of the clauses that
// they are judged by.
//
// Two interfaces matter. A [Detector] is what the author of a Go detector writes: it sees one event at a time and says
// after each whether the agent is stuck. A [Port] is what the suite tests: it takes and returns JSON values, exactly as
// the stdio protocol does. So the same code checks a Go detector, a foreign process and a deliberately broken detector.
// [NewHost] turns detectors into a Port.
//
// Beside the Go files lie the texts: clauses has the specification itself, claims and profiles what is known of
// documents and agents, and schema the JSON Schemas, which are made from tools/projecttests/templates. Nothing here
// runs, judges or prints.
//
// You need none of this to run the suite on a detector in another language: see the README.
package spec
