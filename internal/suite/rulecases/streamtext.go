package rulecases

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/reference/stream"
	"github.com/loopstone/loopstone/spec"
)

// streams returns what may tell two configurations of stream apart: texts at which one of the rules just reports, or
// just does not, then one of each rule in each channel, and interrupted by each event that may start it afresh.
func (d *decider) streams(c change) (traces [][]spec.Value) {
	declared, other := profile.StreamOf(d.Fixed), profile.StreamOf(c.settings)
	channels := slices.Concat(declared.Channels, other.Channels)
	if len(channels) == 0 {
		return nil
	}
	var texts, firsts [][]string
	for _, c := range []stream.Config{declared, other} {
		for _, kind := range c.Rules {
			all := lists.Filter(textsOf(c, kind), isShort)
			texts, firsts = append(texts, all...), append(firsts, all[:min(len(all), 1)]...)
		}
	}
	bySize := func(a, b []string) int { return sizeOfText(a) - sizeOfText(b) }
	slices.SortStableFunc(texts, bySize)
	slices.SortStableFunc(firsts, bySize)
	for _, pieces := range firsts {
		traces = append(traces, disturbed(pieces, channels[0])...)
	}
	for _, pieces := range texts {
		traces = append(traces, deltas(pieces, channels[0]))
	}
	return traces
}

// disturbed returns a text in each channel, and interrupted by each event that may start it afresh.
func disturbed(pieces []string, channel string) (traces [][]spec.Value) {
	for _, c := range spec.Channels() {
		traces = append(traces, deltas(pieces, string(c)))
	}
	trace := deltas(pieces, channel)
	for _, by := range []spec.Value{
		event("message", "role", "user", "content", "go on"), event("reply"), event("tool_call", "tool", plainTools[0]),
	} {
		traces = append(traces, interrupted(trace, by))
	}
	return traces
}

// textsOf returns texts, in pieces, at the bounds of a rule.
func textsOf(c stream.Config, kind spec.VerdictKind) [][]string {
	switch kind {
	case spec.KindTail:
		return tails(c)
	case spec.KindChunk:
		return chunks(c)
	default:
		return floods(c)
	}
}

func sizeOfText(pieces []string) int { return len(strings.Join(pieces, "")) }

func isShort(pieces []string) bool { return len(pieces) > 0 && sizeOfText(pieces) <= MostCharacters }

// copiesOf returns copies of one text in pieces, and no more pieces than a trace may have.
func copiesOf(text string, n int) []string {
	if n < 1 || len(text)*n > MostCharacters {
		return nil
	}
	together := n/mostPieces + 1
	pieces := slices.Repeat([]string{strings.Repeat(text, together)}, n/together)
	if rest := n % together; rest > 0 {
		pieces = append(pieces, strings.Repeat(text, rest))
	}
	return pieces
}

// tails returns copies of the shortest and of the longest period.
func tails(c stream.Config) (texts [][]string) {
	for _, period := range []int{c.TailFrom, c.TailTo} {
		if period <= MostCharacters {
			texts = append(texts, copiesOf(prose(period), c.TailCopies), copiesOf(prose(period), c.TailCopies+1))
		}
	}
	return texts
}

// chunks returns occurrences of a chunk at the greatest distance, with as many different texts between them as may be.
func chunks(c stream.Config) (texts [][]string) {
	length := max(c.ChunkSize, c.ChunkDistance) * c.ChunkCopies
	if c.ChunkSize > MostCharacters || c.ChunkCopies > MostEvents || length > MostCharacters {
		return nil
	}
	chunk := prose(c.ChunkSize)
	for _, distance := range []int{c.ChunkSize, c.ChunkDistance} {
		for _, different := range []int{1, c.ChunkTexts} {
			var pieces []string
			for i := range c.ChunkCopies + 1 {
				gap := prose(max(distance-c.ChunkSize, 0) + i%different)
				pieces = append(pieces, chunk+gap[i%different:])
			}
			texts = append(texts, pieces)
		}
	}
	return texts
}

