package conformance_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/spec"
)

func TestEventSchemaAgreesWithDecodeEvent(t *testing.T) {
	t.Parallel()
	schema := compileSchema(t, "event")
	tests := []struct {
		event  string
		good   bool
		reason string
	}{
		{`{"type":"tool_call","tool":"t"}`, true, "args are optional"},
		{`{"type":"tool_call","tool":""}`, true, "an empty text is a text"},
		{`{"type":"tool_call","tool":"t","args":{"a":null},"id":"1","worker":"w","at":1.5}`, true, "everything that there is"},
		{`{"type":"tool_call","tool":"t","colour":null}`, true, "unknown members are ignored"},
		{`{"type":"tool_call","tool":"t","content":5}`, true, "members of other types are ignored"},
		{`{"type":"tool_call"}`, false, "tool is missing"},
		{`{"type":"tool_call","tool":null}`, false, "null is no text"},
		{`{"type":"tool_call","tool":"t","args":[]}`, false, "an array is no object"},
		{`{"type":"tool_call","tool":"t","args":null}`, false, "null is not absence"},
		{`{"type":"tool_call","tool":"t","id":7}`, false, "an id is a text"},
		{`{"type":"tool_call","tool":"t","at":"1"}`, false, "at is a number"},
		{`{"type":"tool_call","tool":"t","at":null}`, false, "null is no number"},
		{`{"type":"tool_result","content":""}`, true, "tool, call and ok are optional"},
		{`{"type":"tool_result","content":"","ok":false,"tool":"t","call":"1"}`, true, "everything that there is"},
		{`{"type":"tool_result","content":"","ok":1}`, false, "1 is no boolean"},
		{`{"type":"tool_result"}`, false, "content is missing"},
		{`{"type":"error","message":"m","error_type":"e"}`, true, "an error"},
		{`{"type":"error","content":"m"}`, false, "message is missing"},
		{`{"type":"message","role":"system","content":""}`, true, "a third role"},
		{`{"type":"message","role":"user","content":"","tool_calls":[null]}`, true, "what is in tool_calls is free"},
		{`{"type":"message","role":"robot","content":""}`, false, "no such role"},
		{`{"type":"message","role":"User","content":""}`, false, "roles are written in lower case"},
		{`{"type":"message","role":"user","content":"","tool_calls":{}}`, false, "an object is no array"},
		{`{"type":"output","text":"x"}`, true, "an output"},
		{`{"type":"output","output":"x"}`, false, "an iteration's member is not that of an output"},
		{`{"type":"test_run","passed":false}`, true, "a test run"},
		{`{"type":"test_run","passed":"false"}`, false, "a text is no boolean"},
		{`{"type":"iteration","elapsed_s":1e3,"output":"","failed":true}`, true, "any spelling of a number"},
		{`{"type":"iteration","elapsed_s":1,"output":""}`, false, "failed is missing"},
		{`{"type":"dance"}`, false, "no such type"},
		{`{"type":"Output","text":""}`, false, "types are written in lower case"},
		{`{"type":null}`, false, "the type is no text"},
		{`{"text":""}`, false, "the type is missing"},
		{`{}`, false, "nothing is there"},
		{`[]`, false, "no object"},
		{`"output"`, false, "no object"},
	}
	for _, tt := range tests {
		t.Run(tt.event, func(t *testing.T) {
			event := spec.MustParse(tt.event)
			_, err := spec.DecodeEvent(event)
			if (err == nil) != tt.good {
				t.Errorf("DecodeEvent: %s; %s", verdictOf(err), tt.reason)
			}
			if err := check(schema, event); (err == nil) != tt.good {
				t.Errorf("the schema: %s; %s", verdictOf(err), tt.reason)
			}
		})
	}
}

func TestEventSchemaAgreesWithDecodeEventOnAnyObject(t *testing.T) {
	t.Parallel()
	schema := compileSchema(t, "event")
	draw := newDrawer(t, "event")
	all := draw.anywhere(draw.definitions)
	good := 0
	rapid.Check(t, func(t *rapid.T) {
		event := draw.object(t, all).With("type", drawType(t))
		_, err := spec.DecodeEvent(event)
		if err == nil {
			good++
		}
		if found := check(schema, event); (found == nil) != (err == nil) {
			t.Fatalf("%s\nDecodeEvent: %s\nthe schema: %s", event, verdictOf(err), verdictOf(found))
		}
	})
	if good == 0 {
		t.Error("no event was good: the property says nothing about those")
	}
}

// drawType draws the type of an event, seldom one that does not exist.
func drawType(t *rapid.T) spec.Value {
	var types []spec.Value
	for range 4 {
		for _, typ := range spec.EventTypes() {
			types = append(types, spec.StringValue(string(typ)))
		}
	}
	types = append(types, spec.StringValue("dance"), spec.NullValue(), spec.IntValue(1))
	return rapid.SampledFrom(types).Draw(t, "type")
}
