package adapters_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance/adapters"
)

// TestWorkflowsAreLinted: those of this repository, and those that init writes, from a commit and from a release.
func TestWorkflowsAreLinted(t *testing.T) {
	t.Parallel()
	words := strings.Fields(os.Getenv("LOOPSTONE_ACTIONLINT"))
	if len(words) == 0 {
		t.Skip("LOOPSTONE_ACTIONLINT does not say how actionlint is run; make lint does")
	}
	lint := func(paths []string) (string, error) {
		out, err := exec.Command(words[0], append(words[1:], paths...)...).CombinedOutput()
		return string(out), err
	}
	paths, err := filepath.Glob("../../.github/workflows/*.yaml")
	if err != nil || len(paths) < 2 {
		t.Fatalf("%v: %q", err, paths)
	}
	var one string
	for _, starter := range append(adapters.Starters(), adapters.Bare([]string{"perl", "my_port.pl"})) {
		for _, install := range []string{"", "0123456789abcdef0123456789abcdef01234567"} {
			starter.Install = install
			files, err := starter.Files()
			if err != nil {
				t.Fatal(err)
			}
			one = string(files[".github/workflows/conformance.yml"])
			if saysGo := strings.Contains(one, "so Go builds this."); saysGo == starter.Released() {
				t.Errorf("%q installs %s and says that it needs Go: %t", starter.Language, starter.Version(), saysGo)
			}
			paths = append(paths, put(t, one))
		}
	}
	if out, err := lint(paths); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if out, err := lint([]string{put(t, strings.Replace(one, "runs-on:", "run-on:", 1))}); err == nil {
		t.Errorf("a workflow with a misspelled key has no problem:\n%s", out)
	}
}

func put(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "workflow.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
