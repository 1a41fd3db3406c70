package docs_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/testing/golden"
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

// TestProtocolDocHasTheFeatures writes the table of features, but for the cell that says what a feature adds.
func TestProtocolDocHasTheFeatures(t *testing.T) {
	const head = "| feature | what it adds | detectors |\n|---|---|---|\n"
	before, rest, found := strings.Cut(readDoc(t, protocolDoc), head)
	table, after, ends := strings.Cut(rest, "\n\n")
	if !found || !ends {
		t.Fatalf("%s has no table of features", protocolDoc)
	}
	has := map[spec.Feature]string{}
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, " | "); len(cells) == 3 {
			has[spec.Feature(strings.Trim(cells[0], "|` "))] = cells[1]
		}
	}
	golden.Check(t, protocolDoc, before+head+featureTable(t, has)+"\n"+after)
}

// featureTable has for each feature what a port with it has, and the detectors that may have it.
func featureTable(t *testing.T, has map[spec.Feature]string) string {
	t.Helper()
	of, all := map[spec.Feature][]string{}, spec.Detectors()
	for _, d := range all {
		for _, f := range d.Features {
			of[f] = append(of[f], "`"+string(d.ID)+"`")
		}
	}
	var b strings.Builder
	for _, f := range slices.Sorted(maps.Keys(of)) {
		detectors := strings.Join(of[f], ", ")
		if len(of[f]) == len(all) {
			detectors = "all"
		}
		if has[f] == "" {
			t.Errorf("%s does not say what a port with the feature %s has", protocolDoc, f)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f, has[f], detectors)
	}
	return b.String()
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
	for _, file := range []string{"../go.mod", "../tools/go.mod"} {
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

// installs matches a version of this project that a text installs, or refers to as released.
var installs = regexp.MustCompile(`loopstone(?:/cmd/loopstone)?@(v[0-9][0-9A-Za-z.-]*)|releases/(?:tag|download)/(v[0-9][0-9A-Za-z.-]*)`)

// missingTags returns the versions that a text installs and that have no tag by the change log, where a version with a tag
// has a line "Tag: `v1.2.3`".
func missingTags(text, changeLog string) (missing []string) {
	for _, m := range installs.FindAllStringSubmatch(text, -1) {
		if version := m[1] + m[2]; !strings.Contains(changeLog, "\nTag: `"+version+"`") {
			missing = append(missing, version)
		}
	}
	return missing
}

// TestNoTextInstallsATagThatDoesNotExist, neither a page nor what init writes.
func TestNoTextInstallsATagThatDoesNotExist(t *testing.T) {
	t.Parallel()
	var files []string
	for _, pattern := range []string{
		"*.md", "dev/*.md", "*/README.md", "../*.md", "../cases/*.md", "../benchmarks/*.md", "../conformance/adapters/templates/*",
		"../conformance/adapters/templates/*/*", "../tools/site/pages/*", "../Containerfile",
	} {
		found, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("no files %s: %v", pattern, err)
		}
		files = append(files, found...)
	}
	changeLog := readDoc(t, "../CHANGELOG.md")
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.IsDir() {
			continue
		}
		for _, version := range missingTags(readDoc(t, file), changeLog) {
			t.Errorf("%s installs %s, which has no tag by CHANGELOG.md", file, version)
		}
	}
}

func TestAMissingTagIsFound(t *testing.T) {
	t.Parallel()
	const changeLog = "# Change log\n\n## 0.2.0\n\nTag: `v0.2.0`\n\n## 0.1.0\n"
	for _, test := range []struct{ reason, text, want string }{
		{"a tag", "go install github.com/loopstone/loopstone/cmd/loopstone@v0.2.0", ""},
		{"a version without a tag", "go install github.com/loopstone/loopstone/cmd/loopstone@v0.1.0", "v0.1.0"},
		{"a version that does not exist", "require github.com/loopstone/loopstone@v0.3.0-rc.1", "v0.3.0-rc.1"},
		{"a download", "https://github.com/loopstone/loopstone/releases/download/v9.9.9/a.tar.gz", "v9.9.9"},
		{"a branch", "go install github.com/loopstone/loopstone/cmd/loopstone@main", ""},
		{"another project", "go install example.com/other@v1.0.0", ""},
	} {
		if got := strings.Join(missingTags(test.text, changeLog), " "); got != test.want {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}

// The words that a reader is asked to read, as wc -w counts them. A row about a profile is looked up.
const (
	mostOfReadme = 800
	mostOfGuides = 13_000 // README.md and all guides for users
)

var rowsOfProfiles = regexp.MustCompile("(?m)^\\| `?@.*\n")

func TestGuidesStayShort(t *testing.T) {
	t.Parallel()
	readme := len(strings.Fields(readDoc(t, "../README.md")))
	if readme > mostOfReadme {
		t.Errorf("README.md has %d words, want at most %d", readme, mostOfReadme)
	}
	guides, err := filepath.Glob("*.md")
	if err != nil || len(guides) < 5 {
		t.Fatalf("found %d guides: %v", len(guides), err)
	}
	all := readme
	for _, guide := range guides {
		all += len(strings.Fields(rowsOfProfiles.ReplaceAllString(readDoc(t, guide), "")))
	}
	if all > mostOfGuides {
		t.Errorf("the guides have %d words, want at most %d", all, mostOfGuides)
	}
}
