//go:build unix

package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/suite/knownfailures"
)

func ciDoc(t *testing.T) string {
	t.Helper()
	return read(t, filepath.Join("..", "..", "docs", "ci.md"))
}

func TestTheCIGuidesBlocksParse(t *testing.T) {
	t.Parallel()
	blocks := 0
	for _, block := range fence.FindAllStringSubmatch(ciDoc(t), -1) {
		if block[1] != "yaml" {
			continue
		}
		blocks++
		var document map[string]any
		if err := yaml.Unmarshal([]byte(block[2]), &document); err != nil {
			t.Errorf("%v in\n%s", err, block[2])
		}
		if _, isLedger := document["known"]; isLedger {
			if _, err := knownfailures.Read("known.yaml", []byte(block[2])); err != nil {
				t.Errorf("%v in\n%s", err, block[2])
			}
		}
	}
	if blocks != 3 {
		t.Errorf("found %d YAML blocks, want 3", blocks)
	}
}

// TestTheCIGuideKnowsEveryExitCode keeps the guide's table complete.
func TestTheCIGuideKnowsEveryExitCode(t *testing.T) {
	t.Parallel()
	doc := ciDoc(t)
	for _, code := range []string{"0", "1", "2", "3", "4", "5", "64"} {
		if !strings.Contains(doc, "\n| "+code+" | ") {
			t.Errorf("the table has no exit code %s", code)
		}
	}
}

// installedVersion matches what a workflow installs, in both places.
var installedVersion = regexp.MustCompile(`(actions/setup@|version: ")[^\s"]+`)

// TestTheCIGuideShowsTheWorkflowOfInit, but for the version, which is the one that wrote it.
func TestTheCIGuideShowsTheWorkflowOfInit(t *testing.T) {
	t.Parallel()
	written := read(t, filepath.Join(starterFolder(t), ".github", "workflows", "conformance.yml"))
	if found := installedVersion.FindAllString(written, -1); len(found) != 2 {
		t.Fatalf("the workflow says %q:\n%s", found, written)
	}
	want := installedVersion.ReplaceAllString(written, "${1}main")
	if !strings.Contains(ciDoc(t), "```yaml\n"+want+"```\n") {
		t.Errorf("docs/ci.md does not show what init writes:\n%s", want)
	}
}

// TestTheWorkflowOfInitTestsThePort runs the commands of the workflow that init writes, as GitHub does: each succeeds, and
// what it uploads is there. Without the list of known failures, the first fails, and annotates the commit.
func TestTheWorkflowOfInitTestsThePort(t *testing.T) {
	long(t, "it runs the whole suite three times")
	t.Parallel()
	folder := starterFolder(t)
	commands := regexp.MustCompile(`(?m)^ +- run: (loopstone test .*|cat .*)$`).FindAllStringSubmatch(
		read(t, filepath.Join(folder, ".github", "workflows", "conformance.yml")), -1)
	if len(commands) != 2 {
		t.Fatalf("found %d commands, want loopstone test and cat", len(commands))
	}
	run := func(text string) (string, conformance.Outcome) {
		command := exec.CommandContext(t.Context(), "sh", "-c", text)
		command.Dir = folder
		command.Env = append(readersEnv(t), "GITHUB_ACTIONS=true", "GITHUB_STEP_SUMMARY="+filepath.Join(folder, "summary.md"))
		return ended(t, command)
	}
	for _, c := range commands {
		if out, got := run(c[1]); got != conformance.Conformant {
			t.Errorf("%s: %s\n%s", c[1], got, out)
		}
	}
	for _, uploaded := range []string{"loopstone.xml", "badge.json", "summary.md"} {
		if read(t, filepath.Join(folder, uploaded)) == "" {
			t.Errorf("%s is empty", uploaded)
		}
	}
	out, got := run(strings.Replace(commands[0][1], "--known known.yaml ", "--detector history --no-properties ", 1))
	if got != conformance.NotConformant || !strings.Contains(out, "\n::error ") || !strings.Contains(out, "FAILED history-") {
		t.Errorf("with its fault, the port is %s:\n%s", got, out)
	}
}

