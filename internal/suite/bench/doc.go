// Package bench measures a port, in any language, behind the stdio protocol: what an event costs when requests come in
// a stream, how long one call takes when the caller waits for each answer, what the pipe alone costs, and how much
// memory the port holds at the end. Results are written in Go's benchmark format, for benchstat; two sets of them can
// be compared.
//
// Every sample is taken of a process of its own, so that neither the layout of its memory nor what it was asked before
// stands behind a whole series of samples; the samples of all benchmarks, and of all ports that are compared, take
// turns, so that a machine that slows down for a while slows down all of them.
package bench
