package schema

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the schemas")

const root, folder = "../..", "../../spec/schema/"

func TestTheSchemasAreUpToDate(t *testing.T) {
	all, err := Generate(root)
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range all {
		if *update {
			if err := os.WriteFile(folder+file, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(folder + file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("spec/schema/%s is not up to date; run: go test ./internal/schema -update\n(-want +got)\n%s", file, diff)
		}
	}
}
