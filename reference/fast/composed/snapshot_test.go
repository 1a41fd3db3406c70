package composed_test

import (
	"testing"

	"github.com/loopstone/loopstone/spec"
)

// session is the detector as its users have it.
type session interface {
	spec.Detector
	spec.Snapshotter
}

func open(t *testing.T, config string) session {
	t.Helper()
	d, err := byTwin.New(spec.Code, spec.MustParse(config))
	if err != nil {
		t.Fatal(err)
	}
	return d.(session)
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
	for _, tt := range []struct{ reason, config, state string }{
		{"no object", ofRun, `[]`},
		{"a member that is missing", ofRun, `{"rules":[` + empty + `]}`},
		{"a member too many", ofRun, `{"waiting":[],"rules":[` + empty + `],"more":1}`},
		{"more rules than there are", ofRun, rulesOf(empty + "," + empty)},
		{"fewer rules", ofRun, rulesOf("")},
		{"rules that are no list", ofRun, `{"waiting":[],"rules":{}}`},
		{"a rule that is no object", ofRun, rulesOf(`7`)},
		{"a rule without its counts", ofRun, rulesOf(`{"items":[]}`)},
		{"a step where steps are no items", ofRun, rulesOf(step + `[]}`)},
		{"a count before where the rule judges after", ofRun, rulesOf(`{"items":[],"counts":[0],"before":0}`)},
		{"no count before where the rule judges before", ofBefore, rulesOf(empty)},
		{"a count before that is a text", ofBefore, rulesOf(`{"items":[],"counts":[0],"before":"0"}`)},
		{"a count without an item", ofRun, rulesOf(`{"items":[],"counts":[1]}`)},
		{"a negative count", ofRun, rulesOf(`{"items":[` + anA + `],"counts":[-1]}`)},
		{"a count that not every language can hold", ofRun, rulesOf(`{"items":[` + anA + `],"counts":[9007199254740992]}`)},
		{"two counts of a run", ofRun, rulesOf(`{"items":[` + anA + `],"counts":[1,1]}`)},
		{"more items than a run keeps", ofRun, rulesOf(`{"items":[` + anA + `,` + anA + `],"counts":[2]}`)},
		{"an item without its call", ofRun, rulesOf(`{"items":[{"key":` + aHash + `}],"counts":[1]}`)},
		{"an item with a member too many", ofRun, rulesOf(`{"items":[{"call":` + aHash + `,"id":"1"}],"counts":[1]}`)},
		{"an item that is no object", ofRun, rulesOf(`{"items":[` + aHash + `],"counts":[1]}`)},
		{"a hash that is short", ofRun, rulesOf(`{"items":[{"call":"01"}],"counts":[1]}`)},
		{"a hash in capitals", ofRun, rulesOf(`{"items":[{"call":"0000000000000000000000000000000A"}],"counts":[1]}`)},
		{"a result where none counts", ofRun, rulesOf(`{"items":[{"call":` + aHash + `,"key":` + bHash + `}],"counts":[1]}`)},
		{"no result where it counts", ofResults, rulesOf(`{"items":[` + anA + `],"counts":[1]}`)},
		{"a blank item where every outcome counts", ofRun, rulesOf(`{"items":[{"call":` + aHash + `,"blank":true}],"counts":[1]}`)},
		{"a muted item where no tool is", ofRun, rulesOf(`{"items":[{"call":` + aHash + `,"muted":true}],"counts":[1]}`)},
		{"a count of a window, which follows from its items", ofWindow, rulesOf(`{"items":[` + anA + `],"counts":[1]}`)},
		{"laps without items", ofCycle, rulesOf(`{"items":[],"counts":[1,0,0,0]}`)},
		{"laps that the items do not show", ofCycle, rulesOf(`{"items":[` + anA + `],"counts":[1,0,0,0]}`)},
		{"fewer counts than periods", ofCycle, rulesOf(`{"items":[` + anA + `],"counts":[1]}`)},
		{"speech that is told apart", ofSpeech, rulesOf(`{"items":[{"key":` + aHash + `}],"counts":[1]}`)},
		{"a rung that does not stay", ofStaying, rulesOf(`{"stays":{"rung":"b","count":3,"period":0}}`)},
		{"a rung that is not reached", ofStaying, rulesOf(`{"stays":{"rung":"a","count":1,"period":0}}`)},
		{"a period of a run", ofStaying, rulesOf(`{"stays":{"rung":"a","count":2,"period":1}}`)},
		{"what stays, and items", ofStaying, rulesOf(`{"stays":{"rung":"a","count":2,"period":0},"items":[],"counts":[0]}`)},
		{"a waiting call where no rule looks at answers", ofRun, waiting(aCall, empty)},
		{"an id that is a number", ofResults, waiting(`{"id":1,"ways":[`+aHash+`],"marks":[[]]}`, empty)},
		{"a waiting call that nobody reads", ofResults, waiting(`{"ways":[],"marks":[[]]}`, empty)},
		{"a waiting call without marks", ofResults, waiting(`{"ways":[`+aHash+`],"marks":[]}`, empty)},
		{"a mark of tools that the rule does not name", ofResults, waiting(`{"ways":[`+aHash+`],"marks":[["excluded"]]}`, empty)},
		{"a call of a step that waits nowhere", ofSteps, rulesOf(step + `[{"call":` + aHash + `,"waits":0}]}`)},
		{"another call than the one that waits", ofSteps, waiting(aCall, step+`[{"call":`+bHash+`,"waits":0}]}`)},
		{"two calls that are one", ofSteps, waiting(aCall, step+`[{"call":`+aHash+`,"waits":0},{"call":`+aHash+`,"waits":0}]}`)},
		{"a call that waits for its answer and has it", ofSteps, waiting(aCall, step+`[{"call":`+aHash+`,"waits":0,"answer":`+bHash+`}]}`)},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			d := open(t, tt.config)
			for _, e := range []spec.Event{{Type: spec.Reply}, {Type: spec.ToolCall, Tool: "t", Args: spec.ObjectValue()}} {
				d.Observe(e)
			}
			before := d.Snapshot().String()
			err := d.Restore(spec.MustParse(tt.state))
			if fault, is := err.(*spec.Fault); !is || fault.Kind != spec.InvalidState {
				t.Errorf("Restore(%s) = %v, want %s", tt.state, err, spec.InvalidState)
			}
			if after := d.Snapshot().String(); after != before {
				t.Errorf("the state was %s and is %s", before, after)
			}
		})
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
