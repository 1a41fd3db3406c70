package stream

import (
	"github.com/loopstone/loopstone/reference/parts/memory"
	"github.com/loopstone/loopstone/spec"
)

// tail is what the rule tail remembers of a text.
type tail struct {
	Text text `json:"text"` // the latest characters: as many as the longest period has

	// Repeats has, for each period from the shortest on, how many of the latest characters equal the character one
	// period before them. It has no period that is longer than the text.
	Repeats memory.Window[memory.Count] `json:"repeats"`
}

func (c *Config) emptyTail() tail {
	return tail{newText(c.TailTo), memory.NewWindow[memory.Count](max(c.TailTo-c.TailFrom+1, 0))}
}

// tail adds a character to the text, and judges whether the text ends with copies of one period: of the shortest that
// has enough of them.
func (c *Config) tail(m *tail, r rune) finding { // ST-8
	before := m.Text.Items()
	if next := c.TailFrom + len(m.Repeats.Items()); next <= min(c.TailTo, len(before)+1) {
		m.Repeats.Add(0)
	}
	shortest := 0
	repeats := m.Repeats.Items()
	for i := range repeats {
		period := c.TailFrom + i
		if period <= len(before) && before[len(before)-period] == r {
			repeats[i].Add()
		} else {
			repeats[i] = 0
		}
		if shortest == 0 && int(repeats[i]) >= period*(c.TailCopies-1) {
			shortest = period
		}
	}
	m.Text.Add(r)
	if shortest == 0 {
		return finding{}
	}
	copies := int(repeats[shortest-c.TailFrom])/shortest + 1
	v := spec.Verdict{Loop: true, Kind: spec.KindTail, Count: copies, Period: shortest} // ST-17
	return finding{v, copies * shortest}
}
