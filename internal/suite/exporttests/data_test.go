package exporttests

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/spec"
	"pgregory.net/rapid"
)

// TestALongTextIsItsRuns: whatever the text, its runs are the text again, and a megabyte of one letter takes few bytes.
func TestALongTextIsItsRuns(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.StringOfN(rapid.SampledFrom([]rune("aé日x")), 0, 5, -1), 0, 4).Draw(t, "parts")
		var b strings.Builder
		for _, part := range parts {
			b.WriteString(strings.Repeat(part, rapid.IntRange(1, 200).Draw(t, "times")))
		}
		text := b.String()
		var whole strings.Builder
		list := runs(text)
		for _, one := range list {
			whole.WriteString(strings.Repeat(one.unit, one.times))
		}
		if list != nil && whole.String() != text {
			t.Errorf("got %q, want %q", whole.String(), text)
		}
		for _, one := range list {
			if valid, _ := json.Marshal(one.unit); strings.Contains(string(valid), `\ufffd`) {
				t.Errorf("the unit %q cuts a character", one.unit)
			}
		}
	})
	letters := brief(spec.StringValue("<" + strings.Repeat("x", 1_000_000) + ">")).String()
	if want := `{"$text":[["<",1],["x",1000000],[">",1]]}`; letters != want {
		t.Errorf("got %s, want %s", letters, want)
	}
	if short := spec.StringValue(strings.Repeat("x", 200)); !brief(short).Equal(short) {
		t.Error("a short text is shortened")
	}
}
