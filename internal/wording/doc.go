// Package wording has what texts for people need: lists of names, the nearest name to a mistyped one, quoting for
// shells, and texts from outside made safe to show.
package wording
