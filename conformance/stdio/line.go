package stdio

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

const (
	// readBuffer holds a whole pipe of Linux (64 KiB), so that a full pipe is emptied by one system call.
	readBuffer = 64 << 10
	// keptBytes bounds the memory that is kept for the next message: room for one of 1 MiB, as cases have them, which
	// grew while it was written.
	keptBytes = 2 << 20
	// quoteLimit is how much of an offending line a message shows, in bytes.
	quoteLimit = 200
)

// errLineTooLong says that a line passed the reader's limit. What is left of the line is skipped by the next read.
var errLineTooLong = errors.New("line too long")

// lineReader reads lines, which end at \n and nowhere else. It is used by one goroutine.
type lineReader struct {
	buffer  *bufio.Reader
	limit   int    // of a line, in bytes, without its \n
	partial []byte // the line read so far, where it did not come in one piece
	whole   bool   // partial was returned as a whole line
	skip    bool   // drop everything up to the next \n
}

func newLineReader(r io.Reader, limit int) *lineReader {
	return &lineReader{buffer: bufio.NewReaderSize(r, readBuffer), limit: limit}
}

// next returns the next line without its \n; it is valid until the next call. An error loses nothing: after a read
// error the line is continued by the next call, and [lineReader.unfinished] shows what there is of it.
func (l *lineReader) next() ([]byte, error) {
	if l.whole {
		l.partial, l.whole = trimmed(l.partial), false
	}
	for {
		piece, err := l.buffer.ReadSlice('\n')
		ended := err == nil
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			l.keep(piece)
			return nil, err
		}
		if l.skip {
			l.skip = !ended
			continue
		}
		line, err := l.add(piece, ended)
		if line != nil || err != nil {
			return line, err
		}
	}
}

// add returns the line where the piece completes it, and nothing while there is more to come.
func (l *lineReader) add(piece []byte, ended bool) ([]byte, error) {
	length := len(l.partial) + len(bytes.TrimSuffix(piece, []byte{'\n'}))
	if length > l.limit {
		l.partial, l.skip = nil, !ended
		return nil, errLineTooLong
	}
	if ended && len(l.partial) == 0 {
		return piece[:len(piece)-1], nil
	}
	l.partial = append(l.partial, piece...)
	if !ended {
		return nil, nil
	}
	l.whole = true
	return l.partial[:length], nil
}

// keep notes the beginning of a line that a read error interrupted; add judges its length later.
func (l *lineReader) keep(piece []byte) {
	if !l.skip {
		l.partial = append(l.partial, piece...)
	}
}

// ready reports whether a whole line can be had without waiting for the other side.
func (l *lineReader) ready() bool {
	waiting, err := l.buffer.Peek(l.buffer.Buffered())
	return err == nil && bytes.IndexByte(waiting, '\n') >= 0
}

// unfinished returns what was read of a line that has not ended yet.
func (l *lineReader) unfinished() []byte {
	if l.whole {
		return nil
	}
	return l.partial
}

// trimmed empties a buffer for its next use; one that grew for a single huge message is dropped.
func trimmed(buffer []byte) []byte {
	if cap(buffer) > keptBytes {
		return nil
	}
	return buffer[:0]
}

// isBlank reports whether a line holds nothing but JSON's white space.
func isBlank(line []byte) bool { return len(bytes.Trim(line, " \t\r\n")) == 0 }

// quote returns a line as a quoted string on one line, cut where it is long.
func quote(line []byte) string {
	if len(line) <= quoteLimit {
		return fmt.Sprintf("%q", line)
	}
	shown := strings.ToValidUTF8(string(line[:quoteLimit]), "") // a rune may be cut in two
	return fmt.Sprintf("%q and so on", shown)
}

// tail keeps the end of what is written to it. It never blocks and never fails, so that a talkative adapter is not
// slowed down by its own stderr.
type tail struct {
	limit int // bytes

	mu   sync.Mutex
	text []byte
	cut  bool // something was dropped
}

// Write implements [io.Writer].
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - t.limit; over > 0 {
		t.text, t.cut = slices.Delete(t.text, 0, over), true
	}
	return len(p), nil
}

// String returns the last bytes, from the beginning of a line where some were dropped.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept := strings.ToValidUTF8(string(t.text), "\uFFFD")
	if _, rest, found := strings.Cut(kept, "\n"); t.cut && found && rest != "" {
		return rest
	}
	return kept
}

// lastLines returns the last n lines without white space at their end.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, " \t\r\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
