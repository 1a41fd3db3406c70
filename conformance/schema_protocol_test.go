package conformance_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

func TestReferenceIsDescribedWithKnownNames(t *testing.T) {
	t.Parallel()
	schema := compileSchema(t, "protocol#/$defs/known-offer")
	description, err := reference.Port().Describe(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, offer := range description.Detectors {
		v := spec.ObjectValue(
			spec.Member{Name: "id", Value: spec.StringValue(string(offer.Detector))},
			spec.Member{Name: "readings", Value: spec.StringsValue(plain(offer.Readings))},
			spec.Member{Name: "features", Value: spec.StringsValue(plain(offer.Features))},
		)
		if err := check(schema, v); err != nil {
			t.Errorf("%s: %v", v, err)
		}
		misspelt := v.With("features", spec.StringsValue([]string{"evidences"}))
		if check(schema, misspelt) == nil {
			t.Errorf("%s: a feature that does not exist is accepted", misspelt)
		}
	}
}

func plain[T ~string](list []T) []string {
	texts := make([]string, len(list))
	for i, item := range list {
		texts[i] = string(item)
	}
	return texts
}

// openParams returns the params of a session/open.
func openParams(detector spec.DetectorID, reading spec.Reading, config spec.Value) spec.Value {
	params := spec.ObjectValue(
		spec.Member{Name: "session", Value: spec.StringValue("s")},
		spec.Member{Name: "detector", Value: spec.StringValue(string(detector))},
		spec.Member{Name: "reading", Value: spec.StringValue(string(reading))},
	)
	if config.IsAbsent() {
		return params
	}
	return params.With("config", config)
}

func TestConfigurationsOfTheSuiteAreValidWhereTheyAreNotRefused(t *testing.T) {
	t.Parallel()
	schema := compileSchema(t, "protocol#/$defs/session-open-params")
	for _, c := range suite(t) {
		for _, reading := range c.Readings {
			err := check(schema, openParams(c.Detector, reading, c.Config))
			if (err == nil) != (c.Refuse == nil) {
				t.Errorf("case %s: the schema says of the configuration %s: %s", c.ID, c.Config, verdictOf(err))
			}
		}
	}
}

func TestConfigurationSchemasAgreeWithTheReference(t *testing.T) {
	t.Parallel()
	schema := compileSchema(t, "protocol#/$defs/session-open-params")
	draw := newDrawer(t, "protocol")
	port := reference.Port()
	for _, profile := range spec.Detectors() {
		settings := draw.properties(draw.definitions.Get(string(profile.ID) + "-config"))
		for _, reading := range profile.Readings {
			t.Run(string(profile.ID)+"/"+string(reading), rapid.MakeCheck(func(t *rapid.T) {
				config := draw.object(t, settings)
				_, err := port.Open(context.Background(), profile.ID, reading, config)
				found := check(schema, openParams(profile.ID, reading, config))
				if (found == nil) != (err == nil) {
					t.Fatalf("%s\nthe reference: %s\nthe schema: %s", config, verdictOf(err), verdictOf(found))
				}
			}))
		}
	}
}

func TestFunctionCallsOfTheSuiteAreValidWhereTheyAreNotRefused(t *testing.T) {
	t.Parallel()
	for _, c := range suite(t) {
		if c.Call == nil {
			continue
		}
		err := check(compileSchema(t, "protocol#/$defs/"+c.Call.Function+"-args"), c.Call.Args)
		if c.Call.Fault == nil && err != nil {
			t.Errorf("case %s: the arguments %s: %v", c.ID, c.Call.Args, err)
		}
		if c.Call.Fault != nil && c.Call.Fault.Kind == spec.InvalidParams && err == nil {
			t.Errorf("case %s: the schema accepts the arguments %s", c.ID, c.Call.Args)
		}
		if c.Call.Result == nil || c.Call.Result.Equal.IsAbsent() {
			continue
		}
		if err := check(compileSchema(t, "protocol#/$defs/"+c.Call.Function+"-value"), c.Call.Result.Equal); err != nil {
			t.Errorf("case %s: the result %s: %v", c.ID, c.Call.Result.Equal, err)
		}
	}
}

func TestFunctionSchemasAgreeWithTheReference(t *testing.T) {
	t.Parallel()
	draw := newDrawer(t, "protocol")
	port := reference.Port()
	for _, profile := range spec.Detectors() {
		for function := range profile.Functions {
			args := compileSchema(t, "protocol#/$defs/"+function+"-args")
			value := compileSchema(t, "protocol#/$defs/"+function+"-value")
			arguments := draw.properties(draw.definitions.Get(function + "-args"))
			t.Run(function, rapid.MakeCheck(func(t *rapid.T) {
				drawn := draw.object(t, arguments)
				result, err := port.Call(context.Background(), function, profile.Readings[0], drawn)
				found := check(args, drawn)
				if isInvalidState(err) && found == nil {
					return // what the members of a state have to do with one another is beyond a schema
				}
				if (found == nil) != (err == nil) {
					t.Fatalf("%s\nthe reference: %s\nthe schema: %s", drawn, verdictOf(err), verdictOf(found))
				}
				if err != nil {
					return
				}
				if err := check(value, result); err != nil {
					t.Fatalf("%s\nthe reference returns %s\n%v", drawn, result, err)
				}
			}))
		}
	}
}

func isInvalidState(err error) bool {
	var fault *spec.Fault
	return errors.As(err, &fault) && fault.Kind == spec.InvalidState
}

func TestStatesOfTheReferenceAreWhatTheSchemaSays(t *testing.T) {
	t.Parallel()
	visible := compileSchema(t, "protocol#/$defs/fingerprint-state")
	totals := compileSchema(t, "protocol#/$defs/swarm-state")
	ctx := context.Background()
	calls := []spec.Value{
		spec.MustParse(`{"type":"tool_call","tool":"t","worker":"a"}`),
		spec.MustParse(`{"type":"tool_call","tool":"t","worker":"b","at":0.5}`),
		spec.MustParse(`{"type":"tool_call","tool":"t","worker":"b","at":2}`),
	}
	fingerprint, err := reference.Port().Open(ctx, spec.Fingerprint, spec.Text, spec.Value{})
	if err != nil {
		t.Fatal(err)
	}
	swarm, err := reference.Port().Open(ctx, spec.Swarm, spec.Text, spec.Value{})
	if err != nil {
		t.Fatal(err)
	}
	for n := range calls {
		state, err1 := fingerprint.State(ctx)
		snapshot, err2 := swarm.Snapshot(ctx)
		if err := errors.Join(err1, err2, check(visible, state), check(totals, snapshot)); err != nil {
			t.Errorf("after %d calls: %s\n%s\n%v", n, state, snapshot, err)
		}
		_, err1 = fingerprint.Observe(ctx, calls[n:n+1])
		_, err2 = swarm.Observe(ctx, calls[n:n+1])
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
	}
}

// Whatever the suite sends to test an adapter, the reference answers with lines that the schema accepts.
func TestAnswersToTheProtocolCasesAreValid(t *testing.T) {
	t.Parallel()
	schema := compileSchema(t, "protocol#/$defs/answer")
	fill := strings.NewReplacer(
		cases.DetectorPlaceholder, string(spec.History), cases.ReadingPlaceholder, string(spec.Code), cases.PadPlaceholder, "x")
	exchanges := 0
	for _, c := range suite(t) {
		var lines []string
		for _, step := range c.Exchange {
			if step.Receive.IsAbsent() && !step.CloseInput && step.Exit == nil {
				lines = append(lines, fill.Replace(step.Send))
			}
		}
		if len(lines) == 0 {
			continue
		}
		exchanges++
		for _, answer := range serve(t, reference.Port(), lines) {
			if err := check(schema, answer); err != nil {
				t.Errorf("case %s: %s\n%v", c.ID, answer, err)
			}
		}
	}
	if exchanges == 0 {
		t.Error("the suite has no exchanges")
	}
}
