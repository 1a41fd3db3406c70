package fast_test

import (
	"testing"

	"github.com/loopstone/loopstone/reference/fast"
	"github.com/loopstone/loopstone/spec"
)

// writer writes the same snapshot whatever it has read.
type writer struct{ spec.Snapshotter }

func (writer) Snapshot() spec.Value {
	return spec.MustParse(`{"count":2,"calls":[{"tool":"a"},{"tool":"b"}]}`)
}

func TestCheckReadNamesTheFirstDifference(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ state, want string }{
		{`{"calls":[{"tool":"a"},{"tool":"b"}],"count":2}`, ""},
		{`[]`, "state: no snapshot has [] there"},
		{`{"count":3,"calls":[]}`, "state/count: no snapshot has 3 there"},
		{`{"count":2}`, "state/calls is missing"},
		{`{"count":2,"calls":[{"tool":"a"}]}`, "state/calls: 1 items, a snapshot has 2"},
		{`{"count":2,"calls":[{"tool":"a"},{"tool":7}]}`, "state/calls/1/tool: no snapshot has 7 there"},
		{`{"count":2,"calls":[{"tool":"a"},{"tool":"b"}],"more":null}`, "state/more: no snapshot has null there"},
	} {
		got := ""
		if err := fast.CheckRead(spec.MustParse(test.state), writer{}); err != nil {
			got = err.(*spec.Fault).Message
		}
		if got != test.want {
			t.Errorf("%s: got %q, want %q", test.state, got, test.want)
		}
	}
}
