// Package growth asks whether a port's cost per event grows with the events that it has observed (PR-36). It feeds one
// workload to fresh processes, n, 2n, 4n and 8n events long, and fits a power law to the time that they took: an
// exponent of 1 means that each event costs the same, one of 2 that a detector counts anew what it has seen.
package growth
