package stdio

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

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
