// Package shared is the detector swarm for workers in several processes, on several machines: the totals are in a Redis
// that all processes reach. Sessions that name the same swarm share it; a session without a name has a swarm of its
// own.
//
// Each request is one round trip: a script counts a whole batch at one moment, so no report is lost or counted twice,
// and no snapshot shows half a batch. Ports of several languages need to share only the scripts report.lua, replace.lua
// and snapshot.lua, which run with ids.lua before them and say which keys there are. The clauses are SW-32 to SW-43 in
// spec/clauses/swarm.md.
//
// If all workers are in one process, package reference/swarm is enough: it counts in memory.
package shared
