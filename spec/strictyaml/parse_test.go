package strictyaml

import (
	"strings"
	"testing"
)

// TestDialect shows which documents mean the same to every reader, and what is said of the others.
func TestDialect(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason, text string
		want         string // the JSON that it means; empty where it is refused
		problem      string // with its place
	}{
		{"numbers keep their spelling", "a: 1\nb: 1.0\nc: -0\nd: 1e3\n", `{"a":1,"b":1.0,"c":-0,"d":1e3}`, ""},
		{"members keep their order", "b: 1\na: 2\n", `{"b":1,"a":2}`, ""},
		{"plain words are texts", "a: read_file\nb: D3#x\n", `{"a":"read_file","b":"D3#x"}`, ""},
		{"quotes make texts of anything", "a: \"yes\"\nb: '1'\n", `{"a":"yes","b":"1"}`, ""},
		{"blocks are texts", "a: |-\n  1\n", `{"a":"1"}`, ""},
		{"an astral character by its escape", "a: \"\\U0001F600\"\n", `{"a":"😀"}`, ""},
		{"booleans and null", "a: [true, false, null]\n", `{"a":[true,false,null]}`, ""},

		{"yes is a boolean to PyYAML", "a: yes\n", "", `f.yaml:1:4: quote "yes"`},
		{"so is On, and y", "a: On\nb: y\n", "", `f.yaml:2:4: quote "y"`},
		{"an octal number", "a: 010\n", "", `f.yaml:1:4: quote "010"`},
		{"a number with underscores", "a: 1_000\n", "", `quote "1_000"`},
		{"base sixty", "a: 12:30\n", "", `quote "12:30"`},
		{"a date is a time to yaml.v3", "a: 2024-01-02\n", "", `quote "2024-01-02"`},
		{"a tilde is null", "a: ~\n", "", `quote "~"`},
		{"a value that is missing", "a:\n", "", "f.yaml:1:3: a value is missing"},
		{"a name that is a number", "1: a\n", "", "f.yaml:1:1: a name must be a text"},
		{"a name that stands twice", "a: 1\na: 2\n", "", `f.yaml:2:1: the name "a" stands twice`},
		{"an anchor and its alias", "a: &x 1\nb: *x\n", "", "anchors and aliases"},
		{"a tag", "a: !!str 1\n", "", "the tag"},
		{"a merge", "a: {<<: {b: 1}}\n", "", `quote "<<"`},
		{"a second document", "a: 1\n---\nb: 2\n", "", "a second document"},
		{"an empty file", "", "", "f.yaml:1:1: the file is empty"},
		{"broken YAML names its line", "a: 1\nb: [\n", "", "f.yaml:2:1"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			node, err := Parse("f.yaml", []byte(test.text))
			if test.want != "" {
				if err != nil || node.Value().String() != test.want {
					t.Errorf("got %v, %v; want %s", node, err, test.want)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.problem) {
				t.Errorf("the problem is %v; want %s", err, test.problem)
			}
		})
	}
}

// TestReadTellsEveryProblem shows that unknown and missing members are all named, each with its place.
func TestReadTellsEveryProblem(t *testing.T) {
	t.Parallel()
	node, err := Parse("f.yaml", []byte("name: 1\ncolour: red\n"))
	if err != nil {
		t.Fatal(err)
	}
	var name string
	var size int
	err = node.Read(map[string]Reader{"name": Str(&name), "size": Int(1, &size)}, "size")
	for _, want := range []string{
		"f.yaml:1:7: want a text that is not empty, got number",
		`f.yaml:2:1: unknown member "colour"`,
		`f.yaml:1:1: member "size" is missing`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the problems are\n%v\nwant among them %s", err, want)
		}
	}
}
