package stdio

import (
	"fmt"
	"time"
)

// watch ends the link when an answer is overdue.
func (l *link) watch() {
	defer l.clock.Stop()
	for {
		select {
		case <-l.over:
			return
		case <-l.clock.C:
			if late := l.overdue(); late != nil {
				l.fail(late)
			}
		}
	}
}

// deadline returns until when the oldest call must be answered: its limit runs from when it was sent or, where that
// came later, from the answer before it. It is zero where nothing is due, or where the adapter has ended, so that the
// output will tell in a moment which answers it still gave.
func (l *link) deadline() time.Time {
	oldest := l.pending.oldest()
	if oldest == nil || oldest.limit == 0 || l.silent || l.process.hasExited() {
		return time.Time{}
	}
	start := oldest.sent
	if l.lastAnswer.After(start) {
		start = l.lastAnswer
	}
	return start.Add(oldest.limit)
}

// setClock makes the clock ring at the deadline or before it. As every answer moves the deadline, an alarm that is set
// too early is left as it is: overdue looks again when it rings.
func (l *link) setClock() {
	deadline := l.deadline()
	if deadline.IsZero() || !l.alarm.IsZero() && !deadline.Before(l.alarm) {
		return
	}
	l.alarm = deadline
	l.clock.Reset(time.Until(deadline))
}

// overdue returns what to fail with where the oldest call's time is up, and sets the clock again where it is not.
func (l *link) overdue() *ProcessError {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.alarm = time.Time{}
	deadline := l.deadline()
	if deadline.IsZero() || time.Now().Before(deadline) {
		l.setClock()
		return nil
	}
	problem := fmt.Sprintf("no answer within %s", l.pending.oldest().limit)
	if l.writing {
		problem += ", and it does not read its input"
	}
	return &ProcessError{Reason: TimedOut, Problem: problem}
}