// floods returns copies of one line among others, at each bound of the rule.
func floods(c stream.Config) [][]string {
	if max(c.LinesCopies, c.LinesLeast, c.LinesWindow) > MostCharacters || c.LinesCopies > MostEvents/2 {
		return nil
	}
	n, least := c.LinesCopies, max(c.LinesLeast/c.LinesCopies, 2)
	line := prose(least) + "\n"
	texts := [][]string{copiesOf(line, n+1), inTurns(prose(max(least, 99))+"\n", n)}
	texts = append(texts, after(line, n, c.LinesLeast-n*len(line)), after(line, n-1, c.LinesLeast-(n-1)*len(line)))

	long := prose(max(least, 99)) + "\n" // to be their share, in percent, to the point
	share := n * (len(long) - 1) * 100 / c.LinesShare
	texts = append(texts, after(long, n, share-n*len(long)))

	wide := prose(max(c.LinesWindow/n-1, 1)) + "\n"
	texts = append(texts,
		slices.Concat(copiesOf(wide, 1), filler(c.LinesWindow-n*len(wide)), copiesOf(wide, n)),
		slices.Concat(copiesOf(line, n), filler(c.LinesWindow), copiesOf(line, n)))
	return append(texts, amongOthers(c, line))
}

// inTurns returns copies of a line, each followed by a short one, which changes: nothing else than the line repeats.
func inTurns(line string, n int) []string {
	var pieces []string
	for i := range n {
		pieces = append(pieces, line, string(rune('a'+i/2%26))+"\n")
	}
	return pieces
}

// after returns copies of a line after so many characters of another one.
func after(line string, n, before int) []string { return append(filler(before), copiesOf(line, n)...) }

// filler returns a line of another text, of so many characters with its end.
func filler(length int) []string {
	if length < 2 || length > MostCharacters {
		return nil
	}
	return []string{strings.Repeat("z", length-1) + "\n"}
}

// amongOthers returns 100 lines that are not blank, and as many different ones of these as may be.
func amongOthers(c stream.Config, line string) []string {
	var pieces []string
	for i := range min(c.LinesDifferent, 100) - 1 {
		pieces = append(pieces, strings.Repeat("z", i/26+1)+string(rune('a'+i%26))+"\n")
	}
	return append(pieces, copiesOf(line, 100-len(pieces))...)
}

// copied returns how long the text is that a rule is shown, and how often.
func copied(c stream.Config, kind spec.VerdictKind) (size, n int) {
	switch kind {
	case spec.KindTail:
		return c.TailFrom, c.TailCopies
	case spec.KindChunk:
		return c.ChunkSize, c.ChunkCopies
	default:
		return max(c.LinesLeast/c.LinesCopies, 2) + 1, c.LinesCopies
	}
}

// copies returns copies of one text, each a piece, until a rule reports; the last of them lacks its last character,
// which is the last piece.
func copies(c stream.Config, kind spec.VerdictKind) []spec.Value {
	size, n := copied(c, kind)
	text := prose(size)
	if kind == spec.KindLines {
		text = text[:size-1] + "\n"
	}
	return deltas(append(copiesOf(text, n-1), text[:size-1], text[size-1:]), c.Channels[0])
}

// mostPieces is how many pieces a text of many copies has.
const mostPieces = 200

// deltas returns pieces of a channel.
func deltas(pieces []string, channel string) []spec.Value {
	var list []spec.Value
	for _, piece := range pieces {
		delta := event(string(spec.Delta), "text", piece)
		if channel != string(spec.Answer) {
			delta = delta.With("channel", spec.StringValue(channel))
		}
		list = append(list, delta)
	}
	return list
}

// prose returns so many characters without a mark of Markdown, of which no part of 20 occurs twice.
func prose(length int) string {
	const text = "I look at the file once more, since the test that failed names it; then I run the whole suite and wait. "
	b := []byte(text[:min(length, len(text))])
	for dice := rand.New(rand.NewPCG(1, 1)); len(b) < length; {
		b = append(b, byte('a'+dice.IntN(26)))
	}
	return string(b)
}
