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
// Each rule remembers of a text what it needs to judge the next character, as far back as the configuration lets it
// look. Read this file first, then rules_tail.go, rules_chunk.go and rules_lines.go; occurrences.go saves time. The
// clauses are in spec/clauses/stream.md.
package stream

import (
	"slices"

	"github.com/loopstone/loopstone/reference/parts/memory"
	"github.com/loopstone/loopstone/spec"
)

// Config is a configuration; all numbers are at least 1. Lengths and distances are in code points.
type Config struct {
	Rules    []spec.VerdictKind // no kind twice
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
		if kind := spec.VerdictKind(name); !slices.Contains(c.Rules, kind) {
			c.Rules = append(c.Rules, kind)
		}
	}
	return c
}

// New returns the detector with an empty trace.
func New(s spec.Settings) (spec.Detector, error) {
	c := ConfigOf(s)
	return memory.NewDetector(c.fresh, c.observe), nil
}

// remembered is what the detector remembers: the texts of the channels.
type remembered struct { // ST-2, ST-20, ST-21
	Answer    channel `json:"answer"`
	Thought   channel `json:"thought"`
	Arguments channel `json:"arguments"`
}

// channel is one text, as the rules remember it.
type channel struct {
	Tail  tail  `json:"tail"`
	Chunk chunk `json:"chunk"`
	Lines lines `json:"lines"`

	length int // of the text, in characters, since it started afresh or was restored
	pieces memory.Window[piece]
}

// piece is an event, and how long the text is with it.
type piece struct{ index, end int }

func (c *Config) fresh() remembered { // ST-19
	return remembered{c.emptyChannel(), c.emptyChannel(), c.emptyChannel()}
}

func (c *Config) emptyChannel() channel {
	return channel{
		Tail: c.emptyTail(), Chunk: c.emptyChunk(), Lines: c.emptyLines(),
		pieces: memory.NewWindow[piece](spec.MaxEvidence), // ST-18
	}
}

func (m *remembered) channel(name spec.Channel) *channel {
	switch name {
	case spec.Thinking:
		return &m.Thought
	case spec.Arguments:
		return &m.Arguments
	default:
		return &m.Answer
	}
}

// observe adds a piece to the text of its channel, and judges the text after each character.
func (c *Config) observe(m *remembered, e spec.Event) (first spec.Verdict) {
	if c.Starts(e) { // ST-4
		c.startAfresh(m)
	}
	if !c.Judged(e) { // ST-1, ST-2
		return spec.Verdict{}
	}
	text := m.channel(e.Channel)
	var from int
	for _, r := range e.Text { // ST-7
		text.length++
		found := c.judge(text, r)
		if !first.Loop { // ST-5
			first, from = found.Verdict, text.length-found.back
		}
	}
	text.pieces.Add(piece{e.Index, text.length}) // ST-22
	if first.Loop {
		first.Evidence = evidence(text.pieces.Items(), from)
	}
	return first
}

// Judged reports whether the event is a piece of a channel that the detector judges. No other event has a channel.
func (c *Config) Judged(e spec.Event) bool { // ST-1, ST-2
	return slices.Contains(c.Channels, string(e.Channel))
}

// Starts reports whether every channel starts afresh at the event.
func (c *Config) Starts(e spec.Event) bool { // ST-4
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

// startAfresh makes the texts of all channels empty.
func (c *Config) startAfresh(m *remembered) { // ST-4
	before := *m
	*m = c.fresh()
	for _, name := range spec.Channels() {
		m.channel(name).Chunk.Block = before.channel(name).Chunk.Block // ST-12
	}
}

// finding is the verdict of a rule, and how many characters before the end of the text what repeats begins.
type finding struct {
	spec.Verdict

	back int
}

// judge shows a character to every rule, and returns the finding of the first that finds a loop.
func (c *Config) judge(text *channel, r rune) (first finding) {
	for _, rule := range c.Rules {
		var found finding
		switch rule {
		case spec.KindTail:
			found = c.tail(&text.Tail, r)
		case spec.KindChunk:
			found = c.chunk(&text.Chunk, r)
		default:
			found = c.lines(&text.Lines, r)
		}
		if !first.Loop { // ST-6
			first = found
		}
	}
	return first
}

// evidence lists the latest pieces of a text, from the one that holds the character at a place on.
func evidence(pieces []piece, from int) []int { // ST-18
	var indices []int
	for _, p := range pieces {
		if p.end > from {
			indices = append(indices, p.index)
		}
	}
	return indices
}
