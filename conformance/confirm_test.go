package conformance

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/spec"
)

// sharing is a port whose sessions share how many calls there were, until it is started anew.
type sharing struct {
	fake
	calls   int
	wrong   string // a tool on which it is wrong however few calls there were
	spawned error
}

func newSharing(wrong string, spawned error) *sharing {
	p := &sharing{wrong: wrong, spawned: spawned}
	p.fake = fake{offers: historyInCode, observe: func(events []spec.Value) (verdicts []spec.Value, err error) {
		for _, e := range events {
			p.calls++
			tool, _ := e.Get("tool").Str()
			verdicts = append(verdicts, spec.MustParse(fmt.Sprintf(`{"loop":%t}`, p.calls > 1 || tool == p.wrong)))
		}
		return verdicts, nil
	}}
	return p
}

// Spawn implements [stdio.Spawner].
func (p *sharing) Spawn(context.Context) (spec.Port, func(), error) {
	return newSharing(p.wrong, nil), func() {}, p.spawned
}

// TestWhatPassesAloneIsBlamedOnOtherSessions has three cases of one call each: the port is right about the first that
// it is asked.
func TestWhatPassesAloneIsBlamedOnOtherSessions(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reason  string
		port    *sharing
		options Options
		want    string // the clauses of the failures, and * where one passes alone
	}{
		{"both that are asked again pass", newSharing("", nil), Options{}, "t1 PR-18* t2 PR-18*"},
		{"one has a fault of its own", newSharing("t2", nil), Options{}, "t1 PR-18* t2 HI-1"},
		{"no other process starts", newSharing("", errors.New("no room")), Options{}, "t1 HI-1 t2 HI-1"},
		{"a run that stops at the first failure", newSharing("", nil), Options{FailFast: true}, "t1 HI-1"},
		{"a port that is never started anew", newSharing("", nil), Options{MaxRestarts: -1}, "t1 HI-1 t2 HI-1"},
	} {
		test.options.Jobs = 1
		r, err := Run(t.Context(), test.port, tools(t, 3), test.options)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, result := range withFailures(r.Results) {
			mark := map[bool]string{true: "*"}[result.Reason == PassesAlone]
			got = append(got, strings.TrimPrefix(result.Case, "history-")+" "+result.Clauses[0]+mark)
		}
		if !strings.HasPrefix(strings.Join(got, " "), test.want) { // a case may be under way when the run stops
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}
