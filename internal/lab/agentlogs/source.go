package agentlogs

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// Limits on what a log may hold. Whoever wrote it may mean harm, and a reader must not take the machine down.
const (
	mostBytes = 64 << 20  // of one record: one line, one step, one message
	mostDepth = 100       // of arrays and objects within one another in a record, as in the protocol
	mostParts = 1 << 18   // values of a record: small ones take many times their text in memory
	headBytes = 256 << 10 // of the beginning, by which a format is recognised
)

// source is a log while it is read: JSON texts one after the other, each on a line or all of them one large text. It is
// read record by record; only one is in memory.
type source struct {
	name   string // as errors have it
	base   string // of the names of runs
	format string
	sink   Sink
	head   head
	notes  tally
	runs   int

	refused error // why the sink refused an event, which ends the reading

	detect func(head) (format, bool) // [head.format], which itself refers to all readers
	buffer *bufio.Reader
	input  *lines
	json   *jsontext.Decoder
}

func newSource(name string, r io.Reader, sink Sink) (*source, error) {
	buffered := bufio.NewReaderSize(r, headBytes)
	begin, err := beginning(buffered, r)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	cut := len(begin) == headBytes
	if bytes.HasPrefix(begin, ByteOrderMark) { // as editors of Windows write it
		begin = begin[len(ByteOrderMark):]
		_, _ = buffered.Discard(len(ByteOrderMark)) // it was peeked at
	}
	s := &source{name: name, base: baseOf(name), sink: sink, buffer: buffered, head: readHead(begin), detect: head.format}
	s.head.cut = cut
	s.input = &lines{from: buffered, line: 1}
	s.json = newDecoder(s.input)
	s.input.done = s.json.InputOffset
	return s, nil
}

// Growing is a log that is still written: a Read waits for more where Idle.
type Growing interface {
	io.Reader
	Idle() bool
}

// beginning returns what a log begins with, by which its format is recognised: as far as it goes by now.
func beginning(b *bufio.Reader, from io.Reader) ([]byte, error) {
	growing, isGrowing := from.(Growing)
	for size := 1; size <= headBytes; size = b.Buffered() + 1 {
		if _, err := b.Peek(size); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if isGrowing && growing.Idle() {
			break
		}
	}
	return b.Peek(b.Buffered())
}

// readOn reads the record on which the head ends to its end, if that comes within the limit of a record: what tells the
// format may stand behind a text of megabytes. It is called before anything else is read.
func (s *source) readOn() {
	var taken bytes.Buffer
	decoder := newDecoder(io.TeeReader(io.LimitReader(s.buffer, mostBytes), &taken))
	for decoder.InputOffset() < headBytes {
		if err := decoder.SkipValue(); err != nil {
			break
		}
	}
	s.head = readHead(taken.Bytes())
	s.head.tooLong = s.head.single && taken.Len() == mostBytes
	s.input.from = io.MultiReader(&taken, s.buffer)
}

// ByteOrderMark is the one that JSON need not have. A reader passes over it.
var ByteOrderMark = []byte("\ufeff")

// baseOf returns the name of a file without folder and extension.
func baseOf(name string) string {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	return strings.TrimSuffix(base, path.Ext(base))
}

// Error says where in a log something is wrong.
type Error struct {
	Source  string
	Line    int    // from 1
	Column  int    // in bytes, from 1; 0 where the line or the pointer says it
	Pointer string // a JSON pointer within the JSON text that stands there
	Err     error
}

// Error returns the place and the problem in one line. Nothing of the log is in it but names of members.
func (e *Error) Error() string {
	place := fmt.Sprintf("%s:%d", e.Source, e.Line)
	if e.Column > 0 {
		place += fmt.Sprintf(":%d", e.Column)
	}
	if e.Pointer != "" {
		place += fmt.Sprintf(": at %q", wording.Cut(e.Pointer, MostPointer))
	}
	return place + ": " + e.Err.Error()
}

// Unwrap returns the problem.
func (e *Error) Unwrap() error { return e.Err }

// fail returns the error with the place that was reached.
func (s *source) fail(err error) error {
	var told *Error
	if err == nil || errors.As(err, &told) {
		return err
	}
	return &Error{s.name, s.lineAt(s.json.InputOffset()), 0, string(s.json.StackPointer()), err}
}

// lineAt returns the line of an offset that is not behind what was read, nor before what was taken in.
func (s *source) lineAt(offset int64) int {
	ahead := s.json.UnreadBuffer()[offset-s.json.InputOffset():]
	return s.input.line - bytes.Count(ahead, []byte{'\n'})
}

func (s *source) failf(format string, args ...any) error { return s.fail(fmt.Errorf(format, args...)) }

// syntax returns what the library says about a text, in words of our own; nothing where it says nothing.
func (s *source) syntax(err error) error {
	if err == nil {
		return nil
	}
	wrong, isSyntax := errors.AsType[*jsontext.SyntacticError](err)
	fault, isEncoding := errors.AsType[*encodingError](err)
	switch {
	case isEncoding:
		return &Error{s.name, fault.line, fault.column, "", fault}
	case errors.Is(err, errTooLong):
		return s.failf("a record has more than %d MB", mostBytes>>20)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return s.failf("it ends too early")
	case !isSyntax:
		return s.fail(err)
	}
	problem := wrong.Err
	if errors.Is(err, jsontext.ErrDuplicateName) {
		problem = errors.New("a member is there twice")
	}
	problem = fmt.Errorf("no JSON: %w", problem)
	return &Error{s.name, s.lineAt(wrong.ByteOffset), 0, string(wrong.JSONPointer), problem}
}

