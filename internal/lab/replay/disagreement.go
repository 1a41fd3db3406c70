package replay

import (
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/internal/lists"
)

// Disagreement is a stretch of a run in which some detectors say that there is a loop, and others do not.
type Disagreement struct {
	Span
	Yes []string `json:"yes"` // the lanes' names
	No  []string `json:"no"`
}

// Disagreements returns where the lanes that see anything of the run disagree, in the run's order. Of lanes that are
// told different types of events, one holds on to what it said last.
func (r *Replay) Disagreements() []Disagreement {
	lanes := lists.Filter(r.Lanes, func(l *Lane) bool { return l.Told > 0 && !l.isOver() })
	var list []Disagreement
	bounds := boundsOf(lanes, r.Total.Events)
	for i := range len(bounds) - 1 {
		yes, no := lists.Partition(lanes, func(l *Lane) bool { return l.speaksAt(bounds[i]) })
		d := Disagreement{Span{bounds[i], bounds[i+1] - 1}, names(yes), names(no)}
		if len(d.Yes) == 0 || len(d.No) == 0 {
			continue
		}
		if n := len(list); n > 0 && list[n-1].To == d.From-1 && slices.Equal(list[n-1].Yes, d.Yes) {
			list[n-1].To = d.To
			continue
		}
		list = append(list, d)
	}
	return list
}

// boundsOf returns the events at which any lane begins or ceases to speak, and the run's end.
func boundsOf(lanes []*Lane, end int) []int {
	bounds := []int{0, end}
	for _, l := range lanes {
		for _, s := range l.Spans {
			bounds = append(bounds, s.From, s.To+1)
		}
	}
	slices.Sort(bounds)
	return slices.Compact(bounds)
}

// speaksAt reports whether an event lies in a stretch of the lane.
func (l *Lane) speaksAt(event int) bool {
	i, found := slices.BinarySearchFunc(l.Spans, event, func(s Span, event int) int { return s.From - event })
	return found || i > 0 && event <= l.Spans[i-1].To
}

// String names the events, which people count from 1.
func (s Span) String() string {
	if s.From == s.To {
		return fmt.Sprintf("event %d", s.From+1)
	}
	return fmt.Sprintf("events %d to %d", s.From+1, s.To+1)
}
