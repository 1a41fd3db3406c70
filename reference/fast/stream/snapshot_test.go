package stream

import (
	"strings"
	"testing"

	"github.com/loopstone/loopstone/internal/guard/detectortest"
	"github.com/loopstone/loopstone/spec"
)

func TestStateThatNoSessionWroteIsRefused(t *testing.T) {
	t.Parallel()
	const (
		tails  = `"tail":{"text":"","runs":[]}`
		chunks = `"chunk":{"text":"","block":false,"fenced":false,"words":false,"line":[0,0,0,0]}`
	)
	answer := func(rules ...string) string { return `{"channels":{"answer":{` + strings.Join(rules, ",") + `}}}` }
	lines := func(texts, lengths string) string {
		return `"lines":{"texts":` + texts + `,"lengths":` + lengths + `,"text":"","length":0}`
	}
	detectortest.CheckRefuses(t, func() detectortest.Session {
		config := spec.MustParse(`{"tail_from":1,"tail_copies":2}`)
		d := detectortest.Open(t, spec.Stream, New, spec.Code, config).(detectortest.Session)
		d.Observe(spec.Event{Type: spec.Delta, Channel: spec.Answer, Text: "a"})
		return d
	}, map[string]string{
		"channels is no object": `{"channels":[]}`,
		"an unknown channel":    `{"channels":{"aside":{}}}`,
		"a rule is missing":     answer(tails),
		"another rule":          answer(tails, chunks, `"line":{}`),
		"a run too many":        answer(`"tail":{"text":"","runs":[1]}`, chunks, lines(`[]`, `[]`)),
		"a negative run":        answer(`"tail":{"text":"ab","runs":[-1,0]}`, chunks, lines(`[]`, `[]`)),
		"a line of three numbers": answer(tails, strings.Replace(chunks, "[0,0,0,0]", "[0,0,0]", 1),
			lines(`[]`, `[]`)),
		"lines without lengths": answer(tails, chunks, lines(`["a"]`, `[]`)),
		"a line with blanks":    answer(tails, chunks, lines(`["a "]`, `[2]`)),
	})
}
