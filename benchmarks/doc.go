// Package benchmarks measures the reference in Go: each detector alone, and everything around it.
//
// The packages of internal/bench measure and compare ports of any language: workload holds the traces, pipe measures a
// port behind the stdio protocol and asks whether its cost grows, compare judges two sets of results, and gate two
// revisions of this module. README.md tells how to read all that.
package benchmarks
