package conformance_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/loopstone/loopstone/spec"
)

func TestEverySchemaCompiles(t *testing.T) {
	t.Parallel()
	for _, name := range spec.SchemaNames() {
		compileSchema(t, name)
		for _, definition := range schemaSource(t, name).Get("$defs").Members() {
			compileSchema(t, name+"#/$defs/"+definition.Name)
		}
	}
}

// compiler knows all the schemas, so that it need fetch none, and keeps what it has compiled.
var (
	compiler     = sync.OnceValues(newCompiler)
	compilerLock sync.Mutex
)

func newCompiler() (*jsonschema.Compiler, error) {
	c := jsonschema.NewCompiler()
	for _, name := range spec.SchemaNames() {
		text, err := spec.Schema(name)
		if err != nil {
			return nil, err
		}
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, fmt.Errorf("schema %s: %w", name, err)
		}
		if err := c.AddResource(spec.SchemaBase+name+".schema.json", document); err != nil {
			return nil, fmt.Errorf("schema %s: %w", name, err)
		}
	}
	return c, nil
}

// compileSchema compiles a schema, such as "event", or one of its definitions, such as "verdict#/$defs/crow".
func compileSchema(t testing.TB, ref string) *jsonschema.Schema {
	t.Helper()
	compilerLock.Lock()
	defer compilerLock.Unlock()
	c, err := compiler()
	if err != nil {
		t.Fatal(err)
	}
	name, fragment, _ := strings.Cut(ref, "#")
	schema, err := c.Compile(spec.SchemaBase + name + ".schema.json#" + fragment)
	if err != nil {
		t.Fatalf("compile %s: %v", ref, err)
	}
	return schema
}

func schemaSource(t testing.TB, name string) spec.Value {
	t.Helper()
	text, err := spec.Schema(name)
	if err != nil {
		t.Fatal(err)
	}
	v, err := spec.ParseValue(text)
	if err != nil {
		t.Fatalf("schema %s: %v", name, err)
	}
	return v
}

// check returns what the schema finds wrong with a value, nil where it is valid.
func check(schema *jsonschema.Schema, v spec.Value) error {
	instance, err := jsonschema.UnmarshalJSON(strings.NewReader(v.String()))
	if err != nil {
		return err
	}
	return schema.Validate(instance)
}

// verdictOf is how a table or property speaks of whether something was accepted.
func verdictOf(err error) string {
	if err == nil {
		return "accepted"
	}
	return "refused: " + err.Error()
}
