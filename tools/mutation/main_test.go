package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestPackagesOfFaultsExist is quick, so that a package that moves is missed before all faults are planted.
func TestPackagesOfFaultsExist(t *testing.T) {
	t.Parallel()
	root, err := projectRoot()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range packages() {
		folder := strings.TrimPrefix(path, "github.com/loopstone/loopstone/")
		if files, _ := filepath.Glob(filepath.Join(root, folder, "*.go")); len(files) == 0 {
			t.Errorf("there is no package %s", path)
		}
	}
}

func TestAFileThatIsOutOfDate(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := write(folder, "page.md", []byte("as it was")); err != nil {
		t.Fatal(err)
	}
	if err := compare(folder, "page.md", []byte("as it was")); err != nil {
		t.Error(err)
	}
	if err := compare(folder, "page.md", []byte("as it is")); err == nil || err.Error() != "page.md is not up to date; run: make mutation" {
		t.Errorf("got %v, want a problem", err)
	}
	if err := compare(folder, "no.md", nil); err == nil {
		t.Error("a file that is missing is no problem")
	}
}
