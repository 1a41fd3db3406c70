package adapters

import (
	"go/format"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/internal/testing/golden"
	"github.com/loopstone/loopstone/spec"
)

// TestStarterOfADetectorIsForReaders: what its author reads first. swarm demands a member of its events, crow has more
// than one reading, a profile looks at few types of events.
func TestStarterOfADetectorIsForReaders(t *testing.T) {
	t.Parallel()
	profile := []Mapped{
		{Type: spec.ToolCall, Meaning: "an ActionEvent; the detector is not asked"},
		{Type: spec.ToolResult, Meaning: "an ObservationEvent", Rungs: []string{"nudge", "stuck"}},
		{Type: spec.Reply},
	}
	for _, id := range []spec.DetectorID{spec.Swarm, spec.Crow, "@openhands"} {
		for _, starter := range append(Starters(), Bare([]string{"perl", "my port.pl"})) {
			t.Run(string(id)+" "+starter.Language, func(t *testing.T) {
				t.Parallel()
				definition, _ := spec.DefinitionOf(id)
				port := starter.Of(definition)
				if id.IsProfile() {
					port = starter.OfProfile(definition, []spec.Feature{spec.Replies}, profile)
				}
				files, err := port.Files()
				if err != nil {
					t.Fatal(err)
				}
				golden.Check(t, filepath.Join("testdata", string(id)+"-"+filepath.Base(starter.Main)+".golden"), string(files[starter.Main]))
			})
		}
	}
}

func TestGoIsWrittenAsGofmtWritesIt(t *testing.T) {
	t.Parallel()
	i := slices.IndexFunc(Starters(), func(s Starter) bool { return s.Language == "go" })
	starter := Starters()[i]
	profile := []Mapped{{Type: spec.ToolCall, Meaning: "an action", Rungs: []string{"nudge"}}}
	for _, d := range spec.Detectors() {
		for name, port := range map[string]Starter{
			"detector": starter.Of(d), "profile": starter.OfProfile(d, []spec.Feature{spec.Replies}, profile),
		} {
			files, err := port.Files()
			if err != nil {
				t.Fatal(err)
			}
			got := files[starter.Main]
			want, err := format.Source(got)
			if err != nil {
				t.Fatalf("%s of %s: %v", name, d.ID, err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s of %s (-gofmt +written)\n%s", name, d.ID, diff)
			}
		}
	}
}
