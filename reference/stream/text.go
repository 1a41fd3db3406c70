package stream

import (
	"encoding/json"

	"github.com/loopstone/loopstone/reference/parts/memory"
)

// text is the latest characters of a text. A snapshot has it as a string.
type text struct{ memory.Window[rune] }

func newText(size int) text { return text{memory.NewWindow[rune](size)} }

// MarshalJSON implements [json.Marshaler].
func (t text) MarshalJSON() ([]byte, error) { return json.Marshal(string(t.Items())) }

// UnmarshalJSON implements [json.Unmarshaler]. It assumes an empty text, and takes what is no string for an empty one.
func (t *text) UnmarshalJSON(value []byte) error {
	var characters string
	_ = json.Unmarshal(value, &characters)
	for _, r := range characters {
		t.Add(r)
	}
	return nil
}
