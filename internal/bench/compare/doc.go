// Package compare judges two sets of benchmark results, in Go's benchmark format, with benchstat's statistics: the
// median, its confidence interval, and the Mann-Whitney U-test of whether two samples differ at all.
//
// It differs from benchstat in what it refuses. A comparison that could not have come out badly is an error here: a
// benchmark that is on one side only, results of another machine, samples too few for any difference to be
// significant.
package compare
