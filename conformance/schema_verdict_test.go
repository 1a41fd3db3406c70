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
	t.Parallel()
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
	t.Parallel()
	schema := compileSchema(t, "verdict")
	draw := newDrawer(t, "verdict")
	all := draw.properties(schemaSource(t, "verdict"))
	rapid.Check(t, func(t *rapid.T) {
		verdict := draw.object(t, all)
		err, found := spec.CheckVerdict(verdict), check(schema, verdict)
		if (found == nil) != (err == nil) {
			t.Fatalf("%s\nCheckVerdict: %s\nthe schema: %s", verdict, verdictOf(err), verdictOf(found))
		}
	})
}

// Each detector's own definition is stricter than what a runner demands. That it knows all that the detector says is
// seen on the verdicts that the reference gives in the suite, where every kind occurs.
func TestReferenceVerdictsAreWhatTheSchemaOfTheirDetectorSays(t *testing.T) {
	t.Parallel()
	port := reference.Port()
	for _, profile := range spec.Detectors() {
		t.Run(string(profile.ID), func(t *testing.T) {
			t.Parallel()
			schema := compileSchema(t, "verdict#/$defs/"+string(profile.ID))
			seen := map[string]bool{}
			for _, c := range suite(t) {
				if c.Detector != profile.ID {
					continue
				}
				for _, verdict := range verdictsIn(t, port, c) {
					seen[textOf(verdict.Get("kind"))] = true
					if err := check(schema, verdict); err != nil {
						t.Errorf("case %s: %s\n%v", c.ID, verdict, err)
					}
				}
			}
			for _, kind := range kindsOf(t, profile.ID) {
				if !seen[kind] {
					t.Errorf("no event of the suite is a loop of kind %s", kind)
				}
			}
		})
	}
}

func TestDetectorSchemasRefuseVerdictsOfOthers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		detector spec.DetectorID
		verdict  string
		reason   string
	}{
		{spec.Fingerprint, `{"loop":true,"kind":"exact","count":3}`, "the severity is missing"},
		{spec.Fingerprint, `{"loop":true,"kind":"test_fix","count":3,"severity":"notice"}`, "only calls have a severity"},
		{spec.Fingerprint, `{"loop":true,"kind":"repeat","count":3}`, "the kind is another detector's"},
		{spec.Fingerprint, `{"loop":false,"kind":"exact"}`, "a kind without a loop"},
		{spec.Signature, `{"loop":true,"kind":"signature","count":3}`, "the signature is missing"},
		{spec.Signature, `{"loop":false,"count":1,"signature":"","kind":"signature"}`, "a kind without a loop"},
		{spec.History, `{"loop":true,"kind":"repeat"}`, "the count is missing"},
		{spec.History, `{"loop":true,"kind":"repeat","count":0}`, "nothing was counted"},
		{spec.History, `{"loop":true,"kind":"repeat","count":2,"evidence":[]}`, "evidence that names nothing"},
		{spec.Crow, `{"loop":true,"kind":"monologue","count":3,"confidence":2,"pattern":"","suggestion":""}`, "more than certain"},
		{spec.Crow, `{"loop":false,"count":1}`, "a count without a loop"},
		{spec.Swarm, `{"loop":true,"kind":"global","count":10}`, "the workers are missing"},
		{spec.Ralph, `{"loop":true,"kind":"similar","similarity":101}`, "more than equal"},
		{spec.Ralph, `{"loop":true,"kind":"similar","similarity":100,"count":2}`, "nothing is counted"},
		{spec.Guards, `{"loop":true,"kind":"max_runtime","count":2}`, "time is not counted"},
		{spec.Guards, `{"loop":true,"kind":"max_iterations"}`, "the count is missing"},
	}
	for _, tt := range tests {
		schema := compileSchema(t, "verdict#/$defs/"+string(tt.detector))
		if check(schema, spec.MustParse(tt.verdict)) == nil {
			t.Errorf("%s: %s is accepted, but %s", tt.detector, tt.verdict, tt.reason)
		}
	}
}

// kindsOf returns the kinds that the schema knows of a detector.
func kindsOf(t *testing.T, id spec.DetectorID) []string {
	t.Helper()
	kind := schemaSource(t, "verdict").Get("$defs").Get(string(id)).Get("then").Get("properties").Get("kind")
	if only := kind.Get("const"); !only.IsAbsent() {
		return []string{textOf(only)}
	}
	var kinds []string
	for _, item := range kind.Get("enum").Items() {
		kinds = append(kinds, textOf(item))
	}
	return kinds
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
