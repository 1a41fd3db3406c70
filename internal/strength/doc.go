// Package strength measures how many faults of a detector the suite's cases catch. It plants faults in the reference,
// one at a time, and lets the cases judge each of these mutants: one that passes them all has survived, and shows a
// fault that a port can have without anyone noticing.
//
// The reference itself is never touched. Mutated copies of its files are compiled into one program (see package
// mutation), in which a number says which fault is on.
package strength
