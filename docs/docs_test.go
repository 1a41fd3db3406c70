package docs_test

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// protocolDoc is what the author of a port reads; it must not say anything else than the program does.
const protocolDoc = "protocol.md"

func readDoc(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// serve returns the answers of a port to the lines.
func serve(t *testing.T, port spec.Port, lines []string) []spec.Value {
	t.Helper()
	var out bytes.Buffer
	in := strings.NewReader(strings.Join(lines, "\n") + "\n")
	if err := stdio.Serve(context.Background(), port, in, &out); err != nil {
		t.Fatal(err)
	}
	var answers []spec.Value
	for line := range strings.Lines(out.String()) {
		answer, err := spec.ParseValue([]byte(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		answers = append(answers, answer)
	}
	return answers
}

var heading = regexp.MustCompile(`(?m)^#+ (.*)$`)

func TestProtocolDocHasTheSectionsThatClausesName(t *testing.T) {
	t.Parallel()
	var sections []string
	for _, m := range heading.FindAllStringSubmatch(readDoc(t, protocolDoc), -1) {
		sections = append(sections, strings.ReplaceAll(strings.ToLower(m[1]), " ", "-"))
	}
	named := 0
	for _, clause := range spec.Clauses() {
		document, section, _ := strings.Cut(clause.Source, "#")
		if document != "protocol" {
			continue
		}
		named++
		if !slices.Contains(sections, section) {
			t.Errorf("%s has no section %q, which %s names", protocolDoc, section, clause.ID)
		}
	}
	if named == 0 {
		t.Error("no clause names a section of it")
	}
}

func TestProtocolDocNamesEverything(t *testing.T) {
	t.Parallel()
	doc := readDoc(t, protocolDoc)
	words := slices.Concat(stdio.Methods(), spec.VerdictMembers(), []string{"type"})
	for _, m := range spec.AnyMembers() {
		words = append(words, m.Name)
	}
	for _, kind := range spec.FaultKinds {
		words = append(words, string(kind))
	}
	for _, typ := range spec.EventTypes() {
		words = append(words, string(typ))
		for _, m := range spec.EventMembers(typ) {
			words = append(words, m.Name)
		}
	}
	for _, d := range spec.Detectors() {
		words = append(words, string(d.ID))
		for _, feature := range d.Features {
			words = append(words, string(feature))
		}
		for function := range d.Functions {
			words = append(words, function)
		}
		for _, p := range d.Settings {
			words = append(words, p.Name)
		}
		for _, rule := range d.Rules {
			words = append(words, string(rule.Kind))
		}
	}
	for _, word := range words {
		if !strings.Contains(doc, "`"+word+"`") {
			t.Errorf("%s does not name `%s`", protocolDoc, word)
		}
	}
}

// conversation matches the lines of the worked conversation: "> " what the runner writes, "< " what it reads.
var conversation = regexp.MustCompile(`(?m)^([<>]) (\{.*\})$`)

func TestProtocolDocShowsWhatIsReallyAnswered(t *testing.T) {
	t.Parallel()
	var requests, want []string
	for _, m := range conversation.FindAllStringSubmatch(readDoc(t, protocolDoc), -1) {
		if m[1] == ">" {
			requests = append(requests, m[2])
		} else {
			want = append(want, m[2])
		}
	}
	var got []string
	for _, answer := range serve(t, portOfTheDoc(), requests) {
		got = append(got, answer.String())
	}
	if len(want) == 0 {
		t.Fatal("there is no conversation")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("answers (-as written +as given):\n%s", diff)
	}
}

// portOfTheDoc is the reference, as the port of somebody who implements one detector of it.
func portOfTheDoc() spec.Port {
	description := spec.Description{Name: "my-port", Version: "0.3.0", Language: "python"}
	history := reference.Implementation(spec.History)
	history.Features = []spec.Feature{spec.Hashes, spec.Snapshots, spec.Evidence}
	return spec.NewHost(description, history)
}

// requirement matches a module in go.mod, and whether only another dependency needs it.
var requirement = regexp.MustCompile(`^(?:require )?\t?(\S+\.\S+) v\S+( // indirect)?$`)

// explained matches the module that a row of a table in the document is about.
var explained = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|")

func TestDependenciesAndTheirReasonsBelongTogether(t *testing.T) {
	t.Parallel()
	doc := readDoc(t, "dev/dependencies.md")
	direct, all := map[string]bool{}, map[string]bool{}
	for _, file := range []string{"../go.mod", "../internal/guard/network/go.mod"} {
		before := len(all)
		for line := range strings.Lines(readDoc(t, file)) {
			m := requirement.FindStringSubmatch(strings.TrimRight(line, "\n"))
			if m != nil && m[1] != "github.com/loopstone/loopstone" {
				all[m[1]] = true
				direct[m[1]] = direct[m[1]] || m[2] == ""
			}
		}
		if len(all) == before {
			t.Fatalf("%s has no requirement of its own: is it read rightly?", file)
		}
	}
	named := map[string]bool{}
	for _, m := range explained.FindAllStringSubmatch(doc, -1) {
		named[m[1]] = true
		if !all[m[1]] {
			t.Errorf("docs/dev/dependencies.md explains %s, which no go.mod requires", m[1])
		}
	}
	for module, isDirect := range direct {
		if isDirect && !named[module] {
			t.Errorf("docs/dev/dependencies.md does not say why %s is needed", module)
		}
	}
}
