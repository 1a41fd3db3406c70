package portconfig

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/loopstone/loopstone/internal/suite/userfiles"
)

// MissingError says that there is no file for a folder.
type MissingError struct {
	Last string // the last folder that was searched, with its whole path
}

// Error says where the file is not.
func (e *MissingError) Error() string {
	return "there is no " + FileName + " here or in a folder above, up to " + e.Last
}

// Open reads the file of the working directory: the nearest one there or in a folder above. Its paths lead from the
// working directory. Without one the error is a [*MissingError].
func Open(ctx context.Context) (File, error) {
	folder, err := Find()
	if err != nil {
		return File{}, err
	}
	path := filepath.Join(folder, FileName)
	text, err := userfiles.Read(ctx, path, userfiles.MostText)
	if err != nil {
		return File{}, err
	}
	f, err := ReadFile(path, text)
	if err != nil {
		return File{}, userfiles.Wrong(fmt.Errorf("%s is wrong:\n%w", path, err))
	}
	f.Known = f.at(f.Known)
	for i := range f.Reports {
		f.Reports[i].Path = f.at(f.Reports[i].Path)
	}
	return f, nil
}

// at returns a path of the file as one of the working directory; an empty one stays empty.
func (f *File) at(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(f.Folder, path)
}

// Path is where the file was found.
func (f *File) Path() string { return filepath.Join(f.Folder, FileName) }

// Find returns the folder of the nearest file, as a path from the working directory: "." or "..", "../..". The search
// ends with the root of a repository, the folder that holds .git; without a repository, before a folder above that
// everybody may write to, such as /tmp: a file there may be a stranger's, and its command would be run.
func Find() (string, error) {
	whole, err := os.Getwd()
	if err == nil {
		whole, err = filepath.EvalSymlinks(whole) // what .. leads to is above this one
	}
	if err != nil {
		return "", err
	}
	for folder := "."; ; folder = filepath.Join(folder, "..") {
		// A link that leads nowhere is found, too: reading it says what is wrong.
		if _, err := os.Lstat(filepath.Join(folder, FileName)); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return folder, nil
		}
		above := filepath.Dir(whole)
		if above == whole || isRoot(folder) || isEverybodys(above) {
			return "", &MissingError{whole}
		}
		whole = above
	}
}

// isRoot reports whether a folder is the root of a repository. In a worktree or a submodule, .git is a file.
func isRoot(folder string) bool {
	_, err := os.Lstat(filepath.Join(folder, ".git"))
	return err == nil
}

// isEverybodys reports whether everybody may write to a folder. Windows has no such bit: there, only administrators may
// put a file above a user's folders.
func isEverybodys(folder string) bool {
	info, err := os.Stat(folder)
	return err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o002 != 0
}