// place returns where the value that was just read stands.
func (s *source) place() Place {
	pointer := string(s.json.StackPointer())
	if s.head.single && s.json.StackDepth() > 0 {
		return Place{Pointer: pointer}
	}
	return Place{Line: s.lineAt(s.json.InputOffset()), Pointer: pointer}
}

// records calls visit for each JSON text of the source, and for each item of one that is an array; visit must read it
// whole.
func (s *source) records(visit func() error) error {
	return s.texts(func() error {
		if s.json.PeekKind() == '[' {
			return s.items(visit)
		}
		return visit()
	})
}

// texts calls visit for each JSON text of the source; visit must read it whole.
func (s *source) texts(visit func() error) error {
	for s.json.PeekKind() != 0 {
		if err := cmp.Or(visit(), s.refused); err != nil {
			return err
		}
	}
	if _, err := s.json.ReadToken(); !errors.Is(err, io.EOF) {
		return s.syntax(err)
	}
	return nil
}

// items calls visit for each item of the array that comes next; visit must read it whole.
func (s *source) items(visit func() error) error { return s.within('[', ']', visit) }

// members calls visit for each member of the object that comes next; visit must read its value whole.
func (s *source) members(visit func(name string) error) error {
	return s.within('{', '}', func() error {
		name, err := s.json.ReadToken()
		if err != nil {
			return s.syntax(err)
		}
		return visit(name.String())
	})
}

// within calls visit until the array or object ends that comes next.
func (s *source) within(begin, end jsontext.Kind, visit func() error) error {
	if s.json.PeekKind() != begin {
		return s.unexpected(begin)
	}
	_, err := s.json.ReadToken()
	for err == nil && s.json.PeekKind() != end {
		if s.json.PeekKind() == 0 {
			_, err = s.json.ReadToken()
			return s.syntax(err)
		}
		if err := cmp.Or(visit(), s.refused); err != nil {
			return err
		}
	}
	if err == nil {
		_, err = s.json.ReadToken()
	}
	return s.syntax(err)
}

// unexpected reads what comes next and says that it should be something else.
func (s *source) unexpected(want jsontext.Kind) error {
	token, err := s.json.ReadToken()
	if err != nil {
		return s.syntax(err)
	}
	return s.failf("want %s, got %s", kindNames[want], kindNames[token.Kind()])
}

var kindNames = map[jsontext.Kind]string{
	'{': "an object", '[': "an array", '"': "a text", '0': "a number", 'n': "null", 't': "true", 'f': "false",
}

// skip reads the next value and forgets it, in bounded memory.
func (s *source) skip() error { return s.syntax(s.json.SkipValue()) }

// value reads the next value whole.
func (s *source) value() (spec.Value, error) {
	text, err := s.json.ReadValue()
	if err != nil {
		begin := s.nextLine()
		return spec.Value{}, since(begin, s.syntax(s.exactly(err)))
	}
	if len(text) > mostBytes { // for it may have been read ahead
		return spec.Value{}, s.syntax(errTooLong)
	}
	text, found := halvesApart(text)
	if found {
		s.notes.add(nil, s.place(), "half of a surrogate pair is no character, and was kept as its escape")
	}
	v, err := parse(text)
	if err != nil {
		return v, s.fail(err)
	}
	return v, nil
}

// nextLine returns the line on which the next value begins.
func (s *source) nextLine() int {
	rest := s.json.UnreadBuffer()
	blank := len(rest) - len(bytes.TrimLeft(rest, " \t\r\n,"))
	return s.lineAt(s.json.InputOffset() + int64(blank))
}

// since adds to an error where the value begins that is broken, if that is on an earlier line: a line that was cut off
// goes on with the next one, and what does not fit stands far behind the cut.
func since(begin int, err error) error {
	if told, is := errors.AsType[*Error](err); is && told.Line > begin {
		told.Err = &begunError{told.Err, begin}
	}
	return err
}

// begunError is a problem of a value that begins on an earlier line.
type begunError struct {
	err  error
	line int
}

// Error returns the problem with the line.
func (e *begunError) Error() string {
	return fmt.Sprintf("%v, in what begins on line %d", e.err, e.line)
}

// Unwrap returns the problem.
func (e *begunError) Unwrap() error { return e.err }

// exactly returns the error of a value that could not be read as it is met token by token, which is where it is: the
// library does not always know the place within a value.
func (s *source) exactly(err error) error {
	if _, isSyntax := errors.AsType[*jsontext.SyntacticError](err); !isSyntax {
		return err
	}
	for depth := s.json.StackDepth(); ; {
		_, exact := s.json.ReadToken()
		switch {
		case exact != nil:
			return exact
		case s.json.StackDepth() <= depth: // it is no fault to the tokens
			return err
		}
	}
}

// object reads the next value whole, which must be an object.
func (s *source) object() (spec.Value, error) {
	if kind := s.json.PeekKind(); kind != '{' && kind != 0 {
		return spec.Value{}, s.unexpected('{')
	}
	return s.value()
}
