package rulecases

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/reference/stream"
	"github.com/loopstone/loopstone/spec"
)

// roomForEnds is by how much a copy is longer than the shortest one that the rule takes: what a port leaves out at its
// ends is less.
const roomForEnds = 7

// mostAlike is how many characters the copies of one text may have that are compared.
const mostAlike = 5000

// likeText returns the traces of a likeness in which one of several copies of a text differs from the others.
func (a aliker) likeText(l likeness) (groups []alike) {
	c := profile.StreamOf(a.Fixed)
	if len(c.Channels) == 0 {
		return nil
	}
	for _, kind := range slices.Compact(slices.Sorted(slices.Values(c.Rules))) {
		size, n := copied(c, kind)
		if size*n > mostAlike {
			continue
		}
		if l.word == "long" {
			groups = added(groups, "ST-5", a.longPieces(c, kind))
			continue
		}
		clause := "ST-7"
		if kind == spec.KindLines {
			clause = "ST-15"
		}
		for _, p := range l.texts {
			for at := range places {
				if trace := a.copiesBut(c, kind, p, at); trace != nil {
					groups = added(groups, clause, [][]spec.Value{trace})
				}
			}
		}
	}
	return groups
}

// places is how many places of a copy may have a value: its beginning, its middle and its end.
const places = 3

// copiesBut returns copies of a text with one value, but with another value in the last copy; nil if the rule does not
// report copies that have one and the same value, or if other copies than these are what it reports.
func (a aliker) copiesBut(c stream.Config, kind spec.VerdictKind, p [2]string, at int) []spec.Value {
	size, n := copied(c, kind)
	for _, size := range []int{size, size + roomForEnds} {
		rest := prose(max(size-utf8.RuneCountInString(p[0]), 0))
		if len(rest) < places || a.budget.isSpent() {
			continue
		}
		one, other := copyOf(kind, rest, p[0], at), copyOf(kind, rest, p[1], at)
		base := deltas(slices.Repeat([]string{one}, n), c.Channels[0])
		trace := deltas(append(slices.Repeat([]string{one}, n-1), other), c.Channels[0])
		differs := a.differ(base, trace)
		alone := a.play(deltas(slices.Repeat([]string{other}, n), c.Channels[0]))
		if endsInLoop(alone) && (differs || kind == spec.KindLines) && a.asks(base) && a.asks(trace) {
			return trace
		}
	}
	return nil
}

// copyOf returns a text with a value at a place; for the rule lines, a line.
func copyOf(kind spec.VerdictKind, rest, value string, at int) string {
	middle := len(rest) * at / (places - 1)
	text := rest[:middle] + value + rest[middle:]
	if kind == spec.KindLines {
		return text + "\n"
	}
	return text
}

// longPieces returns copies behind, and before, more characters than some ports read of a piece; of lines, which are to
// be their share of the text, long copies.
func (a aliker) longPieces(c stream.Config, kind spec.VerdictKind) (traces [][]spec.Value) {
	size, n := copied(c, kind)
	copies := strings.Repeat(copyOf(kind, prose(size), "", 0), n)
	for _, length := range []int{profile.MostOfPiece - len(copies) - 1, len(longText)} {
		pieces := []string{prose(max(length, 0)) + "\n" + copies, copies + prose(max(length, 0))}
		if kind == spec.KindLines {
			pieces = []string{strings.Repeat(copyOf(kind, prose(max(length/n, 0)), "", 0), n)}
		}
		for _, piece := range pieces {
			trace := deltas([]string{piece}, c.Channels[0])
			if length > 0 && a.asks(trace) {
				traces = append(traces, trace)
			}
		}
	}
	return traces
}
