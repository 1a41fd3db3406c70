package strictyaml

import (
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/spec"
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

		{"paths", "a: [./port, ../x, /bin/sh, .hidden]\n", `{"a":["./port","../x","/bin/sh",".hidden"]}`, ""},
		{"flags", "a: [-u, --n, -, --]\nb:\n  - -q\n", `{"a":["-u","--n","-","--"],"b":["-q"]}`, ""},
		{"durations, versions, ports", "a: [5s, 1.2.3, 3.x, 8080:80]\n", `{"a":["5s","1.2.3","3.x","8080:80"]}`, ""},
		{"a text with a date in it", "a: 2024-01-02 was fine\n", `{"a":"2024-01-02 was fine"}`, ""},

		{"yes is a boolean to PyYAML", "a: yes\n", "", `f.yaml:1:4: readers of YAML differ on yes; write true, or "yes" for a text`},
		{"so is On, and y", "a: On\nb: y\n", "", `f.yaml:2:4: readers of YAML differ on y; write true, or "y" for a text`},
		{"off is false", "a: off\n", "", `write false, or "off" for a text`},
		{"JSON has one spelling of true", "a: True\n", "", `write true, or "True" for a text`},
		{"and of null", "a: NULL\n", "", `write null, or "NULL" for a text`},
		{"a tilde is null", "a: ~\n", "", `readers of YAML differ on ~; write null, or "~" for a text`},
		{"an octal number", "a: 012\n", "", `f.yaml:1:4: readers of YAML differ on 012; write the number as JSON does, or "012"`},
		{"a number with underscores", "a: 1_000\n", "", `write 1000, or "1_000" for a text`},
		{"a number with commas is one to Ruby", "a: 1,000\n", "", `write the number as JSON does, or "1,000"`},
		{"base sixty", "a: 1:30\n", "", `write the number as JSON does, or "1:30" for a text`},
		{"base sixteen", "a: 0x1F\n", "", `write the number as JSON does, or "0x1F" for a text`},
		{"a sign that JSON does not have", "a: +1\n", "", `or "+1" for a text`},
		{"half a fraction", "a: .5\nb: 1.\n", "", `or ".5" for a text`},
		{"infinity", "a: -.inf\n", "", `or "-.inf" for a text`},
		{"a date is a time to yaml.v3", "a: 2024-01-02\n", "", `readers of YAML differ on 2024-01-02; write "2024-01-02"`},
		{"so is a moment", "a: 2024-01-02 10:11:12\n", "", `write "2024-01-02 10:11:12"`},
		{"a symbol to Ruby, an error to PyYAML in a list", "a: :x\n", "", `write ":x"`},
		{"the default value of YAML 1.1", "a: =\n", "", `write "="`},
		{"a value that is missing", "a:\n", "", "f.yaml:1:3: a value is missing"},
		{"a name that is a number", "1: a\n", "", "f.yaml:1:1: a name must be a text"},
		{"a name that stands twice", "a: 1\na: 2\n", "", `f.yaml:2:1: the name "a" is there twice`},
		{"an anchor and its alias", "a: &x 1\nb: *x\n", "", "anchors and aliases"},
		{"a tag", "a: !!str 1\n", "", "the tag"},
		{"a merge", "a: {<<: {b: 1}}\n", "", `write "<<"`},
		{"a second document", "a: 1\n---\nb: 2\n", "", "a second document"},
		{"an empty file", "", "", "f.yaml:1:1: the file is empty"},
		{"broken YAML names its line", "a: 1\nb: [\n", "", "f.yaml:2:1: did not find"},
		{"bytes that are not UTF-8", "a: 1\né: x\xff\xfe\n", "", "f.yaml:2:5: the byte 0xff is not UTF-8"},
		{"half a character at the end", "a: \xc3", "", "f.yaml:1:4: the byte 0xc3 is not UTF-8"},
		{"a control character", "a: 1\nb:\n  c: \"\u001b\"\n", "", "f.yaml:3:7: the character U+001B is not allowed"},
		{"no character", "a: 1\nb: \uffff\n", "", "f.yaml:2:4: the character U+FFFF is not allowed"},
		{"a reserved character", "a: [@roo]\n", "", "f.yaml:1:1: found character that cannot start any token; quote a text that begins with @"},
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

// TestTextsAreTexts shows that a plain scalar that is accepted as a text is one to yaml.v3, too, which resolves most words
// and numbers of YAML 1.1.
func TestTextsAreTexts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("0123456789abeEfnoxyTZ._,-+:~=<?/ ")), 1, 12, -1).Draw(t, "text")
		node, err := Parse("f.yaml", []byte("a: "+text+"\n"))
		if err != nil || node.Get("a").Kind != spec.String {
			return
		}
		var got map[string]any
		if err := yaml.Unmarshal([]byte("a: "+text+"\n"), &got); err != nil {
			t.Fatal(err)
		}
		if got["a"] != node.Get("a").Text {
			t.Errorf("%q is accepted as a text; yaml.v3 reads %T %[2]v", text, got["a"])
		}
	})
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
