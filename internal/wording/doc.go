// Package wording has what texts for people need: lists of names, the nearest name to a mistyped one, quoting for
// shells, texts from outside made safe to show, and errors of JSON without words of Go.
package wording
