package adapters

import (
	"path/filepath"
	"testing"

	"github.com/loopstone/loopstone/internal/guard/golden"
	"github.com/loopstone/loopstone/spec"
)

// TestStarterOfADetectorIsForReaders: what its author reads first. swarm demands a member of its events, crow has more
// than one reading.
func TestStarterOfADetectorIsForReaders(t *testing.T) {
	t.Parallel()
	for _, id := range []spec.DetectorID{spec.Swarm, spec.Crow} {
		definition, _ := spec.DefinitionOf(id)
		for _, starter := range append(Starters(), Bare([]string{"perl", "my port.pl"}, definition)) {
			t.Run(string(id)+" "+starter.Language, func(t *testing.T) {
				t.Parallel()
				files, err := starter.Of(definition).Files()
				if err != nil {
					t.Fatal(err)
				}
				golden.Check(t, filepath.Join("testdata", string(id)+"-"+filepath.Base(starter.Main)+".golden"), string(files[starter.Main]))
			})
		}
	}
}
