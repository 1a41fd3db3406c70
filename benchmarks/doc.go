// Package benchmarks measures this project in Go: each reference detector, the pipe, the parsing of events and logs,
// the suite in shards, and the memory that a session and a run hold. README.md explains the figures. Ports of any
// language are measured by loopstone bench, which is package internal/suite/bench.
package benchmarks
