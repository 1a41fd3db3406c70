package memory

import "github.com/loopstone/loopstone/spec"

// Count is a number of events. It stops at [spec.MaxCount].
type Count int

// Add counts one more event.
func (c *Count) Add() { *c = min(*c+1, spec.MaxCount) }

// Streak counts events in a row, however many, and keeps the indices of the latest for evidence. The zero Streak is
// empty and may become as long as [spec.MaxCount]. A snapshot has its length.
type Streak struct {
	cut    Count // how far below spec.MaxCount it stops
	length Count
	trail  Trail
}

// NewStreak returns an empty streak that stops at a length.
func NewStreak(most int) Streak { return Streak{cut: spec.MaxCount - Count(most)} }

// Len returns how many events the streak has.
func (s *Streak) Len() int { return int(s.length) }

// Evidence returns the indices of the latest events, at most [spec.MaxEvidence], ascending; nil if all events are from
// before a restore. No caller may write to it.
func (s *Streak) Evidence() []int { return s.trail.Last(s.Len()) }

// Add lengthens the streak by the event with this index.
func (s *Streak) Add(index int) {
	s.length = min(s.length+1, spec.MaxCount-s.cut)
	s.trail.Add(index)
}

// AddOrEnd lengthens the streak by the event with this index, or ends the streak.
func (s *Streak) AddOrEnd(index int, lengthens bool) {
	if lengthens {
		s.Add(index)
	} else {
		s.Reset()
	}
}

// Reset ends the streak.
func (s *Streak) Reset() { s.length, s.trail = 0, Trail{} }
