package agentlogs

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// lines counts the lines of what is read, refuses what is not UTF-8, and bounds how much is read ahead.
type lines struct {
	from  io.Reader
	done  func() int64 // the offset up to which all is taken in
	read  int64
	line  int     // at the offset up to which ends were dropped
	ends  []int64 // offsets of line ends from there on
	begin int64   // the offset at which the last line begins that was read
	half  []byte  // the bytes of a character that were read last, while the others are to come
	fault error   // where the text ceases to be UTF-8
}

// Read implements [io.Reader].
func (l *lines) Read(p []byte) (int, error) {
	done := l.done()
	switch {
	case l.fault != nil:
		return 0, l.fault
	case l.read-done > mostBytes:
		return 0, errTooLong
	}
	l.lineAt(done)
	n, err := l.from.Read(p)
	n, wrong := l.valid(p[:n], err != nil)
	for at := 0; ; at++ {
		next := bytes.IndexByte(p[at:n], '\n')
		if next < 0 {
			break
		}
		at += next
		l.ends = append(l.ends, l.read+int64(at))
		l.begin = l.read + int64(at) + 1
	}
	l.read += int64(n)
	if wrong == nil {
		return n, err
	}
	wrong.line, wrong.column = l.line+len(l.ends), int(wrong.offset-l.begin)+1
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
	if !bytes.Contains(text, []byte(`\ud`)) && !bytes.Contains(text, []byte(`\uD`)) {
		return text, false
	}
	var apart []byte
	done := 0
	for i := 0; i < len(text); {
		switch size := escapeSize(text[i:]); size {
		case 0:
			i++
		case half:
			apart = append(append(apart, text[done:i]...), '\\')
			apart = append(apart, bytes.ToLower(text[i:i+half])...)
			i += half
			done = i
		default:
			i += size
		}
	}
	if apart == nil {
		return text, false
	}
	return append(apart, text[done:]...), true
}

// half is how many bytes an escape has that is half of a surrogate pair.
const half = len(`\ud83d`)

// escapeSize returns how many bytes the escape has that a text of JSON begins with: [half] for a half without the other
// one, 0 where it begins with none.
func escapeSize(text []byte) int {
	switch {
	case len(text) < 2 || text[0] != '\\':
		return 0
	case !isHalf(text, "89abAB"):
		if isHalf(text, "cdefCDEF") {
			return half
		}
		return 2
	case isHalf(text[half:], "cdefCDEF"):
		return 2 * half
	default:
		return half
	}
}

// isHalf reports whether a text begins with an escape of a surrogate, whose second digit is one of those.
func isHalf(text []byte, digits string) bool {
	return len(text) >= half && text[0] == '\\' && text[1] == 'u' && text[2]|0x20 == 'd' &&
		strings.IndexByte(digits, text[3]) >= 0
}

// lineAt returns the line of an offset. Offsets only grow.
func (l *lines) lineAt(offset int64) int {
	n := 0
	for n < len(l.ends) && l.ends[n] < offset {
		n++
	}
	l.line += n
	l.ends = append(l.ends[:0], l.ends[n:]...)
	return l.line
}
