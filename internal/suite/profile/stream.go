package profile

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/reference/stream"
	"github.com/loopstone/loopstone/spec"
)

// streamOf reads a configuration that stream accepts; another one has no rules.
func streamOf(config spec.Value) stream.Config {
	row, _ := spec.DefinitionOf(spec.Stream)
	settings, _ := row.Offer().Read(spec.Code, config)
	return stream.ConfigOf(settings)
}

// streamSights are the same for every rule: it reports its kind after a piece.
func streamSights(config spec.Value) (list []sight) {
	c := streamOf(config)
	looksAt := []spec.EventType{spec.Delta}
	for _, start := range c.Fresh {
		looksAt = append(looksAt, startsAt[start])
	}
	for _, kind := range c.Rules {
		list = append(list, sight{looksAt, []spec.EventType{spec.Delta}, []string{string(kind)}})
	}
	return list
}

// streamWeight is what a character costs: the search for periods and the comparison of chunks grow with the numbers.
func streamWeight(c stream.Config) int {
	weight := 1
	if slices.Contains(c.Rules, spec.KindTail) {
		weight += c.TailTo / 256
	}
	if slices.Contains(c.Rules, spec.KindChunk) {
		n := min(c.ChunkSize*min(c.ChunkCopies, MostCharacters), MostCharacters)
		weight += n/256 + n*n/2_000_000 // long chunks are compared at more places, too
	}
	return weight
}

// largestSize is the largest number of a configuration that the specification covers.
const largestSize = 65_536 // ST-3

// streamWitnesses returns for each rule copies of one text, of which the last character makes it report.
func streamWitnesses(config spec.Value, b *budget) (list []Witness) {
	c := streamOf(config)
	for _, kind := range c.Rules {
		w := Witness{Rule: string(kind)}
		size, n := copied(c, kind)
		switch most := largest(config, kind); {
		case len(c.Channels) == 0:
			w.Never = "no channel is judged"
		case kind == spec.KindTail && c.TailFrom > c.TailTo:
			w.Never = fmt.Sprintf("the shortest period, %d, is above the longest, %d", c.TailFrom, c.TailTo)
		case most > largestSize:
			w.Beyond = fmt.Sprintf("the number %d is above %d and outside the specification (ST-3)", most, largestSize)
		case size*n > MostCharacters:
			w.Beyond = fmt.Sprintf("it needs a text of %d characters, and a trace has at most %d", size*n, MostCharacters)
		case b.isSpent():
			w.Beyond = ended
		default:
			w.searchText(config, c, b)
		}
		list = append(list, w)
	}
	return list
}

// searchText plays copies of one text, and then texts that other rules may not see.
func (w *Witness) searchText(config spec.Value, c stream.Config, b *budget) {
	kind := spec.VerdictKind(w.Rule)
	traces := [][]spec.Value{copies(c, kind)}
	for _, pieces := range lists.Filter(textsOf(c, kind), isShort) {
		traces = append(traces, deltas(pieces, c.Channels[0]))
	}
	for _, trace := range traces {
		if b.isSpent() {
			w.Beyond = ended
			return
		}
		b.spend(charactersOf(trace), streamWeight(c))
		verdicts := play(spec.Stream, config, laws.Observing(trace))
		if loop := slices.IndexFunc(verdicts, reportsLoop); loop >= 0 && verdicts[loop].Kind == kind {
			w.Trace = trace[:loop+1]
			return
		}
	}
}

// largest returns the largest number among the settings of a rule.
func largest(config spec.Value, kind spec.VerdictKind) int {
	row, _ := spec.DefinitionOf(spec.Stream)
	most := 0
	for _, p := range row.Settings {
		if n, isNumber := p.Number(spec.Code, config); isNumber && len(p.Rules) > 0 && p.BearsOn(kind) {
			most = max(most, n)
		}
	}
	return most
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
