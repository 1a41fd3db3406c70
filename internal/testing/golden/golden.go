// Package golden compares what a test made with a file that somebody has read and found right. Only tests import it: it
// gives them the flag -update, which writes the files anew.
package golden

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Updating reports whether golden files are to be written anew, for tests that compare them in a way of their own.
func Updating() bool { return *update }

// Write writes a file that holds something else. A program that is built meanwhile never embeds half of a file that
// nothing changes.
func Write(t testing.TB, path string, text []byte) {
	t.Helper()
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, text) {
		return
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// Check fails the test if the file does not hold the text. With -update the file is written first.
func Check(t testing.TB, path, got string) {
	t.Helper()
	if *update {
		Write(t, path, []byte(got))
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run the test with -update to write it", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs; run the test with -update where that is meant (-file +got):\n%s", path, diff)
	}
}
