package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopstone/loopstone/internal/lab/agentlogs"
	"github.com/loopstone/loopstone/internal/suite/userfiles"
)

// interval is how often a file is looked at: a person does not notice it, and a thousand idle files cost little.
const interval = 200 * time.Millisecond

// lastLook is how long a file is still read once the user has interrupted the program: enough for what an agent wrote
// just now, and no gigabytes.
const lastLook = 500 * time.Millisecond

// mostLine bounds a line, as a reader of logs bounds a record.
const mostLine = 64 << 20

// Why a tail ended.
const (
	truncated = "truncated" // the file became shorter
	replaced  = "replaced"  // another file has its name
	removed   = "removed"   // no file has its name
)

// tail reads the lines of a file while it is written. A line counts once it has its end; one that is not JSON, because
// its writer died within it, is handed on as blanks, so that lines and bytes keep their numbers. A tail ends with
// [io.EOF] where the file is truncated or replaced, after all that the replaced file had.
type tail struct {
	ctx  context.Context
	life context.Context // which ends a moment after ctx: what is there by then is read
	end  context.CancelFunc
	path string
	file *os.File

	quiet  int64                   // how many bytes were there before
	caught func(given int64) error // is called before a read, with how many bytes were handed on
	told   int                     // lines whose faults were told when they were read before
	fault  func(error)             // is told of each other line that is not UTF-8

	chunk  [64 << 10]byte
	read   int64  // bytes of the file that were taken
	held   []byte // taken, of a line without an end
	ready  []byte // lines to hand on
	given  int64  // bytes that were handed on
	lines  int    // that were taken
	broken int    // lines that were left out
	ended  string // why, if it did
}

func openTail(ctx context.Context, path string, quiet int64) (*tail, error) {
	file, err := userfiles.Open(path)
	if err != nil {
		return nil, err
	}
	t := &tail{ctx: ctx, path: path, file: file, quiet: quiet}
	t.life, t.end = outliving(ctx, lastLook)
	return t, nil
}

func (t *tail) close() {
	t.end()
	t.file.Close() // it was only read
}

// Read implements [io.Reader]. It waits for more, and hands on together only what was there before, or only what was
// not.
func (t *tail) Read(p []byte) (int, error) {
	if err := t.caught(t.given); err != nil {
		return 0, err
	}
	if t.given < t.quiet {
		p = p[:min(int64(len(p)), t.quiet-t.given)]
	}
	for {
		if t.life.Err() != nil {
			return 0, io.EOF
		}
		if err := t.take(); err != nil {
			return 0, err
		}
		if len(t.ready) > 0 {
			n := copy(p, t.ready)
			t.ready = t.ready[n:]
			t.given += int64(n)
			return n, nil
		}
		if over, err := t.isOver(); over || err != nil {
			return 0, errors.Join(err, io.EOF)
		}
		select {
		case <-t.ctx.Done():
			return 0, io.EOF
		case <-time.After(interval):
		}
	}
}

// Idle implements [agentlogs.Growing]. What was there before is to be read before the rest.
func (t *tail) Idle() bool {
	return t.take() == nil && len(t.ready) == 0 || t.quiet > 0 && t.given == t.quiet
}

// take takes what the file has now, if nothing is ready.
func (t *tail) take() error {
	for len(t.ready) == 0 {
		n, err := t.file.Read(t.chunk[:])
		t.read += int64(n)
		if end := bytes.LastIndexByte(t.chunk[:n], '\n') + 1; end > 0 {
			t.ready = t.whole(append(t.held, t.chunk[:end]...))
			t.held = bytes.Clone(t.chunk[end:n])
		} else {
			t.held = append(t.held, t.chunk[:n]...)
		}
		switch {
		case len(t.held) > mostLine:
			return fmt.Errorf("%s: a line has more than %d MB", t.path, mostLine>>20)
		case errors.Is(err, io.EOF) || err == nil && n == 0:
			return nil
		case err != nil:
			return err
		}
	}
	return nil
}

// whole returns lines with blanks for those that are not JSON, and for a byte order mark. A line that is not UTF-8 is
// told at once: its bytes would make different texts equal, and its writer has to change.
func (t *tail) whole(lines []byte) []byte {
	kept := make([]byte, 0, len(lines))
	for line := range bytes.Lines(lines) {
		t.lines++
		if err := agentlogs.EncodingFault(t.path, t.lines, line); err != nil && t.lines > t.told {
			t.fault(err)
		}
		text := line
		if t.lines == 1 {
			text = bytes.TrimPrefix(line, agentlogs.ByteOrderMark)
		}
		if value := jsontext.Value(bytes.TrimSpace(text)); len(value) > 0 && !isRecord(value) {
			t.broken++
			text = []byte("\n")
		}
		kept = append(append(kept, bytes.Repeat([]byte(" "), len(line)-len(text))...), text...)
	}
	return kept
}

// isRecord reports whether a line holds one value of JSON. Escapes of half a character are for the reader to judge.
func isRecord(line jsontext.Value) bool {
	return line.IsValid(jsontext.AllowInvalidUTF8(true)) && utf8.Valid(line)
}

// isOver reports whether nothing more is to come: the file that has the name now is shorter than what was read, or
// another.
func (t *tail) isOver() (bool, error) {
	mine, err := t.file.Stat()
	if err != nil {
		return false, err
	}
	switch now, err := os.Stat(t.path); {
	case errors.Is(err, os.ErrNotExist):
		t.ended = removed
	case err != nil:
		return false, err
	case !os.SameFile(now, mine):
		t.ended = replaced
	case now.Size() < t.read:
		t.ended = truncated
	}
	return t.ended != "", nil
}
