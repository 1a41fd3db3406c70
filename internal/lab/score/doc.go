// Package score says how good detectors are on runs of real agents with labels: what they find, what they alarm at in
// vain, how late they are and what they save. A detector is a [spec.Port]'s; the reference and a process behind the
// pipe stand in one table.
//
// Two kinds of label are never mixed. That a run is a loop, a person or a language model has said who read it. That a
// run solved its task is an outcome: agents fail for many reasons, so an alarm in a failed run may be right or wrong.
//
// The commands score and tune use it. Without labels, a [Differ] finds the shortest traces on which two detectors
// disagree.
package score
