package portconfig

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// pause is how long the files rest between two looks at them: soon enough for somebody who waits, seldom enough to cost
// nothing.
const pause = 300 * time.Millisecond

// Watch watches the files of a folder, and those of the folders below it. It leaves out hidden files and folders, logs,
// the folders into which tools build, and what the caller writes himself: each run would lead to another.
type Watch struct {
	root    string
	ignored []string      // whole paths
	open    []fs.FileInfo // files that are written to all the time
	seen    map[string]stamp
}

// stamp is by what a file is known to be the same.
type stamp struct {
	size    int64
	changed time.Time
}

// built are the folders that tools write while a port starts.
var built = []string{"node_modules", "target", "__pycache__"}

// OpenWatch begins to watch a folder. The files are those that the caller has open, such as its standard output.
func OpenWatch(root string, open ...fs.FileInfo) (w *Watch, err error) {
	w = &Watch{root: root, open: open}
	w.seen, err = w.look()
	return w, err
}

// Ignore leaves out the files of these paths, which the caller writes himself, and no others.
func (w *Watch) Ignore(paths []string) {
	w.ignored = nil
	for _, path := range paths {
		w.ignored = append(w.ignored, whole(path))
	}
	maps.DeleteFunc(w.seen, func(path string, _ stamp) bool { return slices.Contains(w.ignored, whole(path)) })
}

// whole returns a path by which the same file is known from any folder.
func whole(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return filepath.Clean(path)
}

// Files returns how many files are watched.
func (w *Watch) Files() int { return len(w.seen) }

// Changed waits until a file is another than when Changed last returned, or at first when the folder was opened, and
// returns the paths of all that are, sorted. What changed while nobody waited is told at once. Changes are told once
// the files have rested for a pause: an editor writes a file in several steps, and a checkout changes many.
func (w *Watch) Changed(ctx context.Context) ([]string, error) {
	for last := w.seen; ; {
		now, err := w.look()
		if err != nil {
			return nil, err
		}
		if changed := differences(w.seen, now); len(changed) > 0 && maps.Equal(last, now) {
			w.seen = now
			return changed, nil
		}
		last = now
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// look returns the files as they are.
func (w *Watch) look() (map[string]stamp, error) {
	files := map[string]stamp{}
	err := filepath.WalkDir(w.root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil {
			err = w.visit(files, path, entry)
		}
		if errors.Is(err, fs.ErrNotExist) { // it has gone meanwhile
			return nil
		}
		return err
	})
	return files, err
}

func (w *Watch) visit(files map[string]stamp, path string, entry fs.DirEntry) error {
	out := path != w.root && (strings.HasPrefix(entry.Name(), ".") || strings.HasSuffix(entry.Name(), ".log"))
	switch {
	case entry.IsDir() && (out || slices.Contains(built, entry.Name())):
		return filepath.SkipDir
	case entry.IsDir(), out, slices.Contains(w.ignored, whole(path)):
		return nil
	}
	info, err := entry.Info()
	if err != nil || slices.ContainsFunc(w.open, func(open fs.FileInfo) bool { return os.SameFile(open, info) }) {
		return err
	}
	files[path] = stamp{info.Size(), info.ModTime()}
	return nil
}

// differences returns the paths of the files that are new, gone or another, sorted.
func differences(before, now map[string]stamp) []string {
	either := maps.Clone(before)
	maps.Copy(either, now)
	maps.DeleteFunc(either, func(path string, _ stamp) bool {
		was, there := before[path]
		is, still := now[path]
		return there && still && was == is
	})
	return slices.Sorted(maps.Keys(either))
}
