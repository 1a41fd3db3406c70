package history

import "iter"

// noLimit stands for the limit of a tool that has none.
const noLimit = -1

// restored is the index of a call from before a restore: no evidence can name it.
const restored = -1

// call is what the window keeps of a tool call.
type call struct {
	hash    digest // of the tool and its arguments
	word    digest // of the tool and the first word of its command
	hasWord bool   // whether there is such a word, and a rule that counts it
	limit   int    // position of the tool's limit in the settings, or noLimit
	index   int    // position in the session, or restored
}

// window holds the last calls, at most size of them. It grows as calls come, and is a ring once it is full.
type window struct {
	size   int
	calls  []call
	oldest int // position in calls of the oldest one
}

// push takes a call in; old is the one that leaves for it, where one does.
func (w *window) push(c call) (old call, left bool) {
	if len(w.calls) < w.size {
		w.calls = append(w.calls, c)
		return call{}, false
	}
	old = w.calls[w.oldest]
	w.calls[w.oldest] = c
	w.oldest = (w.oldest + 1) % w.size
	return old, true
}

// latestFirst yields the calls from the latest to the oldest.
func (w *window) latestFirst() iter.Seq[call] {
	return func(yield func(call) bool) {
		n := len(w.calls)
		for i := range n {
			if !yield(w.calls[(w.oldest+n-1-i)%n]) {
				return
			}
		}
	}
}
