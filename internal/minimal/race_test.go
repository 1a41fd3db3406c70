//go:build race

package minimal

// raced says that the race detector slows everything down.
const raced = true
