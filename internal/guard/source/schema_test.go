package source

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/loopstone/loopstone/internal/guard/golden"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

const folder = "../../../spec/schema"

func TestTheSchemasAreUpToDate(t *testing.T) {
	all, err := generated("../../..")
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != len(spec.SchemaNames()) {
		t.Errorf("%d schemas are generated, and spec/schema holds %v", len(all), spec.SchemaNames())
	}
	for file, want := range all {
		golden.Check(t, filepath.Join(folder, file), string(want))
	}
}

// compiler keeps what it has compiled.
var compiler = jsonschema.NewCompiler()

// loader fetches no schema: those that there are refer to one another only.
type loader struct{}

func (loader) Load(url string) (any, error) {
	text, err := spec.Schema(strings.TrimSuffix(strings.TrimPrefix(url, spec.SchemaBase), ".schema.json"))
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(text))
}

// check returns what a schema, such as event or verdict#/$defs/crow, finds wrong with a value.
func check(t *testing.T, schema string, v spec.Value) error {
	t.Helper()
	compiler.UseLoader(loader{})
	name, fragment, _ := strings.Cut(schema, "#")
	compiled, err1 := compiler.Compile(spec.SchemaBase + name + ".schema.json#" + fragment)
	instance, err2 := jsonschema.UnmarshalJSON(strings.NewReader(v.String()))
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	return compiled.Validate(instance)
}

// parsed returns the value of a YAML text.
func parsed(t *testing.T, text string) spec.Value {
	t.Helper()
	document, err := strictyaml.Parse("", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return document.Value()
}

// lines returns the values of a text that has one on each line.
func lines(t *testing.T, text []byte, err error) []spec.Value {
	t.Helper()
	if err != nil || len(text) == 0 {
		t.Fatalf("no lines: %v", err)
	}
	var all []spec.Value
	for line := range bytes.Lines(text) {
		all = append(all, spec.MustParse(string(line)))
	}
	return all
}
