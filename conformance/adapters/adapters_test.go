package adapters

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/spec"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestStarterOfADetectorIsForReaders: what its author reads first. swarm demands a member of its events, crow has more
// than one reading.
func TestStarterOfADetectorIsForReaders(t *testing.T) {
	t.Parallel()
	for _, id := range []spec.DetectorID{spec.Swarm, spec.Crow} {
		for _, starter := range Starters() {
			t.Run(string(id)+" "+starter.Language, func(t *testing.T) {
				t.Parallel()
				definition, _ := spec.DefinitionOf(id)
				files, err := starter.Of(definition).Files()
				if err != nil {
					t.Fatal(err)
				}
				checkGolden(t, string(id)+"-"+filepath.Base(starter.Main)+".golden", string(files[starter.Main]))
			})
		}
	}
}

func checkGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; -update writes it", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
