package composed_test

import (
	"strings"
	"testing"

	"github.com/loopstone/loopstone/internal/testing/detectortest"
	"github.com/loopstone/loopstone/reference/composed"
	"github.com/loopstone/loopstone/spec"
)

func open(t *testing.T, config string) detectortest.Session {
	t.Helper()
	return detectortest.Open(t, spec.Composed, composed.New, spec.Code, spec.MustParse(config)).(detectortest.Session)
}

const (
	ofRun     = `{"rules":[{}]}`
	ofCycle   = `{"rules":[{"pattern":{"sort":"cycle"}}]}`
	ofWindow  = `{"rules":[{"pattern":{"sort":"among","last":2}}]}`
	ofSteps   = `{"rules":[{"same":{"by":"step","results":"text"}}]}`
	ofStaying = `{"rules":[{"rungs":[{"at":2,"speaks":"stays"}]}]}`

	aHash = `"00000000000000000000000000000001"`
	anA   = `{"call":` + aHash + `}`
)

// stateOf returns a state without waiting calls.
func stateOf(rules string) string { return `{"calls":7,"waiting":[],"rules":[` + rules + `]}` }

// TestStates holds states as snapshots have them, and what one misprint or another configuration makes of them.
func TestStates(t *testing.T) {
	t.Parallel()
	const run = `{"items":[` + anA + `],"repeats":[3],"previous":4}`
	const call = `{"number":7,"id":"1","has_id":true,"seen":[{"compared":` + aHash + `,"muted":true}]}`
	for _, tt := range []struct{ reason, config, state, refused string }{
		{"a run", ofRun, stateOf(run), ""},
		{"a member that is missing", ofRun, `{"calls":7,"rules":[` + run + `]}`, "state/waiting is missing"},
		{"a member too many", ofRun, `{"calls":7,"waiting":[],"rules":[` + run + `],"more":1}`, "state/more: "},
		{"more rules than there are", ofRun, stateOf(run + "," + run), "state/rules: 2 items"},
		{"fewer rules", ofRun, stateOf(""), "state/rules: 0 items"},
		{"two periods of a run", ofRun, stateOf(strings.Replace(run, "[3]", "[3,3]", 1)), "state/rules/0/repeats: 2 items"},
		{"a count below 0", ofRun, stateOf(strings.Replace(run, "[3]", "[-1]", 1)), "state/rules/0/repeats/0: "},
		{
			"a count that not every language can hold", ofRun,
			stateOf(strings.Replace(run, `:4}`, `:9007199254740992}`, 1)), "state/rules/0/previous: ",
		},
		{"a hash in capitals", ofRun, stateOf(strings.Replace(run, "1\"", "A\"", 1)), "state/rules/0/items/0/call: "},
		{"a hash that is too long", ofRun, stateOf(strings.Replace(run, "1\"", "11\"", 1)), "state/rules/0/items/0/call: "},
		{"a full window", ofWindow, stateOf(`{"items":[` + anA + `,` + anA + `],"previous":2}`), ""},
		{
			"more than the window holds", ofWindow,
			stateOf(`{"items":[` + anA + `,` + anA + `,` + anA + `],"previous":2}`), "state/rules/0/items: 3 items",
		},
		{
			"more laps than items show", ofCycle,
			stateOf(`{"items":[` + anA + `,` + anA + `],"repeats":[700,600,500,400],"previous":351}`), "",
		},
		{
			"what stays", ofStaying,
			stateOf(`{"items":[],"repeats":[1],"previous":2,"stays":{"rung":"1","severity":"critical","count":2}}`), "",
		},
		{
			"a call that waits", ofSteps,
			`{"calls":7,"waiting":[` + call + `],"rules":[{"items":[],"repeats":[0],"step":{"open":true,"calls":[` +
				`{"number":7,"call":` + aHash + `}]},"previous":0}]}`, "",
		},
		{"an id that is a number", ofSteps, `{"calls":7,"waiting":[` + strings.Replace(call, `"1"`, "1", 1) + `],"rules":[` +
			`{"items":[],"repeats":[0],"previous":0}]}`, "state/waiting/0/id: "},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			d := open(t, tt.config)
			before := d.Snapshot().String()
			err := d.Restore(spec.MustParse(tt.state))
			if tt.refused == "" && err == nil {
				before = tt.state
			}
			if got := d.Snapshot().String(); got != before {
				t.Errorf("after the restore of %s, with %v, the state is %s", tt.state, err, got)
			}
			if tt.refused != "" && (err == nil || !strings.Contains(err.Error(), tt.refused)) || tt.refused == "" && err != nil {
				t.Errorf("restore %s: %v, want %q", tt.state, err, tt.refused)
			}
		})
	}
}
