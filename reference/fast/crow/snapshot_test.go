package crow_test

import (
	"testing"

	"github.com/loopstone/loopstone/internal/guard/detectortest"
	"github.com/loopstone/loopstone/reference/fast/crow"
	"github.com/loopstone/loopstone/spec"
)

func TestStateThatNoSessionWroteIsRefused(t *testing.T) {
	t.Parallel()
	const call = `{"type":"tool_call","tool":"a","args":{}}`
	for _, reading := range []spec.Reading{spec.Code, spec.Text} {
		detectortest.CheckRefuses(t, func() detectortest.Session {
			config := spec.MustParse(`{"recent":3,"check_every":2}`)
			d := detectortest.Open(t, spec.Crow, crow.New, reading, config).(detectortest.Session)
			d.Observe(spec.Event{Type: spec.ErrorEvent, Message: "boom"})
			return d
		}, map[string]string{
			"a check was due": `{"since_check":2,"events":[` + call + `,` + call + `,` + call + `]}`,
			"an event since the check, but none at all": `{"since_check":1,"events":[]}`,
			"one event, but none since the check":       `{"since_check":0,"events":[` + call + `]}`,
			"a float for an integer":                    `{"since_check":1.0,"events":[` + call + `]}`,
			"workers are never written":                 `{"since_check":1,"events":[` + call[:len(call)-1] + `,"worker":"w"}]}`,
			"outputs are not observed":                  `{"since_check":1,"events":[{"type":"output","text":"x"}]}`,
			"more events than the window holds": `{"since_check":0,"events":[` + call + `,` + call + `,` + call + `,` +
				call + `]}`,
		})
	}
}
