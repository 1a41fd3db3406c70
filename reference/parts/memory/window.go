package memory

import "slices"

// Window holds the latest items that were added to it, at most so many as its size. It grows as items come: a window of
// a million costs nothing before it is filled. A snapshot has its items as an array, the oldest first.
type Window[T any] struct {
	size  int
	items []T
}

// NewWindow returns an empty window.
func NewWindow[T any](size int) Window[T] { return Window[T]{size: size} }

// Add adds an item. If the window is full, its oldest item leaves it.
func (w *Window[T]) Add(item T) {
	if len(w.items) == w.size && len(w.items) == cap(w.items) { // a full window needs little room for the next items
		w.items = append(make([]T, 0, w.size+w.size/4+1), w.items...)
	}
	w.items = append(w.items, item)
	if len(w.items) > w.size {
		clear(w.items[:1]) // what only this item refers to is free now
		w.items = w.items[1:]
	}
}

// Items returns the items, the oldest first. They are valid until the window changes.
func (w *Window[T]) Items() []T { return w.items }

// Last returns the latest n items, the oldest first; fewer if the window holds fewer.
func (w *Window[T]) Last(n int) []T { return w.items[max(0, len(w.items)-n):] }

// Keep removes all but the latest n items.
func (w *Window[T]) Keep(n int) { w.items = w.Last(n) }

// Remove removes the item at a place of Items.
func (w *Window[T]) Remove(place int) { w.items = slices.Delete(w.items, place, place+1) }

// Reset removes all items.
func (w *Window[T]) Reset() { w.items = nil }
