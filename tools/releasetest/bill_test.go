package releasetest

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// bill is what a scanner of vulnerabilities reads in a bill of materials in the format CycloneDX.
type bill struct {
	Format   string `json:"bomFormat"`
	Metadata struct {
		Component component `json:"component"`
	} `json:"metadata"`
	Components []component `json:"components"`
}

type component struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	URL     string `json:"purl"`
}

func checkBills(t *testing.T, folder string, files []string) {
	t.Helper()
	for _, name := range endingWith(files, ".sbom.json") {
		var b bill
		if err := json.Unmarshal(read(t, filepath.Join(folder, name)), &b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		checkBill(t, name, b)
	}
}

func checkBill(t *testing.T, name string, b bill) {
	t.Helper()
	const ours = "pkg:golang/github.com/loopstone/loopstone@"
	if b.Format != "CycloneDX" || !strings.HasPrefix(b.Metadata.Component.URL, ours) {
		t.Errorf("%s is the bill of %v", name, b.Metadata.Component)
	}
	for _, want := range []string{"std", "github.com/spf13/cobra", "gopkg.in/yaml.v3"} {
		if !slices.ContainsFunc(b.Components, func(c component) bool { return c.Name == want && c.Version != "" }) {
			t.Errorf("%s does not name %s", name, want)
		}
	}
}
