package projecttests

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/loopstone/loopstone/internal/testing/golden"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

const folder = "../../spec/schema"

// schemaBase is what the $id of every schema begins with; the rest is the name of its file. The schemas refer to one
// another by these ids.
const schemaBase = "https://loopstone.dev/schema/1/"

// schemaFiles lists the files of the schemas.
func schemaFiles(t *testing.T) []string {
	t.Helper()
	files, err := fs.Glob(spec.Schemas(), "*.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestTheSchemasAreUpToDate(t *testing.T) {
	all, err := generated("../..")
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != len(schemaFiles(t)) {
		t.Errorf("%d schemas are generated, and spec/schema holds %v", len(all), schemaFiles(t))
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
	text, err := fs.ReadFile(spec.Schemas(), strings.TrimPrefix(url, schemaBase))
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
	compiled, err1 := compiler.Compile(schemaBase + name + ".schema.json#" + fragment)
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
