package memory

import "encoding/json"

// Fixed is a list whose length the configuration gives: a fresh memory has all its items.
type Fixed[T any] []T

// UnmarshalJSON implements [json.Unmarshaler]. It reads as many items as the list has, see [Detector.Restore].
func (f Fixed[T]) UnmarshalJSON(text []byte) error {
	var items []json.RawMessage
	_ = json.Unmarshal(text, &items)
	for i := range min(len(f), len(items)) {
		_ = json.Unmarshal(items[i], &f[i])
	}
	return nil
}
