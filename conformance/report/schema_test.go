package report

import (
	"bytes"
	"os"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemaID is how the schema of a report's lines calls itself.
const schemaID = "https://loopstone.dev/schema/1/report.schema.json"

func TestJSONLFollowsThePublishedSchema(t *testing.T) {
	schema := readSchema(t)
	for name, make := range golden {
		for i, line := range bytes.Split(bytes.TrimSpace(rendered(t, "jsonl", make(), sampleOptions())), []byte("\n")) {
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(value); err != nil {
				t.Errorf("%s, line %d: %v", name, i+1, err)
			}
		}
	}
	if err := schema.Validate(map[string]any{"type": "result"}); err == nil {
		t.Error("the schema takes a result that says nothing: it would notice nothing")
	}
}

func readSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := os.ReadFile("../../spec/schema/report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(schemaID, document); err != nil {
		t.Fatal(err)
	}
	return compiler.MustCompile(schemaID)
}
