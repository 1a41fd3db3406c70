// Package benchmarks measures the reference in Go: each detector alone, and everything around it.
//
// The packages below it measure and compare ports of any language: workload holds the traces, pipe measures a port
// behind the stdio protocol, growth asks whether its cost grows, compare judges two sets of results, gate two
// revisions of this module, and figures puts the reference, its ports and the documents' own listings side by side.
// README.md tells how to read all that.
package benchmarks
