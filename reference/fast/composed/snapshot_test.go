package composed_test

import (
	"strings"
	"testing"

	"github.com/loopstone/loopstone/internal/guard/detectortest"
	"github.com/loopstone/loopstone/reference/fast/composed"
	"github.com/loopstone/loopstone/spec"
)

func open(t *testing.T, config string) detectortest.Session {
	t.Helper()
	return detectortest.Open(t, spec.Composed, composed.New, spec.Code, spec.MustParse(config)).(detectortest.Session)
}

const (
	ofRun     = `{"rules":[{}]}`
	ofResults = `{"rules":[{"same":{"results":"text"}}]}`
	ofCycle   = `{"rules":[{"pattern":{"sort":"cycle"}}]}`
	ofWindow  = `{"rules":[{"pattern":{"sort":"among","last":2}}]}`
	ofSteps   = `{"rules":[{"same":{"by":"step","results":"text"}}]}`
	ofSpeech  = `{"rules":[{"same":{"by":"speech"}}]}`
	ofStaying = `{"rules":[{"rungs":[{"name":"a","at":2,"speaks":"stays"},{"name":"b","at":3}]}]}`
	ofBefore  = `{"rules":[{"judged":"before"}]}`

	aHash = `"00000000000000000000000000000001"`
	bHash = `"00000000000000000000000000000002"`
	anA   = `{"call":` + aHash + `}`
)

func rulesOf(rule string) string { return `{"waiting":[],"rules":[` + rule + `]}` }

func waiting(call, rule string) string { return `{"waiting":[` + call + `],"rules":[` + rule + `]}` }

