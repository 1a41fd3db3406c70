// Package stream is the reference of the detector of text that repeats while it is streamed: a loop within one answer,
// which has no calls to compare.
//
// Each channel is a text of its own, made of the pieces that arrived since it started afresh. After each character of
// a piece, up to three rules judge the text so far:
//
//   - tail: the text ends with several copies of one period. (ST-8)
//   - chunk: the last characters have occurred often, and close together. Code blocks are left out. (ST-9 to ST-14)
//   - lines: copies of one line make up much of the last lines. (ST-15, ST-16)
//
// The verdict on a piece is the first loop that a rule finds at one of its characters. So it does not matter where the
// text was cut. (ST-5)
//
// The clauses are in spec/clauses/stream.md, the fast twin in reference/fast/stream.
package stream

import (
	"regexp"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// Config is a configuration; all numbers are at least 1. Lengths and distances are in code points.
type Config struct {
	Rules    []spec.VerdictKind
	Channels []string
	Fresh    []string

	TailFrom, TailTo, TailCopies                      int
	ChunkSize, ChunkCopies, ChunkDistance, ChunkTexts int
	LinesCopies, LinesShare, LinesDifferent           int
	LinesLeast, LinesWindow                           int
}

// ConfigOf takes the configuration from the settings; their defaults stand in the detector's row of spec/detectors.go.
func ConfigOf(s spec.Settings) Config { // ST-3
	c := Config{
		Channels: s.Texts("channels"), Fresh: s.Texts("fresh"),

		TailFrom: s.Number("tail_from"), TailTo: s.Number("tail_to"), TailCopies: s.Number("tail_copies"),

		ChunkSize: s.Number("chunk_size"), ChunkCopies: s.Number("chunk_copies"),
		ChunkDistance: s.Number("chunk_distance"), ChunkTexts: s.Number("chunk_texts"),

		LinesCopies: s.Number("lines_copies"), LinesShare: s.Number("lines_share"),
		LinesDifferent: s.Number("lines_different"),
		LinesLeast:     s.Number("lines_least"), LinesWindow: s.Number("lines_window"),
	}
	for _, name := range s.Texts("rules") {
		c.Rules = append(c.Rules, spec.VerdictKind(name))
	}
	return c
}

// New returns the detector made of its rules.
func New(s spec.Settings) (spec.Detector, error) {
	c := ConfigOf(s)
	return spec.WholeTrace(func(trace []spec.Event) spec.Verdict { return verdict(c, trace) }), nil // ST-19
}

// Judged reports whether the event is a piece of a channel that the detector judges. No other event has a channel.
func (c Config) Judged(e spec.Event) bool { // ST-1, ST-2
	return slices.Contains(c.Channels, string(e.Channel))
}

// Starts reports whether every channel starts afresh at the event.
func (c Config) Starts(e spec.Event) bool { // ST-4
	switch e.Type {
	case spec.Message:
		return e.Role == spec.User && slices.Contains(c.Fresh, "user")
	case spec.ToolCall:
		return slices.Contains(c.Fresh, "call")
	case spec.Reply:
		return slices.Contains(c.Fresh, "reply")
	default:
		return false
	}
}

// verdict is the verdict after the trace, which is not empty.
func verdict(c Config, trace []spec.Event) spec.Verdict {
	current := trace[len(trace)-1]
	if !c.Judged(current) { // ST-1, ST-2
		return spec.Verdict{}
	}
	var before, text []rune // of the channel: before it last started afresh, and since then
	var pieces []piece
	for _, e := range trace {
		switch {
		case c.Starts(e): // ST-4
			before = append(append(before, text...), '\n') // no fence goes on here
			text, pieces = nil, nil
		case e.Channel == current.Channel: // ST-2
			text = append(text, []rune(e.Text)...) // ST-7
			pieces = append(pieces, piece{e.Index, len(text)})
		}
	}
	inBlock := fences(before)%2 == 1                                     // ST-12
	for n := len(text) - len([]rune(current.Text)); n < len(text); n++ { // ST-5
		for _, rule := range c.Rules { // ST-6
			if found := c.judge(rule, text[:n+1], inBlock); found.Loop {
				found.Evidence = evidence(pieces, found.from)
				return found.Verdict
			}
		}
	}
	return spec.Verdict{}
}

// finding is the verdict of a rule, and where in the text what repeats begins.
type finding struct {
	spec.Verdict
	from int
}

// judge returns what a rule finds at the end of a text.
func (c Config) judge(rule spec.VerdictKind, text []rune, inBlock bool) finding {
	switch rule {
	case spec.KindTail:
		return c.tail(text)
	case spec.KindChunk:
		if divider.MatchString(lastLine(text)) { // ST-14
			return finding{}
		}
		kept := recorded(text, inBlock)
		found := c.chunk(kept)
		found.from += len(text) - len(kept)
		return found
	default:
		return c.lines(text)
	}
}

// tail judges whether the text ends with copies of one period: of the shortest that has enough of them.
func (c Config) tail(text []rune) finding { // ST-8
	for period := c.TailFrom; period <= c.TailTo && period <= len(text)/c.TailCopies; period++ {
		from := len(text) - period
		for from > 0 && text[from-1] == text[from-1+period] {
			from--
		}
		if copies := (len(text) - from) / period; copies >= c.TailCopies {
			return finding{Tail(copies, period), len(text) - copies*period}
		}
	}
	return finding{}
}

// Tail is the verdict on so many copies of a period.
func Tail(copies, period int) spec.Verdict { // ST-8, ST-17
	return spec.Verdict{Loop: true, Kind: spec.KindTail, Count: copies, Period: period}
}

// chunk judges the last characters of a text from which code blocks are left out.
func (c Config) chunk(text []rune) finding {
	start := len(text) - c.ChunkSize // below 0 there is no chunk
	var places []int                 // where the current chunk occurs, the current occurrence first
	for at := start; at >= 0 && len(places) < c.ChunkCopies; at-- {
		if slices.Equal(text[at:at+c.ChunkSize], text[start:]) { // ST-9
			places = append(places, at)
		}
	}
	if len(places) < c.ChunkCopies || !c.Close(places) {
		return finding{}
	}
	between := map[string]struct{}{}
	for i, at := range places[1:] {
		between[string(text[at:places[i]])] = struct{}{}
	}
	if len(between) > c.ChunkTexts { // ST-10
		return finding{}
	}
	return finding{c.Chunk(), places[len(places)-1]}
}

// Close reports whether occurrences, the latest first, are close enough together in the mean.
func (c Config) Close(places []int) bool { // ST-10
	return places[0]-places[len(places)-1] <= c.ChunkDistance*(len(places)-1)
}

// Chunk is the verdict on a chunk that occurred often enough.
func (c Config) Chunk() spec.Verdict { // ST-10
	return spec.Verdict{Loop: true, Kind: spec.KindChunk, Count: c.ChunkCopies}
}

// recorded returns the end of the text that the rule chunk compares. It begins after the last line with a fence, or
// with the last line that begins an element of Markdown, and is empty within a code block.
func recorded(text []rune, inBlock bool) []rune {
	var kept []rune
	for line := range strings.SplitAfterSeq(string(text), "\n") {
		n := fences([]rune(line))
		switch {
		case n > 0: // ST-11, ST-12
			inBlock = inBlock != (n%2 == 1)
			kept = nil
			continue
		case inBlock: // ST-12
			continue
		case element.MatchString(line): // ST-13
			kept = nil
		}
		kept = append(kept, []rune(line)...)
	}
	return kept
}

// element matches a line, or its beginning, that begins an element of Markdown: a table, an item of a list, a heading
// or a quotation.
var element = regexp.MustCompile( // ST-13
	`^[ \t\r]*(\|.*\||[|+-]{3}|([*+]|[0-9]+\.)[ \t\r\n])|^(#+|>)[ \t\r\n]`)

// divider matches a line, or its beginning, that is a horizontal rule.
var divider = regexp.MustCompile(`^[-+_=*\x{2500}-\x{257F}]+$`) // ST-14

// lastLine returns the last line of a text, which may not have ended.
func lastLine(text []rune) string {
	all := string(text)
	return all[strings.LastIndex(all, "\n")+1:]
}

// fences counts the fences: three backticks in a row each.
func fences(text []rune) int { return strings.Count(string(text), "```") } // ST-11

// lines judges the line that the last character ends, among the last lines of the text.
func (c Config) lines(text []rune) finding {
	all := strings.SplitAfter(string(text), "\n")
	if all[len(all)-1] != "" { // the last line has not ended
		return finding{}
	}
	current := Trimmed(all[len(all)-2])
	var w Window
	var copies, from int
	different := map[string]struct{}{}
	for _, line := range slices.Backward(all) {
		length := len([]rune(line))
		if w.Length+length > c.LinesWindow { // ST-15
			break
		}
		w.Length += length
		if Trimmed(line) == "" {
			continue
		}
		w.Filled++
		different[Trimmed(line)] = struct{}{}
		if Trimmed(line) == current {
			copies, from = copies+1, len(text)-w.Length
		}
	}
	w.Different = len(different)
	if !c.Floods(w, copies, len([]rune(current))) {
		return finding{}
	}
	return finding{Lines(copies), from}
}

// Trimmed returns a line without blanks at its ends, which is what is compared.
func Trimmed(line string) string { return strings.Trim(line, " \t\r\n") } // ST-15

// Window is what the rule lines knows of the last lines.
type Window struct {
	Length    int // in characters, blanks and ends of lines included
	Filled    int // lines that are not blank
	Different int // of these
}

// Floods reports whether so many copies of a line of that length are a loop.
func (c Config) Floods(w Window, copies, length int) bool { // ST-16
	return copies >= c.LinesCopies && w.Length >= c.LinesLeast &&
		100*copies*length >= c.LinesShare*w.Length &&
		100*w.Different <= c.LinesDifferent*w.Filled
}

// Lines is the verdict on so many copies of a line.
func Lines(copies int) spec.Verdict { // ST-16
	return spec.Verdict{Loop: true, Kind: spec.KindLines, Count: copies}
}

// piece is an event, and how long its channel's text is with it.
type piece struct{ index, end int }

// evidence lists the pieces of a text from the one that holds the character at a place on, at most the latest 100.
func evidence(pieces []piece, from int) []int { // ST-18
	var indices []int
	for _, p := range pieces {
		if p.end > from {
			indices = append(indices, p.index)
		}
	}
	return indices[max(0, len(indices)-spec.MaxEvidence):]
}
