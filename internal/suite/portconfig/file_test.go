package portconfig

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/spec"
)

func TestReadFileTakesEveryMember(t *testing.T) {
	t.Parallel()
	got, err := ReadFile(FileName, []byte(`
command: [./gradlew, ../my_port.py, -u, --n, 5s, "8080", python3]
detectors: [hist*, protocol]
readings: [code]
strict: true
allow: [int-float, repeat_threshold]
known: known.yaml
reports: [text, "junit=out.xml"]
`))
	want := File{
		Command: []string{"./gradlew", "../my_port.py", "-u", "--n", "5s", "8080", "python3"}, Detectors: []string{"hist*", "protocol"},
		Readings: []string{"code"}, Strict: true, Allow: []spec.Feature{"int-float", "repeat_threshold"}, Known: "known.yaml",
		Reports: []report.Target{{Format: "text"}, {Format: "junit", Path: "out.xml"}},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(File{}, "KnownAt", "Folder")); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	if place := got.KnownAt.String(); place != "loopstone.yaml:7:8" {
		t.Errorf("the list of known failures is named at %s", place)
	}
}

func TestReadFileTellsWhatIsWrongAndWhere(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ reason, text, want string }{
		{"an empty file", "", `loopstone.yaml:1:1: the file is empty`},
		{"no command", "strict: true", `loopstone.yaml:1:1: member "command" is missing`},
		{"a command for a shell", "command: python3 my_port.py", `loopstone.yaml:1:10: want a list of words: [python3, my_port.py]`},
		{"a command without words", "command: []", `loopstone.yaml:1:10: want a list of words, such as [python3, my_port.py], got array`},
		{"a number as a word", "command: [port, 8080]", `loopstone.yaml:1:17: want a text; put 8080 between quotes`},
		{
			"a member that there is not", "command: [port]\ndetector: [history]",
			`loopstone.yaml:2:1: unknown member "detector"; did you mean "detectors"?`,
		},
		{
			"a detector that there is not", "command: [port]\ndetectors: [history, histroy]",
			`loopstone.yaml:2:22: "histroy" matches nothing; did you mean "history"?`,
		},
		{
			"a reading that there is not", "command: [port]\nreadings: [prose]",
			`loopstone.yaml:2:12: "prose" matches nothing; there are text, code`,
		},
		{"a malformed pattern", "command: [port]\ndetectors: [\"[\"]", `loopstone.yaml:2:13: syntax error in pattern`},
		{
			"a feature that there is not", "command: [port]\nallow: [int-flaot]",
			`loopstone.yaml:2:9: no detector has the feature "int-flaot"; did you mean "int-float"?`,
		},
		{
			"a format that there is not", "command: [port]\nreports: [tex]",
			`loopstone.yaml:2:11: unknown report format "tex"; did you mean "text"?`,
		},
		{
			"a word that some readers take for true", "command: [port]\nstrict: yes",
			`loopstone.yaml:2:9: readers of YAML differ on yes; write true, or "yes" for a text`,
		},
		{"two problems", "strict: maybe\nknown: 5", "loopstone.yaml:1:9: want true or false, got string\n" +
			"loopstone.yaml:2:8: want a text that is not empty, got number\n" + `loopstone.yaml:1:1: member "command" is missing`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			if _, err := ReadFile(FileName, []byte(test.text)); err == nil || err.Error() != test.want {
				t.Errorf("got %v\nwant %s", err, test.want)
			}
		})
	}
}
