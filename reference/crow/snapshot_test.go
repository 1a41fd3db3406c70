package crow_test

import (
	"testing"

	"github.com/loopstone/loopstone/internal/testing/detectortest"
	"github.com/loopstone/loopstone/reference/crow"
	"github.com/loopstone/loopstone/spec"
)

func TestStateThatNoSessionWroteIsRefused(t *testing.T) {
	t.Parallel()
	const call = `{"type":"tool_call","tool":"a","args":"{}"}`
	for _, reading := range []spec.Reading{spec.Code, spec.Text} {
		detectortest.CheckRefuses(t, func() detectortest.Session {
			config := spec.MustParse(`{"recent":3,"check_every":2}`)
			d := detectortest.Open(t, spec.Crow, crow.New, reading, config).(detectortest.Session)
			if err := d.Restore(spec.MustParse(`{"since_check":1,"events":[` + call + `]}`)); err != nil {
				t.Fatal(err)
			}
			return d
		}, map[string]string{
			"an integer above 2^53": `{"since_check":9007199254740993,"events":[` + call + `]}`,
			"a count below 0":       `{"since_check":-1,"events":[` + call + `]}`,
			"no window":             `{"since_check":1}`,
			"a member too many":     `{"since_check":1,"events":[` + call[:len(call)-1] + `,"worker":"w"}]}`,
			"arguments as JSON":     `{"since_check":1,"events":[{"type":"tool_call","tool":"a","args":{}}]}`,
			"more events than the window holds": `{"since_check":0,"events":[` + call + `,` + call + `,` + call + `,` +
				call + `]}`,
		})
	}
}
