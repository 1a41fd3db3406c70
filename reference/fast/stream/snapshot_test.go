package stream

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/internal/guard/detectortest"
	"github.com/loopstone/loopstone/spec"
)

func TestRestoredSessionGoesOnAlike(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		config := configs(t)
		original, restored := open(t, byTwin, config), open(t, byTwin, config)
		detectortest.Observe(original, events(t, 0))
		detectortest.Observe(restored, events(t, 0))
		state := spec.MustParse(original.(spec.Snapshotter).Snapshot().String())
		if err := restored.(spec.Snapshotter).Restore(state); err != nil {
			t.Fatalf("restore %s: %v", state, err)
		}
		trace := events(t, 1000)
		want := detectortest.Observe(original, trace)
		for i := range want {
			want[i].Evidence = slices.DeleteFunc(want[i].Evidence, func(index int) bool { return index < 1000 })
		}
		if diff := cmp.Diff(want, detectortest.Observe(restored, trace)); diff != "" {
			t.Fatalf("after restore of %s, %+v (-original +restored):\n%s", state, trace, diff)
		}
	})
}

// TestForgedStatesAreRefused has one state for each way in which it cannot have been written; the session must go on
// as if nothing had been sent.
func TestForgedStatesAreRefused(t *testing.T) {
	t.Parallel()
	const (
		tails  = `"tail":{"text":"","runs":[]}`
		chunks = `"chunk":{"text":"","block":false,"fenced":false,"words":false,"line":[0,0,0,0]}`
	)
	answer := func(rules ...string) string { return `{"channels":{"answer":{` + strings.Join(rules, ",") + `}}}` }
	for reason, state := range map[string]string{
		"not an object":           `[]`,
		"no member":               `{}`,
		"an unknown member":       `{"channels":{},"more":1}`,
		"channels is no object":   `{"channels":[]}`,
		"an unknown channel":      `{"channels":{"aside":{}}}`,
		"a rule is missing":       answer(tails),
		"another rule":            answer(tails, chunks, `"line":{}`),
		"a run too many":          answer(`"tail":{"text":"","runs":[1]}`, chunks, `"lines":{}`),
		"a negative run":          answer(`"tail":{"text":"ab","runs":[-1,0]}`, chunks, `"lines":{}`),
		"a line of three numbers": answer(tails, strings.Replace(chunks, "[0,0,0,0]", "[0,0,0]", 1), `"lines":{}`),
		"lines without lengths":   answer(tails, chunks, `"lines":{"texts":["a"],"lengths":[],"text":"","length":0}`),
		"a line with blanks":      answer(tails, chunks, `"lines":{"texts":["a "],"lengths":[2],"text":"","length":0}`),
		"a current line of no text": answer(tails, chunks,
			`"lines":{"texts":[],"lengths":[],"text":1,"length":0}`),
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			d := open(t, byTwin, spec.MustParse(`{"tail_from":1,"tail_copies":2}`))
			d.Observe(spec.Event{Type: spec.Delta, Channel: spec.Answer, Text: "a"})
			if err := d.(spec.Snapshotter).Restore(spec.MustParse(state)); err == nil {
				t.Fatalf("restore %s: no error", state)
			}
			if v := d.Observe(spec.Event{Type: spec.Delta, Channel: spec.Answer, Text: "a", Index: 1}); !v.Loop {
				t.Errorf("after the refused %s: %+v, want a loop", state, v)
			}
		})
	}
}
