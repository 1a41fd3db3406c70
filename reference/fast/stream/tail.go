package stream

import (
	rules "github.com/loopstone/loopstone/reference/stream"
	"github.com/loopstone/loopstone/spec"
)

// tail knows, for each period, how many of the latest characters equal the character one period before them.
type tail struct {
	config rules.Config
	text   []rune // the latest characters: as many as the longest period has, and at most twice as many
	runs   []int  // by period, from the shortest on
}

func (t *tail) start() { t.text, t.runs = t.text[:0], t.runs[:0] }

func (t *tail) add(r rune) (spec.Verdict, int) { // ST-8
	c := t.config
	if len(t.text) >= 2*c.TailTo {
		t.text = append(t.text[:0], t.text[len(t.text)-c.TailTo:]...)
	}
	t.text = append(t.text, r)
	longest := min(c.TailTo, len(t.text))
	if len(t.runs) < longest-c.TailFrom+1 {
		t.runs = append(t.runs, 0)
	}
	found := 0
	for i := range t.runs {
		period := c.TailFrom + i
		if at := len(t.text) - 1 - period; at >= 0 && t.text[at] == r {
			t.runs[i]++
		} else {
			t.runs[i] = 0
		}
		if found == 0 && t.runs[i] >= period*(c.TailCopies-1) {
			found = period
		}
	}
	if found == 0 {
		return spec.Verdict{}, 0
	}
	copies := t.runs[found-c.TailFrom]/found + 1
	return rules.Tail(copies, found), copies * found
}
