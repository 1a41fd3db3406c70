// Package minimal finds what a suite could do without: steps that show nothing, cases that are another one in other
// words, and texts that were copied.
//
// A case with a step too many hides what it is about, and one more copy of a case makes a fault of a port look like two.
package minimal
