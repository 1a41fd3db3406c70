// Package benchmarks measures the reference in Go: each detector alone, and everything around it.
//
// Package internal/suite/bench measures and compares ports of any language: it holds the workloads, measures a port
// behind the stdio protocol, finds how its cost grows, and compares two sets of results. README.md explains the
// figures.
package benchmarks
