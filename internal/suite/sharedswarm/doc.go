// Package sharedswarm tests the feature `shared` of the detector swarm: several instances of a port, each in a process
// of its own, must count calls together, as if one counted.
//
// It draws plans, in which instances are asked for several things at the same time, and asks for each whether the
// answers can be explained by some order in which everything took effect at one moment (linearizability; porcupine
// searches). A failure is made as short as it can be. As two requests at the same time do not meet in every run, each
// shorter plan is tried several times, each time on a swarm of its own.
package sharedswarm
