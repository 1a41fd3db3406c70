package stream

import (
	"unicode/utf8"

	rules "github.com/loopstone/loopstone/reference/stream"
	"github.com/loopstone/loopstone/spec"
)

// lines counts the lines of the window.
type lines struct {
	config rules.Config
	window []line         // the oldest first
	counts map[string]int // of the lines that are not blank
	sums   rules.Window
	text   []byte // the line that has not ended; none where it is too long for the window
	length int    // of this line, in characters
}

// line is a line of the window.
type line struct {
	text   string // without the blanks at its ends
	length int    // with them, in characters
}

func (l *lines) start() {
	*l = lines{config: l.config}
}

func (l *lines) add(r rune) (spec.Verdict, int) {
	l.length++
	if l.length > l.config.LinesWindow {
		l.text = nil
	} else {
		l.text = utf8.AppendRune(l.text, r)
	}
	if r != '\n' { // ST-15
		return spec.Verdict{}, 0
	}
	ended := line{rules.Trimmed(string(l.text)), l.length}
	l.text, l.length = l.text[:0], 0
	l.push(ended)
	copies := l.counts[ended.text]
	if !l.config.Floods(l.sums, copies, utf8.RuneCountInString(ended.text)) { // ST-16
		return spec.Verdict{}, 0
	}
	back := l.sums.Length
	for _, earlier := range l.window {
		if earlier.text == ended.text {
			break
		}
		back -= earlier.length
	}
	return rules.Lines(copies), back
}

// push adds a line to the window and drops the oldest lines beyond it.
func (l *lines) push(added line) { // ST-15
	if l.counts == nil {
		l.counts = map[string]int{}
	}
	l.window = append(l.window, added)
	l.count(added, 1)
	dropped := 0
	for l.sums.Length > l.config.LinesWindow {
		l.count(l.window[dropped], -1)
		dropped++
	}
	l.window = l.window[dropped:]
}

// count adds a line to the sums, or takes it away.
func (l *lines) count(counted line, by int) {
	l.sums.Length += by * counted.length
	if counted.text == "" {
		return
	}
	l.sums.Filled += by
	l.counts[counted.text] += by
	if l.counts[counted.text] == 0 {
		delete(l.counts, counted.text)
	}
	l.sums.Different = len(l.counts)
}
