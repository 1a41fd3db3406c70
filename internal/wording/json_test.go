package wording

import (
	"encoding/json"
	"testing"
)

// TestJSONIsRefusedInPlainWords: no message names a type of Go, and each says where the text is wrong.
func TestJSONIsRefusedInPlainWords(t *testing.T) {
	t.Parallel()
	type item struct {
		Name  string   `json:"name"`
		Count int      `json:"count"`
		Least uint     `json:"least"`
		Share *float64 `json:"share"`
		Done  bool     `json:"done"`
	}
	for text, want := range map[string]string{
		``:                                "it ends too early",
		`{"items":`:                       "it ends too early",
		`x`:                               "invalid character 'x' at start of value, at byte 0",
		`{} {}`:                           "more text after the value, at byte 3",
		`{"items":[],"items":[]}`:         `the member "items" is there twice`,
		`[]`:                              "want an object, got array",
		`"a"`:                             "want an object, got string",
		`{"items":{}}`:                    "/items: want a list, got object",
		`{"items":[true]}`:                "/items/0: want an object, got boolean",
		`{"items":[{"name":{}}]}`:         "/items/0/name: want a text, got object",
		`{"items":[{"count":"1"}]}`:       "/items/0/count: want a whole number, got string",
		`{"items":[{"count":1.5}]}`:       "/items/0/count: want a whole number, got 1.5",
		`{"items":[{"count":1e300}]}`:     "/items/0/count: want a whole number, got 1e300",
		`{"items":[{"least":-1}]}`:        "/items/0/least: want a whole number that is not below 0, got -1",
		`{"items":[{},{"share":"much"}]}`: "/items/1/share: want a number, got string",
		`{"items":[{"done":1}]}`:          "/items/0/done: want true or false, got number",
		`{"items":[{"nmae":1}]}`:          `/items/0: unknown member "nmae"; did you mean "name"?`,
		`{"itmes":[]}`:                    `unknown member "itmes"; did you mean "items"?`,
		`{"counts":{"a":[]}}`:             "/counts/a: want a whole number, got array",
		`{"own":1}`:                       "/own: no reader of this",
	} {
		var into struct {
			Items  []item         `json:"items"`
			Counts map[string]int `json:"counts"`
			Own    unread         `json:"own"`
		}
		if err := ReadWholeJSON([]byte(text), &into); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
	var into struct{ Name string }
	if err := ReadJSON([]byte(`{"Name":"a","further":1}`), &into); err != nil || into.Name != "a" {
		t.Errorf("a further member: %v, %q", err, into.Name)
	}
}

// unread is of a type that reads itself, and refuses all.
type unread struct{}

type refusal string

func (r refusal) Error() string { return string(r) }

var _ json.Unmarshaler = (*unread)(nil)

func (*unread) UnmarshalJSON([]byte) error { return refusal("no reader of this") }
