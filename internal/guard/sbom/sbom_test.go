package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// checkBill demands what a scanner of vulnerabilities looks for.
func checkBill(t *testing.T, name string, bill bom) {
	t.Helper()
	if bill.Format != "CycloneDX" || bill.SpecVersion == "" || !strings.HasPrefix(bill.Metadata.Component.URL, "pkg:golang/github.com/loopstone/loopstone@") {
		t.Errorf("%s is the bill of %v", name, bill.Metadata.Component)
	}
	if len(bill.Components) == 0 || len(bill.Dependencies) != 1 || len(bill.Dependencies[0].DependsOn) != len(bill.Components) {
		t.Errorf("%s: %d components, dependencies %v", name, len(bill.Components), bill.Dependencies)
	}
	for _, want := range []string{"stdlib", "github.com/spf13/cobra", "gopkg.in/yaml.v3"} {
		if !slices.ContainsFunc(bill.Components, func(c component) bool { return c.Name == want && c.Version != "" }) {
			t.Errorf("%s does not name %s", name, want)
		}
	}
}

// TestTheBillOfAProgramNamesItsModules reads the bill of the test itself, which is linked with few modules, and of a file
// that is no program.
func TestTheBillOfAProgramNamesItsModules(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := BillOfMaterials(self)
	if err != nil {
		t.Fatal(err)
	}
	var bill bom
	if err := json.Unmarshal(text, &bill); err != nil {
		t.Fatal(err)
	}
	if len(bill.Components) == 0 || bill.Components[0].Name != "stdlib" || len(bill.Metadata.Component.Hashes[0].Content) != 64 {
		t.Errorf("the bill is %s", text)
	}
	if again, err := BillOfMaterials(self); err != nil || string(again) != string(text) {
		t.Errorf("another bill of the same program: %v\n%s", err, again)
	}
	if _, err := BillOfMaterials(filepath.Join("..", "..", "..", "LICENSE")); err == nil {
		t.Error("a licence has a bill")
	}
}