// TestTheCIGuidesKnownFailureIsThatOfInit: step and differences are those that the tool writes for the starter.
func TestTheCIGuidesKnownFailureIsThatOfInit(t *testing.T) {
	t.Parallel()
	written := read(t, filepath.Join(starterFolder(t), "known.yaml"))
	shown := regexp.MustCompile(`(?s)\nknown:\n(  - case: .*?)    reason: `).FindStringSubmatch(ciDoc(t))
	if shown == nil || !strings.Contains(written, shown[1]+"    reason: ") {
		t.Errorf("the tool writes otherwise than docs/ci.md shows, %q:\n%s", shown, written)
	}
}

// fixedStarter returns a folder with the port that init writes, without its fault, and a shell in which loopstone is the
// tool.
func fixedStarter(t *testing.T) (folder string, shell func(script string) (string, conformance.Outcome)) {
	t.Helper()
	folder = starterFolder(t)
	port := read(t, filepath.Join(folder, "my_port.py"))
	for faulty, right := range map[string]string{
		"self.counts = {}": "self.recent = []",
		"self.counts[key] = self.counts.get(key, 0) + 1": `self.recent = (self.recent + [key])[-self.settings["history_size"]:]`,
		"max(self.counts.values())":                      "max(map(self.recent.count, self.recent))",
	} {
		if !strings.Contains(port, faulty) {
			t.Fatalf("the starter does not hold %q any more:\n%s", faulty, port)
		}
		port = strings.Replace(port, faulty, right, 1)
	}
	write(t, folder, "my_port.py", port)
	return folder, func(script string) (string, conformance.Outcome) {
		return inShell(t, folder, `loopstone() { "$0" "$@"; }; `+script)
	}
}

// TestTheGatesOfTheCIGuideDecide: the commands of the guide pass a right port; and a strict run
// without their flags prints the command that would be decided.
func TestTheGatesOfTheCIGuideDecide(t *testing.T) {
	long(t, "it runs the suite with every gate of the guide")
	t.Parallel()
	_, shell := fixedStarter(t)
	gates := 0
	for _, block := range fence.FindAllStringSubmatch(ciDoc(t), -1) {
		command := strings.TrimSpace(block[2])
		switch {
		case block[1] == "sh" && strings.HasPrefix(command, "loopstone test --report text"), strings.HasPrefix(command, "loopstone test --strict"):
		default:
			continue
		}
		gates++
		if out, outcome := shell(command); outcome != conformance.Conformant {
			t.Errorf("%s is %s:\n%s", command, outcome, out)
		}
	}
	if gates != 2 {
		t.Errorf("the guide has %d gates, want 2", gates)
	}
	out, outcome := shell("loopstone test --strict --detector history --checks 5 -- python3 my_port.py")
	_, command, found := strings.Cut(out, "  to decide  ")
	if outcome != conformance.NotDecided || !found {
		t.Fatalf("%s, and no command that decides:\n%s", outcome, out)
	}
	if out, outcome := shell(command); outcome != conformance.Conformant {
		t.Errorf("%s is %s:\n%s", command, outcome, out)
	}
}

// TestAFixedPortIsToldHowToUpdateItsKnownFailures: the list of the starter names failures that the fixed port has no more.
func TestAFixedPortIsToldHowToUpdateItsKnownFailures(t *testing.T) {
	long(t, "it runs the suite three times")
	t.Parallel()
	_, shell := fixedStarter(t)
	out, outcome := shell("loopstone test --detector history --checks 5 --known known.yaml")
	_, command, found := strings.Cut(out, "  to update  ")
	if outcome != conformance.NotConformant || !found {
		t.Fatalf("%s, and no command that updates the list:\n%s", outcome, out)
	}
	if out, _ := shell(command); strings.Contains(out, "to update") {
		t.Errorf("%s asks for itself:\n%s", command, out)
	}
	if out, outcome := shell("loopstone test --detector history --checks 5 --known known.yaml"); outcome != conformance.Conformant {
		t.Errorf("with the list of %s it is %s:\n%s", command, outcome, out)
	}
}
