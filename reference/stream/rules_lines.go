package stream

import (
	"strings"
	"unicode/utf8"

	"github.com/loopstone/loopstone/reference/parts/memory"
	"github.com/loopstone/loopstone/spec"
)

// lines is what the rule lines remembers of a text.
type lines struct {
	Window memory.Window[ended] `json:"window"` // the last lines
	Begun  begun                `json:"begun"`  // the line that has not ended

	sums *sums // of the window; nil if it has to be counted
}

// ended is a line that has ended.
type ended struct {
	Text   string       `json:"text"`   // without the blanks at its ends
	Length memory.Count `json:"length"` // with them and the line feed, in characters
}

// begun is a line that has not ended.
type begun struct {
	Text   characters   `json:"text"` // no more than the window can hold
	Length memory.Count `json:"length"`
}

// characters is a text to which characters are added one by one.
type characters []byte

// MarshalText implements [encoding.TextMarshaler].
func (c characters) MarshalText() ([]byte, error) { return c, nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (c *characters) UnmarshalText(text []byte) error {
	*c = append(characters(nil), text...)
	return nil
}

func (c *Config) emptyLines() lines {
	return lines{Window: memory.NewWindow[ended](c.LinesWindow)} // ST-15: no line is shorter than its line feed
}

// lines adds a character to the text and, if it ends a line, judges this line among the last lines.
func (c *Config) lines(m *lines, r rune) finding {
	m.Begun.Length.Add()
	if int(m.Begun.Length) <= c.LinesWindow {
		m.Begun.Text = utf8.AppendRune(m.Begun.Text, r)
	}
	if r != '\n' { // ST-15
		return finding{}
	}
	current := ended{Trimmed(string(m.Begun.Text)), m.Begun.Length}
	m.Begun = begun{}
	c.record(m, current)
	if !c.floods(m.sums, current.Text) {
		return finding{}
	}
	v := spec.Verdict{Loop: true, Kind: spec.KindLines, Count: m.sums.copies[current.Text]} // ST-16
	back := m.sums.length
	for _, line := range m.Window.Items() {
		if line.Text == current.Text {
			break
		}
		back -= int(line.Length)
	}
	return finding{v, back}
}

// record adds a line to the window. The oldest lines leave it first if it would become too long.
func (c *Config) record(m *lines, current ended) { // ST-15
	if m.sums == nil {
		m.sums = &sums{copies: map[string]int{}}
		for _, line := range m.Window.Items() {
			m.sums.add(line, 1)
		}
	}
	m.sums.add(current, 1)
	leave := 0
	for _, line := range m.Window.Items() {
		if m.sums.length <= c.LinesWindow {
			break
		}
		m.sums.add(line, -1)
		leave++
	}
	m.Window.Keep(len(m.Window.Items()) - leave)
	if m.sums.length > c.LinesWindow { // the line alone is too long
		m.sums.add(current, -1)
		return
	}
	m.Window.Add(current)
}

// Trimmed returns a line without blanks at its ends, which is what is compared.
func Trimmed(line string) string { return strings.Trim(line, " \t\r\n") } // ST-15

// sums is what the lines of a window make together.
type sums struct {
	length int            // in characters, blanks and ends of lines included
	filled int            // lines that are not blank
	copies map[string]int // of each line that is not blank
}

// add counts a line so many times, or takes it away.
func (s *sums) add(line ended, times int) {
	s.length += times * int(line.Length)
	if line.Text == "" { // ST-15
		return
	}
	s.filled += times
	if s.copies[line.Text] += times; s.copies[line.Text] == 0 {
		delete(s.copies, line.Text)
	}
}

// floods reports whether the copies of a line are a loop.
func (c *Config) floods(w *sums, line string) bool { // ST-16
	copies, different := w.copies[line], len(w.copies)
	return copies >= c.LinesCopies && w.length >= c.LinesLeast &&
		100*copies*utf8.RuneCountInString(line) >= c.LinesShare*w.length &&
		100*different <= c.LinesDifferent*w.filled
}
