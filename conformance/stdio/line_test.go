package stdio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/loopstone/loopstone/spec"
)

// readAll returns what a reader says until the end: lines, errors, and what is left without a newline.
func readAll(l *lineReader) []string {
	var said []string
	for {
		line, err := l.next()
		switch {
		case errors.Is(err, errLineTooLong):
			said = append(said, "too long")
		case errors.Is(err, errInterrupted):
		case err != nil:
			return append(said, fmt.Sprintf("end %.20q", l.unfinished()))
		default:
			said = append(said, fmt.Sprintf("%.20q %d", line, len(line)))
		}
	}
}

func TestLinesEndAtNewlinesAndNowhereElse(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	for _, x := range []struct {
		why, text string
		limit     int
		want      []string
	}{
		{"nothing is no line", "", 10, []string{`end ""`}},
		{"empty lines are lines", "\n\na\n", 10, []string{`"" 0`, `"" 0`, `"a" 1`, `end ""`}},
		{"a rest is told apart", "a\nb", 10, []string{`"a" 1`, `end "b"`}},
		{"carriage returns and separators are text", "a\r\u2028b\n", 10, []string{`"a\r\u2028b" 6`, `end ""`}},
		{"a line of the limit's length passes", "1234567890\n", 10, []string{`"1234567890" 10`, `end ""`}},
		{"a longer one does not, and the next is whole again", "12345678901\nb\n", 10, []string{"too long", `"b" 1`, `end ""`}},
		{"a long line comes in pieces", long + "\nb\n", 200_000, []string{`"xxxxxxxxxxxxxxxxxxxx" 200000`, `"b" 1`, `end ""`}},
		{"a long line is refused before it ends", long + "\nb\n", 100_000, []string{"too long", `"b" 1`, `end ""`}},
		{"an endless line is no rest", long, 100, []string{"too long", `end ""`}},
	} {
		got := readAll(newLineReader(strings.NewReader(x.text), x.limit))
		if strings.Join(got, ", ") != strings.Join(x.want, ", ") {
			t.Errorf("%s:\n got %v\nwant %v", x.why, got, x.want)
		}
	}
}

var errInterrupted = errors.New("interrupted")

// interrupted returns an error, and nothing with it, before each piece.
type interrupted struct {
	r   io.Reader
	odd bool
}

func (i *interrupted) Read(p []byte) (int, error) {
	i.odd = !i.odd
	if i.odd {
		return 0, errInterrupted
	}
	return i.r.Read(p)
}

func TestLinesDoNotDependOnHowTheyArrive(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var text strings.Builder
		for range random.IntN(6) {
			text.WriteString(strings.Repeat("x", random.IntN(2)*random.IntN(150_000)+random.IntN(15)) + "\n")
		}
		want := readAll(newLineReader(strings.NewReader(text.String()), 100_000))
		for name, r := range map[string]io.Reader{
			"halved":      iotest.HalfReader(strings.NewReader(text.String())),
			"interrupted": &interrupted{r: iotest.HalfReader(strings.NewReader(text.String()))},
			"with EOF":    iotest.DataErrReader(strings.NewReader(text.String())),
		} {
			if got := readAll(newLineReader(r, 100_000)); strings.Join(got, ", ") != strings.Join(want, ", ") {
				t.Fatalf("%s:\n got %v\nwant %v", name, got, want)
			}
		}
	}
}

func TestServeSkipsALineThatIsTooLong(t *testing.T) {
	text := strings.Repeat("x", 200_000) + "\n" + `{"jsonrpc":"2.0","id":1,"method":"shutdown"}` + "\n"
	var out bytes.Buffer
	port := spec.NewHost(spec.Description{})
	if err := serve(context.Background(), port, newLineReader(strings.NewReader(text), 100), &out); err != nil {
		t.Fatal(err)
	}
	want := `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"longer than 100 bytes"}}` + "\n" +
		`{"jsonrpc":"2.0","id":1,"result":{}}` + "\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestQuotesAreShortAndWellFormed(t *testing.T) {
	long := []byte("x" + strings.Repeat("é", 1000)) // the limit falls into the middle of a rune
	for line, want := range map[string]string{
		"":           `""`,
		"a\x00\n\"":  `"a\x00\n\""`,
		string(long): `"x` + strings.Repeat("é", 99) + `" and so on`,
	} {
		if got := quote([]byte(line)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestTheTailIsTheEnd(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		limit := 1 + random.IntN(40)
		kept, all := &tail{limit: limit}, ""
		for range random.IntN(20) {
			piece := strings.Repeat("x", random.IntN(2*limit)) // without newlines, nothing is cut for their sake
			n, err := fmt.Fprint(kept, piece)
			if n != len(piece) || err != nil {
				t.Fatalf("Write: got %d, %v, want %d", n, err, len(piece))
			}
			all += piece
		}
		if want := all[max(0, len(all)-limit):]; kept.String() != want {
			t.Fatalf("limit %d: got %q, want %q", limit, kept, want)
		}
	}
}

func TestTheTailBeginsWithALine(t *testing.T) {
	for _, x := range []struct{ why, text, want string }{
		{"nothing was dropped", "one\ntwo\n", "one\ntwo\n"},
		{"half a line says nothing", "one one\ntwo two\n", "two two\n"},
		{"half a line is better than nothing", "a long line without end", "ithout end"},
		{"a last line that is too long stays", "a long line that ends\n", "that ends\n"},
		{"bad UTF-8 must not spoil a report", "\xff\n", "\uFFFD\n"},
	} {
		kept := &tail{limit: 10}
		fmt.Fprint(kept, x.text)
		if got := kept.String(); got != x.want {
			t.Errorf("%s: got %q, want %q", x.why, got, x.want)
		}
	}
}

func TestLastLines(t *testing.T) {
	for text, want := range map[string]string{"": "", "a": "a", "a\nb\nc\n\n": "b\nc", "a\n\nb": "\nb"} {
		if got := lastLines(text, 2); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}
