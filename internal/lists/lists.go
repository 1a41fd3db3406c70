// Package lists has what package slices lacks: the items of a list that pass a test, the first of them, those that
// belong together, and what each item becomes.
package lists

import "slices"

// Map returns what each item becomes.
func Map[T, U any](list []T, of func(T) U) []U {
	mapped := make([]U, len(list))
	for i, item := range list {
		mapped[i] = of(item)
	}
	return mapped
}

// Strings returns names of any string type as plain texts.
func Strings[T ~string](names []T) []string {
	return Map(names, func(name T) string { return string(name) })
}

// Filter returns the items that pass.
func Filter[T any](list []T, passes func(T) bool) (passing []T) {
	for _, item := range list {
		if passes(item) {
			passing = append(passing, item)
		}
	}
	return passing
}

// Count returns how many items pass.
func Count[T any](list []T, passes func(T) bool) (n int) {
	for _, item := range list {
		if passes(item) {
			n++
		}
	}
	return n
}

// Find returns the first item that passes, and whether there is one.
func Find[T any](list []T, passes func(T) bool) (found T, ok bool) {
	i := slices.IndexFunc(list, passes)
	if i < 0 {
		return found, false
	}
	return list[i], true
}

// Partition returns the items that pass, and the others.
func Partition[T any](list []T, passes func(T) bool) (passing, others []T) {
	for _, item := range list {
		if passes(item) {
			passing = append(passing, item)
		} else {
			others = append(others, item)
		}
	}
	return passing, others
}

// Grouped returns the items with the same key together, in the order in which the keys turn up.
func Grouped[T any, K comparable](list []T, key func(T) K) (groups [][]T) {
	at := map[K]int{}
	for _, item := range list {
		i, known := at[key(item)]
		if !known {
			i = len(groups)
			at[key(item)], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], item)
	}
	return groups
}
