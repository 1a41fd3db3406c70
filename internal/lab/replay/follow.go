package replay

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/loopstone/loopstone/internal/lab/agentlogs"
)

// Follower follows files, and all sessions in folders. A file in a folder is read once it grows or is new; what it had
// before is read without telling the loops in it.
type Follower struct {
	Paths      []string
	Format     string          // of all files; empty to recognise each
	NewWatcher func() *Watcher // makes a watcher for a file
	News       func([]News) error
	Say        func(string) // what happens to the files

	end      context.CancelCauseFunc // ends all, for a reason that is no log's fault
	lock     sync.Mutex              // guards all that follows, and is held while anything is told
	files    map[string]*followed    // by their absolute paths
	watchers []*Watcher
	problems []error
	running  sync.WaitGroup
}

// followed is a file that was met.
type followed struct {
	path    string // as it was named first
	size    int64  // when it was met; what comes later is told
	reading bool
	left    bool // alone, for it cannot be read
	notUTF8 int  // lines that were left out, and told
}

// lineLogs are the extensions of logs that are written line by line.
var lineLogs = []string{".jsonl", ".ndjson"}

// Run follows until the context ends, a detector cannot be told, or News fails. It returns the watchers of all files
// that were read. The error joins what was wrong with single files, and why it ended by itself.
func (f *Follower) Run(interrupted context.Context) ([]*Watcher, error) {
	ctx, end := context.WithCancelCause(interrupted)
	defer end(nil)
	f.files, f.end = map[string]*followed{}, end
	for _, path := range f.Paths {
		if _, err := os.Stat(path); err != nil {
			return nil, err
		}
	}
	for first := true; ; first = false {
		f.scan(ctx, first)
		if first {
			f.say(fmt.Sprintf("following %s; press Ctrl-C for a summary", strings.Join(f.Paths, ", ")))
		}
		select {
		case <-ctx.Done():
		case <-time.After(interval):
			if ctx.Err() == nil && !f.isDone() {
				continue
			}
		}
		f.running.Wait()
		problems := append(f.problems, f.encodingProblems()...)
		if cause := context.Cause(ctx); !errors.Is(cause, context.Cause(interrupted)) {
			problems = append(problems, cause)
		}
		return f.watchers, errors.Join(problems...)
	}
}

// endFor ends all where an error is no log's fault. After an interruption, a port may be gone already, and that is no
// error.
func (f *Follower) endFor(err error) error {
	if err != nil {
		f.end(err)
	}
	return err
}

// encodingProblems counts, for each file, the lines that were left out because they are not UTF-8.
func (f *Follower) encodingProblems() []error {
	var problems []error
	for _, key := range slices.Sorted(maps.Keys(f.files)) {
		if file := f.files[key]; file.notUTF8 > 0 {
			problems = append(problems, fmt.Errorf("%s: lines that are not UTF-8 were left out: %d", file.path, file.notUTF8))
		}
	}
	return problems
}

// isDone reports whether all paths are files that cannot be read.
func (f *Follower) isDone() bool {
	f.lock.Lock()
	defer f.lock.Unlock()
	return !slices.ContainsFunc(f.Paths, func(path string) bool {
		file := f.files[agentlogs.Absolute(path)]
		return file == nil || !file.left
	})
}

// scan looks for files that are new or grew.
func (f *Follower) scan(ctx context.Context, first bool) {
	for _, path := range f.Paths {
		_ = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() { // what cannot be read now may be there later
				return nil
			}
			named := name == path
			if named || slices.Contains(lineLogs, strings.ToLower(filepath.Ext(name))) {
				f.met(ctx, name, first, named)
			}
			return nil
		})
	}
}

// met begins to read a file if there is a reason to.
func (f *Follower) met(ctx context.Context, path string, first, named bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	f.lock.Lock()
	defer f.lock.Unlock()
	key := agentlogs.Absolute(path)
	file, known := f.files[key]
	if !known {
		file = &followed{path: path}
		if first {
			file.size = info.Size()
		}
		f.files[key] = file
	}
	grew := info.Size() != file.size
	if file.reading || file.left || !named && !grew || info.Size() == 0 {
		return
	}
	file.reading = true
	f.running.Add(1)
	go func() {
		defer f.running.Done()
		f.read(ctx, path, file)
	}()
}

// mostUnknown is how much of a file is looked at for a format: the first lines of a session may be of any kind.
const mostUnknown = 256 << 10

