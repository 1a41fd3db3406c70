package signature

import (
	"testing"

	rules "github.com/loopstone/loopstone/reference/signature"
	"github.com/loopstone/loopstone/spec"
)

// TestForgedStatesAreRefused has one state for each way in which it cannot have been written; the session must go on
// as if nothing had been sent.
func TestForgedStatesAreRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reading spec.Reading
		reason  string
		state   string
	}{
		{spec.Code, "not an object", `[]`},
		{spec.Code, "no member", `{}`},
		{spec.Code, "signatures is no array", `{"signatures":"a"}`},
		{spec.Code, "a signature is a number", `{"signatures":[1]}`},
		{spec.Code, "more than the rule looks at", `{"signatures":["a","b","c"]}`},
		{spec.Code, "an unknown member", `{"signatures":[],"run":1}`},
		{spec.Code, "the state of the other reading", `{"signature":"a","run":1}`},
		{spec.Text, "null", `null`},
		{spec.Text, "no run", `{"signature":"a"}`},
		{spec.Text, "no signature", `{"run":1}`},
		{spec.Text, "a signature that is a number", `{"signature":1,"run":1}`},
		{spec.Text, "a run that is no integer", `{"signature":"a","run":1.5}`},
		{spec.Text, "a negative run", `{"signature":"a","run":-1}`},
		{spec.Text, "a run longer than the window", `{"signature":"a","run":4}`},
		{spec.Text, "a signature without a run", `{"signature":"a","run":0}`},
		{spec.Text, "an unknown member", `{"signature":"a","run":1,"more":1}`},
	} {
		t.Run(string(test.reading)+" "+test.reason, func(t *testing.T) {
			t.Parallel()
			d := newDetector(rules.Config{Reading: test.reading, Threshold: 2, Window: 3})
			d.Observe(spec.Event{Type: spec.Output, Text: "kept"})
			if err := d.Restore(spec.MustParse(test.state)); err == nil {
				t.Fatalf("restore %s: no error", test.state)
			}
			if v := d.Observe(spec.Event{Type: spec.Output, Text: "kept", Index: 1}); !v.Loop {
				t.Errorf("after the refused %s: %+v, want a loop", test.state, v)
			}
		})
	}
}
