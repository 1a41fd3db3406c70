package formats

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/spec"
)

func TestReadLiteral(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{'a': None, "b": True, 'c': False}`:    `{"a":null,"b":true,"c":false}`,
		`{"a": null, "b": true}`:                `{"a":null,"b":true}`, // JSON
		`{'it': "it's", "q": 'a "b"'}`:          `{"it":"it's","q":"a \"b\""}`,
		`(1, 2.5, -3, +4, 1_000, 0x1f, 5., .5)`: `[1,2.5,-3,4,1000,31,5,0.5]`,
		`(1)`:                                   `1`,
		`(1,)`:                                  `[1]`,
		`[]`:                                    `[]`,
		`()`:                                    `[]`,
		`{}`:                                    `{}`,
		`{1, 2}`:                                `[1,2]`,
		`{1: 'a', None: 'b'}`:                   `{"1":"a","null":"b"}`,
		`{'a': 1, 'a': 2}`:                      `{"a":2}`, // the last one counts
		`'\n\t\\\'\x41\u00e9\U0001F600\101\d'`:  `"\n\t\\'A` + "é😀" + `A\\d"`,
		`'\ud83d\ude00' `:                       `"😀"`, // two halves, as JSON escapes write one
		`'\ud83d'`:                              `"` + "\ufffd" + `"`,
		`r'\n' "b" '''c'''`:                     `"\\nbc"`,
		"'''two\nlines'''":                      `"two\nlines"`,
		`123456789012345678901234567890`:        `123456789012345678901234567890`,
		`{'command': '{"path": "a", "n": [1]}', }`: `{"command":"{\"path\": \"a\", \"n\": [1]}"}`,
	} {
		got, err := readLiteral(text)
		if err != nil || !got.Equal(spec.MustParse(want)) {
			t.Errorf("%s: want %s, got %s, %v", text, want, got, err)
		}
	}
}

func TestReadLiteralRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "a", "f('x')", "{'a'", "{'a' 1}", "{'a': }", "[1 2]", "'a", "'a\nb'", `'\x4'`, `'\U99999999'`, "1 2", "1.2.3",
		"{'text': 'it's odd'}", "nan", "1e999x", `'\`, "{'a': 1, 2}", strings.Repeat("[", 100_000),
	} {
		if v, err := readLiteral(text); err == nil {
			t.Errorf("%.40q: want an error, got %s", text, v)
		}
	}
}

// TestReadLiteralNeverPanics cuts and mixes texts that are almost literals.
func TestReadLiteralNeverPanics(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"{", "}", "[", "(", ")", ",", ":", "'", `"`, `\`, `\x`, `\ud83d`, "'''", "r", "b", "1", "-",
		".", "e", "None", " ", "\n", "é", "\xff",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom(pieces)).Draw(t, "pieces"), "")
		if v, err := readLiteral(text); err == nil {
			if _, err := spec.ParseValue([]byte(v.String())); err != nil {
				t.Fatalf("%q became %s, which is no JSON: %v", text, v, err)
			}
		}
	})
}

// TestReadLiteralReadsWhatPythonPrints has Python print values of all kinds.
func TestReadLiteralReadsWhatPythonPrints(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skipf("there is no Python: %v", err)
	}
	generator := rapid.SliceOfN(rapid.OneOf(
		rapid.String().AsAny(), rapid.Int64().AsAny(), rapid.Float64().AsAny(), rapid.Bool().AsAny(),
		rapid.MapOf(rapid.String(), rapid.SliceOf(rapid.StringMatching(`['"\\\n a-c]*`))).AsAny(),
	), 50, 50)
	values := generator.Example(1)
	text, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(python, "-c", "import json, sys; print(repr(json.load(sys.stdin)))")
	command.Stdin = strings.NewReader(string(text))
	printed, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	got, err := readLiteral(string(printed))
	if err != nil {
		t.Fatalf("%v in %s", err, printed)
	}
	if want := spec.MustParse(string(text)); !got.Equal(want) {
		t.Errorf("Python printed %s\nread as %s\nwant    %s", printed, got, want)
	}
}
