// Package words has what texts for people need: lists of names, the nearest name to a mistyped one, quoting for shells,
// and texts from outside made safe to show.
package words

import "strings"

// Of returns names of any string type as plain texts.
func Of[T ~string](names []T) []string {
	return By(names, func(name T) T { return name })
}

// By returns the name of each thing.
func By[T any, S ~string](things []T, name func(T) S) []string {
	list := make([]string, len(things))
	for i, thing := range things {
		list[i] = string(name(thing))
	}
	return list
}

// Join returns names in one text.
func Join[T ~string](names []T, separator string) string { return strings.Join(Of(names), separator) }

// Partition returns the items that isSo accepts, and the others.
func Partition[T any](list []T, isSo func(T) bool) (these, others []T) {
	for _, item := range list {
		if isSo(item) {
			these = append(these, item)
		} else {
			others = append(others, item)
		}
	}
	return these, others
}

// Among returns the items of a list that are wanted.
func Among[T any](list []T, wanted func(T) bool) (these []T) {
	for _, item := range list {
		if wanted(item) {
			these = append(these, item)
		}
	}
	return these
}
