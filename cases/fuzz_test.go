package cases

import (
	"io/fs"
	"testing"
)

// FuzzParse feeds case files to the strict loader: whatever it accepts, it writes and reads back as the same cases.
// Its seeds are the files of the suite.
func FuzzParse(f *testing.F) {
	seeds := 0
	paths, err := casePaths(Files())
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		text, err := fs.ReadFile(Files(), path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
		seeds++
	}
	if seeds == 0 {
		f.Fatal("the target has no seeds")
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		all, err := Parse("fuzz.yaml", text)
		if err != nil {
			return
		}
		written := Write(all...)
		again, err := Parse("again.yaml", written)
		if err != nil {
			t.Fatalf("what was written is refused: %v\n%s", err, written)
		}
		for i := range all {
			if want, got := all[i].Demand().String(), again[i].Demand().String(); want != got {
				t.Errorf("read back as another case:\nwant %s\ngot  %s", want, got)
			}
		}
	})
}
