package cases

import (
	"testing"

	"github.com/loopstone/loopstone/spec"
)

// TestWrittenFilesReadBack writes the whole suite and reads it again: nothing is lost but places and comments.
func TestWrittenFilesReadBack(t *testing.T) {
	t.Parallel()
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	byDetector := map[spec.DetectorID][]Case{}
	for _, c := range all {
		byDetector[c.Detector] = append(byDetector[c.Detector], c)
	}
	for detector, want := range byDetector {
		text := Write(want...)
		got, err := Parse(string(detector)+".yaml", text)
		if err != nil {
			t.Errorf("%s: %v", detector, err)
			continue
		}
		for i := range want {
			if w, g := want[i].Demand(), got[i].Demand(); w.String() != g.String() {
				t.Errorf("%s was read back as another case:\nwant %s\ngot  %s", want[i].ID, w, g)
			}
		}
	}
}
