package stdio

import (
	"strings"
	"sync"
)

// tail keeps the end of what is written to it. It never blocks and never fails, so that a talkative adapter is not
// slowed down by its own stderr.
type tail struct {
	limit int // bytes

	mu   sync.Mutex
	text []byte // at most twice the limit, so that bytes move rarely
	cut  bool   // something was dropped
}

// Write implements [io.Writer].
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	written := len(p)
	if len(p) > t.limit {
		p, t.text, t.cut = p[len(p)-t.limit:], t.text[:0], true
	}
	if len(t.text)+len(p) > 2*t.limit {
		t.text = append(t.text[:0], t.text[len(t.text)-t.limit:]...)
		t.cut = true
	}
	t.text = append(t.text, p...)
	return written, nil
}

// String returns the last bytes, at most the limit, from the beginning of a line where some were dropped.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text, cut := t.text, t.cut
	if len(text) > t.limit {
		text, cut = text[len(text)-t.limit:], true
	}
	kept := strings.ToValidUTF8(string(text), "\uFFFD")
	if _, rest, found := strings.Cut(kept, "\n"); cut && found && rest != "" {
		kept = rest
	}
	return kept
}

// lastLines returns the last n lines without white space at their end.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, " \t\r\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
