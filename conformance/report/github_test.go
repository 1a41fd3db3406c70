package report

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/conformance"
)

// command matches a workflow command as GitHub's runner reads one: no property or message can break out of its place.
var command = regexp.MustCompile(`^::(error|notice) ((?:[a-z]+=[^,:]*)(?:,[a-z]+=[^,:]*)*)::(.*)$`)

var unescape = strings.NewReplacer("%25", "%", "%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",")

// properties returns the properties of a command as GitHub understands them.
func properties(text string) map[string]string {
	values := map[string]string{}
	for _, p := range strings.Split(text, ",") {
		name, value, _ := strings.Cut(p, "=")
		values[name] = unescape.Replace(value)
	}
	return values
}

func TestGitHubReadsEveryAnnotationOfAnyReport(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := hostileReport().Draw(t, "report")
		content, err := github(r, Options{})
		if err != nil {
			t.Fatal(err)
		}
		errors := 0
		for _, line := range strings.Split(strings.TrimSuffix(string(content), "\n"), "\n") {
			m := command.FindStringSubmatch(line)
			if m == nil {
				t.Fatalf("no workflow command: %q", line)
			}
			if m[1] == "error" {
				errors++
			}
		}
		want := len(withStatus(r.Results, conformance.Broken, conformance.Faulty, conformance.Failed, conformance.Undecided)) + len(r.Problems)
		if r.Outcome() != conformance.Conformant {
			want++
		}
		if errors != want {
			t.Fatalf("%d errors, want %d:\n%s", errors, want, content)
		}
	})
}

func TestGitHubAnnotationKeepsItsProperties(t *testing.T) {
	a := annotation{level: "error", file: "a,b/100%:c.yaml", line: "7", title: "x::y, z", message: "first\nsecond 100%0A"}
	m := command.FindStringSubmatch(strings.TrimSuffix(a.String(), "\n"))
	if m == nil {
		t.Fatalf("no workflow command: %q", a)
	}
	got := properties(m[2])
	if got["file"] != a.file || got["line"] != a.line || got["title"] != a.title || unescape.Replace(m[3]) != a.message {
		t.Errorf("got %q and %q, want %+v", got, m[3], a)
	}
}
