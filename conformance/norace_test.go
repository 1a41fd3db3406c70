//go:build !race

package conformance_test

// raced says that the race detector slows everything down.
const raced = false
