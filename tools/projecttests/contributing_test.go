package projecttests

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// blockOf returns the block that CONTRIBUTING.md has in a language and that begins with a text.
func blockOf(t *testing.T, language, begin string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		if strings.HasPrefix(m[1], begin) {
			return m[1]
		}
	}
	t.Fatalf("CONTRIBUTING.md has no %s that begins with %q", language, begin)
	return ""
}

// TestAProfileIsAddedAsThePageSays: the profile of the page agrees with its restatement, and with a wrong threshold it
// does not.
func TestAProfileIsAddedAsThePageSays(t *testing.T) {
	profile, restated := blockOf(t, "yaml", "profile: toy"), blockOf(t, "go", "\t\"toy\"")
	if testing.Short() {
		t.Skip("it builds the module once more: make long runs it")
	}
	const path = "internal/suite/profile/restatement_test.go"
	files := map[string]string{
		"spec/profiles/toy.yaml": profile,
		path:                     addition{path, "var restated = map[string]func(p *past) say{\n", restated}.added(t, ""),
	}
	tests := []string{"-vet=off", "-run", "TestProfilesSayWhatTheirDetectorsSay/toy", "./internal/suite/profile"}
	run(t, overlayOf(t, files), "test", tests...)
	if out := run(t, overlayOf(t, files), "run", "./cmd/loopstone", "witness", "@toy"); !strings.Contains(out, "stop") {
		t.Errorf("witness does not show the rung:\n%s", out)
	}
	files["spec/profiles/toy.yaml"] = strings.Replace(profile, "at: 3", "at: 4", 1)
	if out, err := tried(overlayOf(t, files), "test", tests...); err == nil {
		t.Errorf("with another threshold the tests pass:\n%s", out)
	}
}

// TestAFormatIsAddedAsThePageSays: a log in the format of the page is recognised and becomes events.
func TestAFormatIsAddedAsThePageSays(t *testing.T) {
	reader, row := blockOf(t, "go", "package agentlogs"), blockOf(t, "go", "\t{\"toy\"")
	if testing.Short() {
		t.Skip("it builds the module once more: make long runs it")
	}
	const path = "internal/lab/agentlogs/formats.go"
	overlay := overlayOf(t, map[string]string{
		"internal/lab/agentlogs/toy.go": reader,
		path:                            addition{path, "var formats = []format{\n", row}.added(t, ""),
	})
	log := write(t, filepath.Join(t.TempDir(), "log.jsonl"), `{"ran":"make","printed":"ok"}`+"\n")
	out := run(t, overlay, "run", "./cmd/loopstone", "import", log)
	for _, want := range []string{`"format":"toy"`, `{"command":"make"}`, `"content":"ok"`} {
		if !strings.Contains(out, want) {
			t.Errorf("the events lack %s:\n%s", want, out)
		}
	}
}