// read reads a file until it is over, and what takes its place.
func (f *Follower) read(ctx context.Context, path string, file *followed) {
	told := 0 // lines whose faults were told
	for quiet := file.size; ; {
		t, err := openTail(ctx, path, quiet)
		if err != nil {
			f.over(file, err)
			return
		}
		t.told, t.fault = told, func(err error) { f.notUTF8(file, err) }
		err = f.session(ctx, t)
		t.close()
		switch {
		case err == nil && ctx.Err() != nil: // and it is not to be read again
			return
		case errors.Is(err, agentlogs.ErrNoRecording) && t.given < mostUnknown:
			if quiet == 0 && !grows(ctx, path, t.read) {
				if ctx.Err() == nil { // otherwise a scan that is under way would read it again
					f.over(file, nil)
				}
				return
			}
			quiet, told = 0, t.lines // nothing else was told of it
		case err != nil || t.ended == removed:
			f.over(file, err)
			return
		default:
			quiet, told = 0, 0
			f.say(fmt.Sprintf("%s was %s; reading it again from its beginning", path, t.ended))
		}
	}
}

// grows waits until a file is longer than that, and reports whether it became so.
func grows(ctx context.Context, path string, size int64) bool {
	for {
		info, err := os.Stat(path)
		if err != nil || info.Size() != size {
			return err == nil
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(interval):
		}
	}
}

// over keeps what was wrong with a file. A file that is gone may come again; one that cannot be read is left alone.
func (f *Follower) over(file *followed, err error) {
	f.lock.Lock()
	defer f.lock.Unlock()
	file.reading = false
	file.size = 0
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		file.left = true
		f.problems = append(f.problems, err)
		f.Say(err.Error())
	}
}

// notUTF8 tells of a line that is left out, and counts it.
func (f *Follower) notUTF8(file *followed, err error) {
	f.lock.Lock()
	defer f.lock.Unlock()
	file.notUTF8++
	f.Say(err.Error())
}

func (f *Follower) say(text string) {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.Say(text)
}

// session reads a file to its end, and tells what begins after what was there before.
func (f *Follower) session(ctx context.Context, t *tail) error {
	w := f.NewWatcher()
	w.Live = true
	f.lock.Lock()
	f.watchers = append(f.watchers, w)
	f.lock.Unlock()
	whole := context.WithoutCancel(ctx) // so that what was read is judged
	following := false
	t.caught = func(given int64) error {
		f.lock.Lock()
		defer f.lock.Unlock()
		return f.endFor(f.tell(whole, w, t, &following))
	}
	err := agentlogs.Read(t.path, t, f.Format, f.locked(w.Sink(whole)))
	f.lock.Lock()
	defer f.lock.Unlock()
	if t.broken > 0 {
		text := fmt.Sprintf("lines that are not JSON in UTF-8 were left out: %d", t.broken)
		w.Notes = append(w.Notes, agentlogs.Note{Source: t.path, Text: text})
	}
	if t.given > t.quiet { // what the reader held back
		_ = f.endFor(f.tell(whole, w, t, &following))
	}
	closing := w.Close(whole)
	if ctx.Err() != nil { // a port may be gone already
		return nil
	}
	_ = f.endFor(closing)
	return err
}

// tell tells the news of a file, and once before them that it is followed. The news count even if a port is gone.
func (f *Follower) tell(ctx context.Context, w *Watcher, t *tail, following *bool) error {
	news, err := w.News(ctx)
	if t.given < t.quiet || len(w.Runs) == 0 {
		return err
	}
	if !*following {
		*following = true
		f.Say(sayFollowing(w, t))
		if t.given == t.quiet {
			return err
		}
	}
	return errors.Join(err, f.News(news))
}

// locked returns a sink that may be called beside others.
func (f *Follower) locked(sink agentlogs.Sink) agentlogs.Sink {
	return agentlogs.Sink{
		Event: func(e agentlogs.Event) error {
			f.lock.Lock()
			defer f.lock.Unlock()
			return f.endFor(sink.Event(e))
		},
		Note: func(n agentlogs.Note) {
			f.lock.Lock()
			defer f.lock.Unlock()
			sink.Note(n)
		},
	}
}

// sayFollowing says which file is followed, and what came before.
func sayFollowing(w *Watcher, t *tail) string {
	if t.given > t.quiet {
		return fmt.Sprintf("%s (%s): a new session", t.path, w.Runs[0].Format)
	}
	events, loops := 0, 0
	for _, r := range w.Runs {
		events += r.Total.Events
		if len(r.Speaking()) > 0 {
			loops++
		}
	}
	return fmt.Sprintf("%s (%s): %d events so far; a loop is reported in %d of %d runs",
		t.path, w.Runs[0].Format, events, loops, len(w.Runs))
}
