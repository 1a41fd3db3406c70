package profile

import (
	"context"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/reference/stream"
	"github.com/loopstone/loopstone/spec"
)

// streamOf reads a configuration of stream.
func streamOf(config spec.Value) (stream.Config, error) {
	row, _ := spec.DefinitionOf(spec.Stream)
	settings, err := row.Offer().Read(spec.Code, config)
	if err != nil {
		return stream.Config{}, err
	}
	return stream.ConfigOf(settings), nil
}

// streamSights are the same for every rule: it reports its kind after a piece.
func streamSights(config spec.Value) ([]sight, error) {
	c, err := streamOf(config)
	looksAt := []spec.EventType{spec.Delta}
	for word, t := range map[string]spec.EventType{"user": spec.Message, "call": spec.ToolCall, "reply": spec.Reply} {
		if slices.Contains(c.Fresh, word) {
			looksAt = append(looksAt, t)
		}
	}
	var list []sight
	for _, kind := range c.Rules {
		list = append(list, sight{looksAt, []spec.EventType{spec.Delta}, []string{string(kind)}})
	}
	return list, err
}

// streamWitnesses returns for each rule copies of one text, of which the last character makes it report.
func streamWitnesses(ctx context.Context, config spec.Value) ([]Witness, error) {
	c, err := streamOf(config)
	if err != nil {
		return nil, err
	}
	var list []Witness
	for _, kind := range c.Rules {
		w := Witness{Rule: string(kind)}
		if len(c.Channels) == 0 {
			w.Never = "no channel is judged"
			list = append(list, w)
			continue
		}
		trace := copies(c, kind)
		verdicts, err := play(ctx, spec.Stream, config, trace)
		if err != nil {
			return nil, err
		}
		loop := slices.IndexFunc(verdicts, func(v spec.Value) bool { return v.Get("loop").IsTrue() })
		if last := len(verdicts) - 1; loop == last && verdicts[last].Get("kind").Equal(spec.StringValue(w.Rule)) {
			w.Trace = trace
		}
		list = append(list, w)
	}
	return list, nil
}

// copies returns copies of one text, each a piece, until a rule reports; the last of them lacks its last character,
// which is the last piece.
func copies(c stream.Config, kind spec.VerdictKind) []spec.Value {
	text, n := "", 0
	switch kind {
	case spec.KindTail:
		text, n = prose(c.TailFrom), c.TailCopies
	case spec.KindChunk:
		text, n = prose(c.ChunkSize), c.ChunkCopies
	default:
		text, n = prose(max(c.LinesLeast/c.LinesCopies, 2))+"\n", c.LinesCopies
	}
	var pieces []spec.Value
	for _, piece := range append(slices.Repeat([]string{text}, n-1), text[:len(text)-1], text[len(text)-1:]) {
		delta := event(string(spec.Delta), "text", piece)
		if channel := c.Channels[0]; channel != string(spec.Answer) {
			delta = delta.With("channel", spec.StringValue(channel))
		}
		pieces = append(pieces, delta)
	}
	return pieces
}

// prose returns so many characters without a mark of Markdown. Of the first 100, no part of 20 occurs twice.
func prose(length int) string {
	const text = "I look at the file once more, since the test that failed names it; then I run the whole suite and wait. "
	return strings.Repeat(text, length/len(text)+1)[:length]
}