// TestStateThatNoSessionWroteIsRefused holds what one misprint, or another configuration, makes of a state.
func TestStateThatNoSessionWroteIsRefused(t *testing.T) {
	t.Parallel()
	const empty, step = `{"items":[],"counts":[0]}`, `{"items":[],"counts":[0],"step":`
	const aCall = `{"ways":[` + aHash + `],"marks":[[]]}`
	for config, states := range map[string]map[string]string{
		ofRun: {
			"a member that is missing":                      `{"rules":[` + empty + `]}`,
			"a member too many":                             `{"waiting":[],"rules":[` + empty + `],"more":1}`,
			"more rules than there are":                     rulesOf(empty + "," + empty),
			"fewer rules":                                   rulesOf(""),
			"a step where steps are no items":               rulesOf(step + `[]}`),
			"a count before where the rule judges after":    rulesOf(`{"items":[],"counts":[0],"before":0}`),
			"a count without an item":                       rulesOf(`{"items":[],"counts":[1]}`),
			"a count that not every language can hold":      rulesOf(`{"items":[` + anA + `],"counts":[9007199254740992]}`),
			"two counts of a run":                           rulesOf(`{"items":[` + anA + `],"counts":[1,1]}`),
			"more items than a run keeps":                   rulesOf(`{"items":[` + anA + `,` + anA + `],"counts":[2]}`),
			"a hash in capitals":                            rulesOf(`{"items":[{"call":"0000000000000000000000000000000A"}],"counts":[1]}`),
			"a result where none counts":                    rulesOf(`{"items":[{"call":` + aHash + `,"key":` + bHash + `}],"counts":[1]}`),
			"a blank item where every outcome counts":       rulesOf(`{"items":[{"call":` + aHash + `,"blank":true}],"counts":[1]}`),
			"a muted item where no tool is":                 rulesOf(`{"items":[{"call":` + aHash + `,"muted":true}],"counts":[1]}`),
			"a waiting call where no rule looks at answers": waiting(aCall, empty),
		},
		ofBefore: {"no count before where the rule judges before": rulesOf(empty)},
		ofWindow: {"a count of a window, which follows from its items": rulesOf(`{"items":[` + anA + `],"counts":[1]}`)},
		ofSpeech: {"speech that is told apart": rulesOf(`{"items":[{"key":` + aHash + `}],"counts":[1]}`)},
		ofCycle: {
			"laps without items":              rulesOf(`{"items":[],"counts":[1,0,0,0]}`),
			"laps that the items do not show": rulesOf(`{"items":[` + anA + `],"counts":[1,0,0,0]}`),
			"more laps than items that differ show": rulesOf(`{"items":[` + strings.Repeat(anA+`,`, 4) + `{"call":` + bHash +
				`}],"counts":[7,0,0,0]}`),
			"fewer counts than periods": rulesOf(`{"items":[` + anA + `],"counts":[1]}`),
		},
		ofStaying: {
			"a rung that does not stay":  rulesOf(`{"stays":{"rung":"b","count":3,"period":0}}`),
			"a rung that is not reached": rulesOf(`{"stays":{"rung":"a","count":1,"period":0}}`),
			"a period of a run":          rulesOf(`{"stays":{"rung":"a","count":2,"period":1}}`),
			"what stays, and items":      rulesOf(`{"stays":{"rung":"a","count":2,"period":0},"items":[],"counts":[0]}`),
		},
		ofResults: {
			"no result where it counts":                   rulesOf(`{"items":[` + anA + `],"counts":[1]}`),
			"an id that is a number":                      waiting(`{"id":1,"ways":[`+aHash+`],"marks":[[]]}`, empty),
			"a waiting call without marks":                waiting(`{"ways":[`+aHash+`],"marks":[]}`, empty),
			"a mark of tools that the rule does not name": waiting(`{"ways":[`+aHash+`],"marks":[["excluded"]]}`, empty),
		},
		`{"rules":[{"same":{"by":"step"}}]}`: {
			"an answer where none counts": rulesOf(step + `[{"call":` + aHash + `,"answer":` + bHash + `}]}`),
		},
		ofSteps: {
			"a call of a step that waits nowhere":  rulesOf(step + `[{"call":` + aHash + `,"waits":0}]}`),
			"another call than the one that waits": waiting(aCall, step+`[{"call":`+bHash+`,"waits":0}]}`),
			"two calls that are one":               waiting(aCall, step+`[{"call":`+aHash+`,"waits":0},{"call":`+aHash+`,"waits":0}]}`),
			"a call that waits for its answer and has it": waiting(aCall,
				step+`[{"call":`+aHash+`,"waits":0,"answer":`+bHash+`}]}`),
		},
	} {
		detectortest.CheckRefuses(t, func() detectortest.Session {
			d := open(t, config)
			d.Observe(spec.Event{Type: spec.Reply})
			d.Observe(spec.Event{Type: spec.ToolCall, Tool: "t", Args: spec.ObjectValue()})
			return d
		}, states)
	}
}

// TestStateIsTaken shows that the refused states above lack nothing else.
func TestStateIsTaken(t *testing.T) {
	t.Parallel()
	const call = `{"id":"1","ways":[` + aHash + `],"marks":[[]]}`
	for _, tt := range []struct{ reason, config, state string }{
		{"a run", ofRun, rulesOf(`{"items":[` + anA + `],"counts":[7]}`)},
		{"a full window", ofWindow, rulesOf(`{"items":[` + anA + `,` + anA + `],"counts":[]}`)},
		{"more laps than the ring shows", ofCycle, rulesOf(`{"items":[` + anA + `,` + anA + `,` + anA + `,` + anA + `,` + anA +
			`],"counts":[7,6,5,4]}`)},
		{"what stays", ofStaying, rulesOf(`{"stays":{"rung":"a","count":2,"period":0}}`)},
		{"a step with a call that waits", ofSteps, waiting(call, `{"items":[],"counts":[0],"step":[{"call":`+aHash+`,"waits":0}]}`)},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			d := open(t, tt.config)
			if err := d.Restore(spec.MustParse(tt.state)); err != nil {
				t.Fatal(err)
			}
			if got := d.Snapshot().String(); got != tt.state {
				t.Errorf("the state is %s, want %s", got, tt.state)
			}
		})
	}
}
