package conformance_test

import (
	"regexp"
	"strings"
	"testing"
)

// requirement matches a module in go.mod, and whether only another dependency needs it.
var requirement = regexp.MustCompile(`^(?:require )?\t?(\S+\.\S+) v\S+( // indirect)?$`)

// explained matches the module that a row of a table in the document is about.
var explained = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|")

func TestDependenciesAndTheirReasonsBelongTogether(t *testing.T) {
	t.Parallel()
	doc := readDoc(t, "../docs/dependencies.md")
	direct, all := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(readDoc(t, "../go.mod")) {
		if m := requirement.FindStringSubmatch(strings.TrimRight(line, "\n")); m != nil {
			all[m[1]] = true
			direct[m[1]] = m[2] == ""
		}
	}
	if len(all) == 0 {
		t.Fatal("go.mod has no requirement: is it read rightly?")
	}
	named := map[string]bool{}
	for _, m := range explained.FindAllStringSubmatch(doc, -1) {
		named[m[1]] = true
		if !all[m[1]] {
			t.Errorf("docs/dependencies.md explains %s, which go.mod does not require", m[1])
		}
	}
	for module, isDirect := range direct {
		if isDirect && !named[module] {
			t.Errorf("docs/dependencies.md does not say why %s is needed", module)
		}
	}
}
