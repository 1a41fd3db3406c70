package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lab/agentlogs"
	"github.com/loopstone/loopstone/internal/wording"
)

// progressPause is how often the line changes: often enough to look alive, seldom enough to cost nothing.
const progressPause = 100 * time.Millisecond

// leastLine is how wide a terminal is taken to be at least, in characters.
const leastLine = 20

// silence is how long nothing happens before the line says so.
const silence = 2 * time.Second

// progress is one line at a terminal that is written over; in a pipe and in CI it is nothing.
type progress struct {
	width int            // of the terminal
	all   int            // tests
	over  chan struct{}  // closed by clear
	watch sync.WaitGroup // for silence

	mu     sync.Mutex // guards what follows: tests end while the line is watched
	w      io.Writer  // nil where there is no terminal
	done   int        // tests
	failed int        // of these
	latest string     // the id of the latest of them
	late   int        // of the tests: without an answer
	began  time.Time  // the first of them
	last   time.Time  // when one was done
	shown  time.Time
}

func newProgress(w io.Writer) *progress {
	if !isTerminal(w) || inCI() {
		return &progress{}
	}
	return progressOn(w)
}

// inCI reports whether this is a run of CI, whose logs keep each state of the line; some have a terminal.
func inCI() bool {
	ci := os.Getenv("CI")
	return ci != "" && ci != "false"
}

// progressOn returns the line of a terminal. Whoever has it clears it.
func progressOn(w io.Writer) *progress {
	now := time.Now()
	return &progress{w: w, width: widthOf(streams{out: w}, usualWidth), began: now, last: now, over: make(chan struct{})}
}

// tests takes in results of tests.
func (p *progress) tests(results ...conformance.Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, r := range results {
		switch r.Status {
		case conformance.Passed, conformance.Skipped, conformance.Known:
		case conformance.Undecided:
			p.late++
		default:
			p.failed++
			p.latest = r.Case
		}
	}
	p.done += len(results)
	p.last = time.Now()
	if p.done == p.all || time.Since(p.shown) >= progressPause {
		p.show()
	}
}

// begin takes in how many tests there are, and from now on shows how long none was done.
func (p *progress) begin(tests func() int) {
	if p.w == nil {
		return
	}
	p.all = tests()
	p.watch.Go(func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-p.over:
				return
			case <-tick.C:
				p.mu.Lock()
				if time.Since(p.last) >= silence {
					p.show()
				}
				p.mu.Unlock()
			}
		}
	})
}

// show shows how far the tests are. Whoever calls it holds mu.
func (p *progress) show() {
	p.shown = time.Now()
	p.write(p.text(p.shown))
}

// text says how many tests are done and how many of them failed, with the latest of these, and how long the rest takes
// or, if the port is silent, how long no test was done.
func (p *progress) text(now time.Time) string {
	text := fmt.Sprintf("%d of %d tests", p.done, p.all)
	if p.failed > 0 {
		text += fmt.Sprintf(", %d failed", p.failed)
	}
	if p.late > 0 {
		text += fmt.Sprintf(", %d without an answer", p.late)
	}
	if quiet := now.Sub(p.last); quiet >= silence && p.done < p.all {
		text += fmt.Sprintf(", none done for %s", quiet.Round(time.Second))
	} else {
		text += timeLeft(p.done, p.all, now.Sub(p.began))
	}
	if p.latest != "" {
		text += "; latest failure: " + p.latest
	}
	return text
}

// timeLeft says how long the rest takes if each test takes as long as those that are done; nothing in the first second,
// which tells little, and where nothing is left.
func timeLeft(done, all int, elapsed time.Duration) string {
	if done == 0 || done >= all || elapsed < time.Second {
		return ""
	}
	left := elapsed * time.Duration(all-done) / time.Duration(done)
	return fmt.Sprintf(", about %s left", max(left.Round(time.Second), time.Second))
}

// logs shows how many logs are done, and how long the rest takes.
func (p *progress) logs(done, all int) {
	if now := time.Now(); p.w != nil && (done == all || now.Sub(p.shown) >= progressPause) {
		p.shown = now
		p.line(fmt.Sprintf("%d of %d logs%s", done, all, timeLeft(done, all, now.Sub(p.began))))
	}
}

// reading returns a sink that shows how many events it was handed, and of which log the latest was. How many will come
// is not known before all are read.
func (p *progress) reading(sink agentlogs.Sink) agentlogs.Sink {
	if p.w == nil {
		return sink
	}
	take, events := sink.Event, 0
	sink.Event = func(e agentlogs.Event) error {
		if now := time.Now(); now.Sub(p.shown) >= progressPause {
			p.shown = now
			p.line(fmt.Sprintf("%d events, now of %s", events, wording.Line(filepath.Base(e.Run.Source))))
		}
		events++
		return take(e)
	}
	return sink
}

// line shows a line of its own making.
func (p *progress) line(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.write(text)
}

func (p *progress) write(text string) {
	if p.w != nil {
		fmt.Fprintf(p.w, "\r\x1b[K%s", wording.Cut(text, max(p.width, leastLine)-1)) // a wrapped line cannot be written over
	}
}

// clear ends the line.
func (p *progress) clear() {
	if p.over != nil {
		close(p.over)
		p.watch.Wait()
		p.over = nil
	}
	p.line("")
}
