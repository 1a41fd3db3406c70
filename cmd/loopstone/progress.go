package main

import (
	"fmt"
	"io"
	"time"
)

// progressPause is how often the line changes: often enough to look alive, seldom enough to cost nothing.
const progressPause = 100 * time.Millisecond

// progress is one line at a terminal that is written over; in a pipe it is nothing.
type progress struct {
	w     io.Writer // nil where there is no terminal
	shown time.Time
}

func newProgress(w io.Writer) *progress {
	if !isTerminal(w) {
		return &progress{}
	}
	return &progress{w: w}
}

// show says how many of the cases are done.
func (p *progress) show(done, n int) {
	if p.w == nil || done < n && time.Since(p.shown) < progressPause {
		return
	}
	p.shown = time.Now()
	fmt.Fprintf(p.w, "\r%d of %d cases ", done, n)
}

// line shows a line of its own making.
func (p *progress) line(text string) {
	if p.w == nil {
		return
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s", text)
}

func (p *progress) clear() {
	if p.w != nil {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}
