package agentlogs

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// lines counts the lines of what is read, refuses what is not UTF-8, and bounds how much is read ahead.
type lines struct {
	from  io.Reader
	done  func() int64 // the offset up to which all is taken in
	read  int64
	line  int    // on which the text continues, from 1
	begin int64  // the offset at which this line begins
	half  []byte // the bytes of a character that were read last, while the others are to come
	fault error  // where the text ceases to be UTF-8
}

// mostAtOnce bounds a read: the lines of what was read ahead are counted for each record.
const mostAtOnce = 64 << 10

// Read implements [io.Reader].
func (l *lines) Read(p []byte) (int, error) {
	switch {
	case l.fault != nil:
		return 0, l.fault
	case l.read-l.done() > mostBytes:
		return 0, errTooLong
	}
	n, err := l.from.Read(p[:min(len(p), mostAtOnce)])
	n, wrong := l.valid(p[:n], err != nil)
	l.line += bytes.Count(p[:n], []byte{'\n'})
	if end := bytes.LastIndexByte(p[:n], '\n'); end >= 0 {
		l.begin = l.read + int64(end) + 1
	}
	l.read += int64(n)
	if wrong == nil {
		return n, err
	}
	wrong.line, wrong.column = l.line, int(wrong.offset-l.begin)+1
	l.fault = wrong
	return n, nil
}

// valid returns how many of the bytes can be read before one that is not UTF-8, and an error where there is one. A
// character may begin with the bytes that were read before, and be continued by the next ones unless these are the
// last.
func (l *lines) valid(p []byte, last bool) (int, *encodingError) {
	before := len(l.half)
	if before > 0 {
		p = append(l.half, p...)
	}
	at := validPrefix(p)
	l.half = nil
	switch {
	case at == len(p):
		return len(p) - before, nil
	case !last && !utf8.FullRune(p[at:]):
		l.half = bytes.Clone(p[at:])
		return len(p) - before, nil
	default:
		return max(0, at-before), &encodingError{offset: l.read - int64(before) + int64(at), found: p[at]}
	}
}

// validPrefix returns how many bytes of a text are UTF-8.
func validPrefix(text []byte) int {
	if utf8.Valid(text) {
		return len(text)
	}
	at := 0
	for at < len(text) {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return at
}

// encodingError says where a log ceases to be UTF-8. Were its bytes replaced, different texts would become equal, and
// detectors would see loops that are none.
type encodingError struct {
	offset       int64
	line, column int
	found        byte
}

// Error implements [error].
func (e *encodingError) Error() string {
	return fmt.Sprintf("not UTF-8: byte 0x%02x; convert the log first, for example with iconv", e.found)
}

// EncodingFault returns the place of the first byte of a line that is not UTF-8, as an import of the log would tell it;
// nil where there is none.
func EncodingFault(source string, line int, text []byte) error {
	if line == 1 {
		text = bytes.TrimPrefix(text, ByteOrderMark)
	}
	at := validPrefix(text)
	if at == len(text) {
		return nil
	}
	return &Error{source, line, at + 1, "", &encodingError{found: text[at]}}
}

// halvesApart returns a text of JSON in which each escape that is half of a surrogate pair, and so no character, stands
// as the text that it is written with, and whether there is one: \udce9 becomes \\udce9. Python writes so the bytes of
// a file name that are not UTF-8, and JavaScript a text that it cut in the middle of a character. Were each replaced by
// U+FFFD, different texts would become equal.
func halvesApart(text []byte) ([]byte, bool) {
	if !bytes.Contains(text, []byte(`\ud`)) && !bytes.Contains(text, []byte(`\uD`)) ||
		jsontext.Value(text).IsValid(jsontext.AllowDuplicateNames(true)) { // which has no half of a pair
		return text, false
	}
	found := false
	apart := escape.ReplaceAllFunc(text, func(one []byte) []byte {
		if len(one) != len(`\ud83d`) {
			return one
		}
		found = true
		return append([]byte{'\\'}, bytes.ToLower(one)...)
	})
	return apart, found
}

// escape matches an escape of JSON of a surrogate pair, of half of one, or of the sign that begins escapes.
var escape = regexp.MustCompile(`(?s)\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|u[dD][89a-fA-F]..|\\)`)
