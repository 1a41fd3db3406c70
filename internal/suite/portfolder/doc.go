// Package portfolder has what stands in the folder of a port: loopstone.yaml, which says how the port is judged, so
// that a call needs no flags; the record of what failed last; and the watch for what changes.
package portfolder
