package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/internal/suite/userfiles"
)

// TestAFailedTreeLeavesNothing: what a failed run had written is gone, with the folders that it made, so that the same
// command can run again; what was there before stays.
func TestAFailedTreeLeavesNothing(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "new", "folder")
	texts := map[string][]byte{"a/b/one.txt": []byte("1"), "a/two.txt": []byte("2"), "z/three.txt": nil}
	texts[strings.Repeat("x", 300)] = nil // a name too long for any file system
	err := writeNew(t.Context(), folder, texts)
	if _, gone := os.Lstat(filepath.Dir(folder)); err == nil || !errors.Is(gone, fs.ErrNotExist) {
		t.Errorf("error %v; the folder: %v, want it gone", err, gone)
	}
	if err := os.MkdirAll(filepath.Join(folder, "a"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, folder, "a/mine.txt", "mine")
	if err := writeNew(t.Context(), folder, texts); err == nil {
		t.Error("no error")
	}
	left, err := fs.Glob(os.DirFS(folder), "*/*")
	if err != nil || !slices.Equal(left, []string{"a/mine.txt"}) {
		t.Errorf("left is %q, %v; want the file that was there", left, err)
	}
}

// TestATreeOfWhichAFolderIsAFile: the error is about the file that is in the way.
func TestATreeOfWhichAFolderIsAFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, "a", "mine")
	err := writeNew(t.Context(), folder, map[string][]byte{"a/b": nil})
	if !userfiles.IsWrong(err) {
		t.Errorf("%v is no error of a file", err)
	}
}
