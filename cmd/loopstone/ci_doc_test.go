package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/loopstone/loopstone/internal/suite/knownfailures"
	"github.com/loopstone/loopstone/internal/suite/portfile"
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
