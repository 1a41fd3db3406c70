package fuzz

import (
	"slices"
	"sync"

	"github.com/loopstone/loopstone/conformance"
)

// mostLosses bounds how many losses are told.
const mostLosses = 3

// losses are the processes that were lost, or waited for in vain, and no subject alone repeats it. Nil counts nothing.
type losses struct {
	mu    sync.Mutex // guards what follows
	n     int
	hangs int      // of them: answers that did not come in time
	told  []string // what the first of them were, a line each
}

// add counts a loss that a finding is about.
func (l *losses) add(f *Finding) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n++
	if f.Status() == conformance.Undecided {
		l.hangs++
	}
	if len(l.told) < mostLosses {
		l.told = append(l.told, f.lost())
	}
}

// so returns how many there were so far, and what the first of them were.
func (l *losses) so() (n, hangs int, told []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.n, l.hangs, slices.Clone(l.told)
}
