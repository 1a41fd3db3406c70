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
