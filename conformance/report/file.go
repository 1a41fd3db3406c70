package report

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/loopstone/loopstone/conformance"
)

// fileMode is the mode of a new report file: reports are no secrets.
const fileMode fs.FileMode = 0o644

// WriteFile renders the report to a file, whole or not at all: who reads the file finds either what was there before
// or the complete report, whatever goes wrong in between. The file's folder must exist. What is no regular file, such
// as a pipe or /dev/stderr, cannot be replaced and is written to directly.
func WriteFile(format, path string, r *conformance.Report, options Options) error {
	content, err := render(format, r, options)
	if err != nil {
		return err
	}
	if err := replace(resolve(path), content); err != nil {
		return fmt.Errorf("write the %s report to %s: %w", format, path, err)
	}
	return nil
}

// replace gives the file that content, by way of a temporary file beside it, for only within a file system is renaming
// atomic.
func replace(path string, content []byte) error {
	mode := fileMode
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return errors.New("it is a folder")
	case err == nil && !info.Mode().IsRegular():
		return os.WriteFile(path, content, mode)
	case err == nil:
		mode = info.Mode().Perm()
	}
	folder := filepath.Dir(path)
	temporary, err := os.CreateTemp(folder, "."+filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	if err := writeThrough(temporary, content, mode); err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	if err := os.Rename(temporary.Name(), path); err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	return syncFolder(folder)
}

// writeThrough writes the content through to the disk and closes the file, also where it fails.
func writeThrough(file *os.File, content []byte, mode fs.FileMode) error {
	_, err := file.Write(content)
	if err == nil {
		err = file.Chmod(mode)
	}
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}
