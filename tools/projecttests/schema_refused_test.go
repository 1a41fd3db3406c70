package projecttests

import (
	"os"
	"strings"
	"testing"
)

func TestSchemasRefuseWhatIsWrong(t *testing.T) {
	table, err := os.ReadFile("testdata/refused.yaml")
	if err != nil {
		t.Fatal(err)
	}
	tried := map[string]bool{}
	for _, row := range parsed(t, string(table)).Items() {
		schema, _ := row.Get("schema").Str()
		good, _ := row.Get("good").Str()
		if err := check(t, schema, parsed(t, good)); err != nil {
			t.Errorf("%s: the good value is refused: %v\n%s", schema, err, good)
		}
		for _, reason := range row.Get("bad").Members() {
			name, _, _ := strings.Cut(schema, "#")
			tried[name] = true
			before, _ := reason.Value.Items()[0].Str()
			after, _ := reason.Value.Items()[1].Str()
			bad := strings.Replace(good, before, after, 1)
			if bad == good {
				t.Errorf("%s: %q does not stand in %s", schema, before, good)
			}
			if check(t, schema, parsed(t, bad)) == nil {
				t.Errorf("%s: accepted, but %s: %s", schema, reason.Name, bad)
			}
		}
	}
	for _, file := range schemaFiles(t) {
		if name := strings.TrimSuffix(file, ".schema.json"); !tried[name] {
			t.Errorf("nothing is tried on the schema %s", name)
		}
	}
}
