package conformance_test

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

func TestVerdictSchemaAgreesWithCheckVerdict(t *testing.T) {
	schema := compileSchema(t, "verdict")
	tests := []struct {
		verdict string
		good    bool
		reason  string
	}{
		{`{"loop":false}`, true, "all else is optional"},
		{`{"loop":true,"kind":"exact","count":3,"evidence":[0,1,2]}`, true, "a loop"},
		{`{"loop":true,"mood":null}`, true, "unknown members are ignored"},
		{`{"loop":true,"kind":"a_later_one"}`, true, "a runner takes a kind that it does not know for a wrong one, not for none"},
		{`{}`, false, "loop is missing"},
		{`{"loop":1}`, false, "1 is no boolean"},
		{`{"loop":null}`, false, "null is no boolean"},
		{`{"loop":true,"kind":null}`, false, "null is not absence"},
		{`{"loop":true,"count":"3"}`, false, "a count is a number"},
		{`{"loop":true,"similarity":"90"}`, false, "a similarity is a number"},
		{`{"loop":true,"evidence":{}}`, false, "evidence is an array"},
		{`{"loop":true,"evidence":["0"]}`, false, "an index is a number"},
		{`{"loop":true,"evidence":[0.5]}`, false, "an index is an integer"},
		{`[true]`, false, "no object"},
		{`true`, false, "no object"},
	}
	for _, tt := range tests {
		t.Run(tt.verdict, func(t *testing.T) {
			verdict := spec.MustParse(tt.verdict)
			if err := spec.CheckVerdict(verdict); (err == nil) != tt.good {
				t.Errorf("CheckVerdict: %s; %s", verdictOf(err), tt.reason)
			}
			if err := check(schema, verdict); (err == nil) != tt.good {
				t.Errorf("the schema: %s; %s", verdictOf(err), tt.reason)
			}
		})
	}
}

func TestVerdictSchemaAgreesWithCheckVerdictOnAnyObject(t *testing.T) {
	schema := compileSchema(t, "verdict")
	members := map[string][]spec.Value{}
	for _, m := range schemaSource(t, "verdict").Get("properties").Members() {
		members[m.Name] = []spec.Value{m.Value}
	}
	rapid.Check(t, func(t *rapid.T) {
		verdict := drawObject(t, members)
		err, found := spec.CheckVerdict(verdict), check(schema, verdict)
		if (found == nil) != (err == nil) {
			t.Fatalf("%s\nCheckVerdict: %s\nthe schema: %s", verdict, verdictOf(err), verdictOf(found))
		}
	})
}

// Each detector's own definition is stricter than what a runner demands. That it knows all that the detector says is
// seen on the verdicts that the reference gives in the suite.
func TestReferenceVerdictsAreWhatTheSchemaOfTheirDetectorSays(t *testing.T) {
	port := reference.Port()
	for _, profile := range spec.Profiles() {
		t.Run(string(profile.ID), func(t *testing.T) {
			schema := compileSchema(t, "verdict#/$defs/"+string(profile.ID))
			seen := 0
			for _, c := range suite(t) {
				if c.Detector != profile.ID {
					continue
				}
				for _, verdict := range verdictsIn(t, port, c) {
					seen++
					if err := check(schema, verdict); err != nil {
						t.Errorf("case %s: %s\n%v", c.ID, verdict, err)
					}
				}
			}
			if seen == 0 {
				t.Error("the suite has no verdict of this detector")
			}
		})
	}
}

// verdictsIn returns the verdicts that a port gives on the events of a case, in all its readings. Steps that are
// refused, or need what is not an event, are left out: verdicts are wanted, not a judgement.
func verdictsIn(t *testing.T, port spec.Port, c cases.Case) []spec.Value {
	t.Helper()
	var all []spec.Value
	for _, reading := range c.Readings {
		session, err := port.Open(context.Background(), c.Detector, reading, c.Config)
		if err != nil {
			continue
		}
		for _, step := range c.Steps {
			if step.Action != cases.Observe || step.Fault != nil {
				continue
			}
			verdicts, err := session.Observe(context.Background(), slices.Repeat(step.Events, step.Times))
			if err != nil {
				t.Errorf("case %s: %v", c.ID, err)
			}
			all = append(all, verdicts...)
		}
	}
	return all
}
