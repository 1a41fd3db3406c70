package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/loopstone/loopstone/internal/suite/userfiles"
)

// writeNew writes files below a folder, all or none: a run that fails removes them again, and the folders that it made.
// Where anything, also a link, has one of their names or of the further names, nothing is written. Its error is a
// [usageError] where something is there already, else one of a file.
func writeNew(ctx context.Context, folder string, texts map[string][]byte, further ...string) error {
	switch info, err := os.Stat(folder); {
	case folder == "":
		return usagef("%q is no folder", folder)
	case err == nil && !info.IsDir():
		return userfiles.Wrong(fmt.Errorf("%q is no folder", folder))
	}
	names := slices.Sorted(maps.Keys(texts))
	for _, name := range append(slices.Clone(names), further...) {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if _, err := os.Lstat(path); err == nil {
			return usagef("%s is there already; nothing was written", path)
		}
	}
	var written tree
	for _, name := range names {
		if err := written.add(ctx, filepath.Join(folder, filepath.FromSlash(name)), texts[name]); err != nil {
			return errors.Join(err, written.remove())
		}
	}
	return nil
}

// tree is what a run has written so far: files, and the folders that were not there before.
type tree struct{ files, folders []string }

func (t *tree) add(ctx context.Context, path string, content []byte) error {
	if err := t.makeFolder(filepath.Dir(path)); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err := userfiles.Write(ctx, path, content); err != nil {
		return err
	}
	t.files = append(t.files, path)
	return nil
}

// makeFolder makes a folder and what is missing above it.
func (t *tree) makeFolder(path string) error {
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return userfiles.Wrong(fmt.Errorf("%q is no folder", path))
	case !errors.Is(err, fs.ErrNotExist):
		return userfiles.Wrong(err)
	}
	if above := filepath.Dir(path); above != path {
		if err := t.makeFolder(above); err != nil {
			return err
		}
	}
	switch err := os.Mkdir(path, 0o755); {
	case err == nil:
		t.folders = append(t.folders, path)
		return nil
	case errors.Is(err, fs.ErrExist) && isFolder(path): // another program was faster
		return nil
	default:
		return userfiles.Wrong(err)
	}
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// remove removes the files and then the folders. A folder stays where somebody else has put something into it.
func (t *tree) remove() error {
	var failed error
	for _, path := range t.files {
		failed = errors.Join(failed, os.Remove(path))
	}
	for _, path := range slices.Backward(t.folders) {
		_ = os.Remove(path)
	}
	return failed
}
