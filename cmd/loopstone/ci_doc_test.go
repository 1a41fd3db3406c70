package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/knownfailures"
	"github.com/loopstone/loopstone/internal/portfile"
)

// ciDoc returns docs/ci.md.
func ciDoc(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "ci.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// commandLine matches a call of the tool where it stands in a block: at the start of a line, or of a step's script.
var commandLine = regexp.MustCompile(`(?m)^\s*(?:- )?(loopstone [a-z].*)$`)

// TestTheCIGuideCallsTheToolAsItIs parses every command line of the guide with the tool's own flags.
func TestTheCIGuideCallsTheToolAsItIs(t *testing.T) {
	t.Parallel()
	lines := commandLine.FindAllStringSubmatch(ciDoc(t), -1)
	if len(lines) < 9 {
		t.Fatalf("found %d command lines only: %q", len(lines), lines)
	}
	for _, line := range lines {
		line := strings.ReplaceAll(line[1], "${{ matrix.part }}", "2")
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			words := strings.Fields(line)[1:]
			help, outcome := run(t, "", nil, words[0], "-h")
			if outcome != conformance.Conformant {
				t.Fatalf("there is no command %s:\n%s", words[0], help)
			}
			for _, word := range words[1:] {
				if word == "--" {
					break
				}
				if name, isFlag := strings.CutPrefix(word, "--"); isFlag && !strings.Contains(help, "\n      --"+name) {
					t.Errorf("%s has no flag --%s", words[0], name)
				}
			}
		})
	}
}

// TestTheCIGuideIsCarriedOut runs the guide's commands for one port, in their order, with a port that fails.
func TestTheCIGuideIsCarriedOut(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	want := map[string]conformance.Outcome{
		"--strict":      conformance.NotConformant,
		"check-adapter": conformance.Conformant,
		"--write-known": conformance.NotConformant,
		"--known":       conformance.Conformant,
		"--statement":   conformance.NotConformant,
		"verify":        conformance.Conformant,
	}
	for _, line := range commandLine.FindAllStringSubmatch(ciDoc(t), -1) {
		command, ofPort := strings.CutSuffix(line[1], "-- python3 my_port.py")
		for word, outcome := range want {
			if !ofPort || !strings.Contains(command, word+" ") {
				continue
			}
			args := strings.Fields(command)[1:]
			if args[0] == "test" { // a few cases show as much
				args = append(args, "--case", failingCase+","+passingCase)
			}
			args = append(args, portOf(t, "consecutive.py")...)
			if out, got := tool(t, folder, args...); got != outcome {
				t.Errorf("%s: got %s, want %s:\n%s", line[1], got, outcome, out)
			}
			delete(want, word)
		}
	}
	delete(want, "check-adapter") // it stands in a table
	if len(want) > 0 {
		t.Errorf("the guide does not show %v", want)
	}
}

// fence matches a block of the guide: its language and its text.
var fence = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")

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
		if _, isOfPort := document["command"]; isOfPort {
			if _, err := portfile.Read(portfile.Name, []byte(block[2])); err != nil {
				t.Errorf("%v in\n%s", err, block[2])
			}
			continue
		}
		if _, isLedger := document["known"]; isLedger {
			if _, err := knownfailures.Read("known.yaml", []byte(block[2])); err != nil {
				t.Errorf("%v in\n%s", err, block[2])
			}
		}
	}
	if blocks != 4 {
		t.Errorf("found %d YAML blocks, want 4", blocks)
	}
}

// TestTheCIGuideKnowsEveryExitCode keeps the guide's table complete.
func TestTheCIGuideKnowsEveryExitCode(t *testing.T) {
	t.Parallel()
	doc := ciDoc(t)
	for _, code := range []string{"0", "1", "2", "3", "4", "64"} {
		if !strings.Contains(doc, "\n| "+code+" | ") {
			t.Errorf("the table has no exit code %s", code)
		}
	}
}
