// Package declared checks what a port declares of itself: whether its names are those of the specification, and what a
// case needs that the port lacks. It also wraps a port so that it has no more than it declares.
package declared
