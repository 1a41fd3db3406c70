package portfolder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settled is how long nothing must change before a change is told: an editor writes a file in several steps, and a
// checkout changes many.
const settled = 100 * time.Millisecond

// Watch watches the files of a folder, and those of the folders below it. It leaves out hidden files and folders, logs,
// the folders into which tools build, and what the caller writes himself: each run would lead to another.
type Watch struct {
	root    string
	ignored []string      // paths
	open    []fs.FileInfo // files that are written to all the time
	watcher *fsnotify.Watcher
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
func OpenWatch(root string, open ...fs.FileInfo) (*Watch, error) {
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", root, err)
	}
	w := &Watch{root: root, open: open, watcher: watcher}
	if w.seen, err = w.look(); err != nil {
		return nil, errors.Join(err, watcher.Close())
	}
	return w, nil
}

// Ignore leaves out the files of these paths, which the caller writes himself, and no others.
func (w *Watch) Ignore(paths []string) {
	w.ignored = nil
	for _, path := range paths {
		w.ignored = append(w.ignored, filepath.Clean(path))
		delete(w.seen, filepath.Clean(path))
	}
}

// Close ends the watch.
func (w *Watch) Close() error { return w.watcher.Close() }

// Files returns how many files are watched.
func (w *Watch) Files() int { return len(w.seen) }

// Changed waits until a file is another than when Changed last returned, or at first when the folder was opened, and
// returns the paths of all that are, sorted. What changed while nobody waited is told at once.
func (w *Watch) Changed(ctx context.Context) ([]string, error) {
	for {
		now, err := w.look()
		if err != nil {
			return nil, err
		}
		changed, pause := differences(w.seen, now), forEver
		if len(changed) > 0 {
			pause = settled
		}
		quiet, err := w.wait(ctx, pause)
		if err != nil {
			return nil, err
		}
		if quiet {
			w.seen = now
			return changed, nil
		}
	}
}

// forEver is as long as nobody waits.
const forEver time.Duration = math.MaxInt64

// wait waits for a sign that something changed, and reports whether none came in that time.
func (w *Watch) wait(ctx context.Context, pause time.Duration) (quiet bool, err error) {
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case err := <-w.watcher.Errors:
		if errors.Is(err, fsnotify.ErrEventOverflow) { // more changed than the system keeps; all is looked at anyway
			return false, nil
		}
		return false, fmt.Errorf("watch %s: %w", w.root, err)
	case <-w.watcher.Events:
		return false, nil
	case <-time.After(pause):
		return true, nil
	}
}

// look returns the files as they are, and watches the folders that are new.
func (w *Watch) look() (map[string]stamp, error) {
	files := map[string]stamp{}
	err := filepath.WalkDir(w.root, func(path string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) { // it has gone meanwhile
			return nil
		}
		if err != nil {
			return err
		}
		return w.visit(files, path, entry)
	})
	return files, err
}

func (w *Watch) visit(files map[string]stamp, path string, entry fs.DirEntry) error {
	out := path != w.root && (strings.HasPrefix(entry.Name(), ".") || strings.HasSuffix(entry.Name(), ".log"))
	switch {
	case entry.IsDir() && (out || slices.Contains(built, entry.Name())):
		return filepath.SkipDir
	case entry.IsDir():
		if err := w.watcher.Add(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("watch %s: %w", path, err)
		}
	case !out && !slices.Contains(w.ignored, filepath.Clean(path)):
		info, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		if slices.ContainsFunc(w.open, func(open fs.FileInfo) bool { return os.SameFile(open, info) }) {
			return nil
		}
		files[path] = stamp{info.Size(), info.ModTime()}
	}
	return nil
}

func differences(before, now map[string]stamp) []string {
	changed := map[string]bool{}
	for path, is := range now {
		if was, known := before[path]; !known || was != is {
			changed[path] = true
		}
	}
	for path := range before {
		if _, still := now[path]; !still {
			changed[path] = true
		}
	}
	return slices.Sorted(maps.Keys(changed))
}
