package stream

import (
	"regexp"

	"github.com/loopstone/loopstone/reference/parts/memory"
	"github.com/loopstone/loopstone/spec"
)

// chunk is what the rule chunk remembers of a text.
type chunk struct {
	Text  text `json:"text"`  // the end of the recorded text: as much as the occurrences that count can stand in
	Block bool `json:"block"` // the text is within a code block
	Line  line `json:"line"`

	search search // of occurrences.go
}

func (c *Config) emptyChunk() chunk {
	return chunk{Text: newText(c.ChunkDistance*(c.ChunkCopies-1) + c.ChunkSize)} // ST-10
}

// chunk adds a character to the text, and judges the last characters of the recorded text.
func (c *Config) chunk(m *chunk, r rune) finding {
	m.record(r)
	isDivider := !m.Line.Words
	if r == '\n' {
		m.Line = line{}
	}
	if isDivider { // ST-14
		return finding{}
	}
	places := m.search.occurrences(c, m.Text.Items())
	if len(places) < c.ChunkCopies || differentBetween(places, m.Text.Items()) > c.ChunkTexts { // ST-10
		return finding{}
	}
	v := spec.Verdict{Loop: true, Kind: spec.KindChunk, Count: c.ChunkCopies}
	return finding{v, len(m.Text.Items()) - places[len(places)-1]}
}

// differentBetween returns how many different texts reach from one place to the next.
func differentBetween(places []int, text []rune) int { // ST-10
	different := map[string]struct{}{}
	for i, at := range places[1:] {
		different[string(text[at:places[i]])] = struct{}{}
	}
	return len(different)
}

// record adds a character to the line, and to the recorded text unless the line is not recorded. Where a line is not
// recorded, the recorded text is empty.
func (m *chunk) record(r rune) {
	isElement := m.Line.add(r)
	switch {
	case m.Line.Ticks == fence: // ST-11, ST-12
		m.Line.Ticks, m.Line.Fenced = 0, true
		m.Block = !m.Block
		m.Text.Reset()
	case m.Line.Fenced || m.Block: // ST-11, ST-12
	case isElement: // ST-13
		m.Text.Keep(int(m.Line.Length) - 1)
		m.add(r)
	default:
		m.add(r)
	}
}

func (m *chunk) add(r rune) {
	m.Text.Add(r)
	m.search.recorded()
}

// fence is how many backticks in a row are a fence.
const fence = 3 // ST-11

// line is what is remembered of the line that has not ended.
type line struct {
	Length memory.Count `json:"length"` // in characters
	Begin  string       `json:"begin"`  // how it begins, as far as an element depends on it
	Words  bool         `json:"words"`  // it has a character that no horizontal rule has
	Fenced bool         `json:"fenced"` // it has a fence
	Ticks  int          `json:"ticks"`  // backticks at its end that are no fence yet
}

// add adds a character to the line, and reports whether this character makes it begin an element of Markdown. What it
// reports after that does not matter: the recorded text has forgotten everything before the line already.
func (l *line) add(r rune) (isElement bool) {
	l.Length.Add()
	l.Words = l.Words || !divider.MatchString(string(r))
	if r == '`' {
		l.Ticks++
	} else {
		l.Ticks = 0
	}
	if len(l.Begin) >= mostOfBegin && r != '|' {
		return false
	}
	begin := l.Begin + string(r)
	if len(l.Begin) < mostOfBegin && !row.MatchString(begin) {
		l.Begin = begin
	}
	return element.MatchString(begin)
}

// element matches the beginning of a line that begins an element of Markdown: a table, an item of a list, a heading or
// a quotation.
var element = regexp.MustCompile( // ST-13
	`^[ \t\r]*(\|.*\||[|+-]{3}|([*+]|[0-9]+\.)[ \t\r\n])|^(#+|>)[ \t\r\n]`)

// row matches the beginning of a line if the element that the line may begin does not depend on its last character: one
// more blank, digit or # in a row.
var row = regexp.MustCompile(`([ \t\r]{2}|[0-9]{2}|##)$`)

// mostOfBegin is how long, in bytes, the beginning of a line must be to know whether the line begins an element, if
// rows count as one character: as long as " |-x". Behind it, only a further | makes an element. All other characters
// that make one are ASCII.
const mostOfBegin = 4

// divider matches the characters that a horizontal rule is made of.
var divider = regexp.MustCompile(`[-+_=*\x{2500}-\x{257F}]`) // ST-14
