package agentlogs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/userfiles"
	"github.com/loopstone/loopstone/spec"
)

// extensions are those of files that are tried where a folder is read. A file that is named itself may have any.
var extensions = []string{".json", ".jsonl", ".ndjson", ".traj"}

// Source is a part of what a user names that can be read by itself: a file, a folder that is one recording, a run of
// the study sola-st.
type Source struct {
	Path string
	Read func(context.Context, Sink) error

	root int // the place of the path that the user named
	// Found is set where nobody named the file itself: it may be no recording.
	Found bool
}

// Sources lists what is to be read of files and folders, in their order, the files of a folder by their names. A folder
// may be a recording itself: one of the study sola-st, or one with a file for each event, as OpenHands keeps them. What
// is wrong with a path is the error of its source. What several paths name is read once, and a note says so.
func Sources(paths []string, format string) ([]Source, error) {
	if err := CheckName(format); err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, errors.New("no log is named")
	}
	w := &walk{format: format, firsts: map[string]int{}}
	for i, path := range paths {
		w.root = i
		info, err := os.Stat(path)
		switch {
		case err != nil:
			w.add(path, false, func(context.Context, Sink) error { return err })
		case info.IsDir():
			w.folder(path)
		default:
			w.file(path, false)
		}
	}
	return w.sources, nil
}

// Absolute returns the path from the root of the file system, by which a file is known however it was named.
func Absolute(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		return absolute
	}
	return filepath.Clean(path) // the working folder is gone
}

// Walk reads files and folders, as [Sources] lists them. What is wrong with one source is told, and the rest goes on:
// the error joins all that was wrong, but ends with what the sink refused. A file of a folder that is no recording is
// left out with a note; one that is named itself, and a folder without any recording, are errors.
func Walk(ctx context.Context, paths []string, format string, sink Sink) error {
	return walkWith(ctx, paths, format, sink, func(read func(Sink) error, sink Sink) error { return read(sink) })
}

// walkWith walks, and runs the reader of each source with run.
func walkWith(
	ctx context.Context, paths []string, format string, sink Sink, run func(read func(Sink) error, sink Sink) error,
) error {
	sources, err := Sources(paths, format)
	if err != nil {
		return err
	}
	if sink.Note == nil {
		sink.Note = func(Note) {}
	}
	var refused error // why no more events are wanted
	to := sink.Event
	sink.Event = func(e Event) error {
		if refused = context.Cause(ctx); refused == nil {
			refused = to(e)
		}
		return refused
	}
	var problems []error
	good := map[int]bool{} // the named paths with a recording, or with a problem of their own
	for _, source := range sources {
		err := run(func(sink Sink) error { return source.Read(ctx, sink) }, sink)
		if source.LeavesOut(err, sink) {
			continue
		}
		good[source.root] = good[source.root] || !source.isRemark()
		if err != nil {
			problems = append(problems, err)
		}
		if refused != nil {
			return errors.Join(problems...)
		}
	}
	for i, path := range paths {
		if !good[i] {
			problems = append(problems, fmt.Errorf("%s: no file below it is a recording", path))
		}
	}
	return errors.Join(problems...)
}

// LeavesOut reports whether the error of a source says that it is no recording, though nobody said that it was one. The
// sink is told.
func (s Source) LeavesOut(err error, sink Sink) bool {
	if !s.Found || !errors.Is(err, ErrNoRecording) {
		return false
	}
	sink.Note(Note{Source: s.Path, Text: ErrNoRecording.Error() + ", and was left out"})
	return true
}

// isRemark reports whether the source is a note about a folder, and no log.
func (s Source) isRemark() bool { return s.Path == "" }

// walk lists sources.
type walk struct {
	format  string
	root    int
	sources []Source
	firsts  map[string]int // the places of sources in the list, by their absolute paths
}

// add lists a source. What an earlier path named is left out with a note.
func (w *walk) add(path string, found bool, read func(context.Context, Sink) error) {
	if first, known := w.firsts[Absolute(path)]; known && w.sources[first].root != w.root {
		w.sources[first].Found = w.sources[first].Found && found // somebody may name what was found before
		read = func(_ context.Context, sink Sink) error {
			sink.Note(Note{Source: path, Text: "it was named before, and is read once"})
			return nil
		}
	} else {
		w.firsts[Absolute(path)] = len(w.sources)
	}
	w.sources = append(w.sources, Source{Path: path, Read: read, root: w.root, Found: found})
}

func (w *walk) file(path string, found bool) {
	w.add(path, found, func(ctx context.Context, sink Sink) error {
		file, err := userfiles.Open(path)
		if err != nil {
			return err
		}
		defer file.Close() // it is only read
		return Read(path, interruptible{ctx, file}, w.format, sink)
	})
}

func (w *walk) folder(path string) {
	runs, err := solaSTRuns(path)
	if err != nil {
		w.add(path, false, func(context.Context, Sink) error { return err })
	}
	if len(runs) > 0 && (w.format == "" || w.format == SolaST) {
		for _, run := range runs {
			w.add(run.Actions, false, func(ctx context.Context, sink Sink) error { return readSolaST(ctx, run, sink) })
		}
		return
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		w.add(path, false, func(context.Context, Sink) error { return err })
	}
	if events := eventFiles(path, entries); len(events) > 0 && (w.format == "" || w.format == "openhands") {
		w.add(path, false, func(ctx context.Context, sink Sink) error { return readEvents(ctx, path, events, sink) })
		return
	}
	w.entries(path, entries)
}

// entries lists the files and folders in a folder.
func (w *walk) entries(path string, entries []fs.DirEntry) {
	others := 0
	for _, entry := range entries {
		below := filepath.Join(path, entry.Name())
		switch {
		case entry.IsDir():
			w.folder(below)
		case slices.Contains(extensions, strings.ToLower(filepath.Ext(below))):
			w.file(below, true)
		default:
			others++
		}
	}
	if others == 0 {
		return
	}
	text := fmt.Sprintf("skipped files whose extension is not one of a log: %d", others)
	w.sources = append(w.sources, Source{root: w.root, Read: func(_ context.Context, sink Sink) error {
		sink.Note(Note{Source: path, Text: text})
		return nil
	}})
}

// interruptible is a log that ends with an error once the context is done, however long it may be.
type interruptible struct {
	ctx context.Context
	io.Reader
}

// Read implements [io.Reader].
func (r interruptible) Read(p []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.Reader.Read(p)
}

// eventFile matches the names that OpenHands gives to files of one event: with its number.
var eventFile = regexp.MustCompile(`^(?:event-)?(\d+)(?:-[0-9a-f-]+)?\.json$`)

// eventFiles returns the paths of the files of a folder in the order of their numbers; none if there are others among
// them, or if they are no events: other programs number their logs, too.
func eventFiles(folder string, entries []fs.DirEntry) []string {
	var names []string
	for _, entry := range entries {
		if !eventFile.MatchString(entry.Name()) || entry.IsDir() {
			return nil
		}
		names = append(names, entry.Name())
	}
	number := func(name string) string {
		digits := strings.TrimLeft(eventFile.FindStringSubmatch(name)[1], "0")
		return fmt.Sprintf("%09d%s", len(digits), digits)
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(number(a), number(b)) })
	paths := lists.Map(names, func(name string) string { return filepath.Join(folder, name) })
	if !holdEvents(paths) {
		return nil
	}
	return paths
}

// holdEvents reports whether the files hold one event of OpenHands each. The first file that is of a known format
// decides: a file before it may be broken.
func holdEvents(paths []string) bool {
	for _, path := range paths {
		file, err := userfiles.Open(path)
		if err != nil {
			continue
		}
		s, err := newSource(path, file, Sink{})
		var f format
		if err == nil {
			f, err = s.formatOf("")
		}
		file.Close() // it was only read
		if err == nil {
			_, nested := openHandsNesting.keyOf(s.head)
			return f.name == "openhands" && s.head.single && s.head.values[0].Kind() == spec.Object && !nested
		}
	}
	return false
}

// readEvents reads the files of a folder of events as one log. Lines are counted over all of the files, but an error
// names the file.
func readEvents(ctx context.Context, folder string, paths []string, sink Sink) error {
	all := &chain{ctx: ctx, paths: paths, line: 1}
	defer all.close()
	name := folder
	if filepath.Base(folder) == "events" { // which is the name of the folder in every conversation
		name = filepath.Dir(folder)
	}
	return Read(name, all, "openhands", sink)
}

// chain reads files one after the other, with a line end between them.
type chain struct {
	ctx    context.Context
	paths  []string
	begun  int // files
	open   *os.File
	line   int   // of all that was read, from 1
	firsts []int // the first lines of the files that were begun
}

// Read implements [io.Reader].
func (c *chain) Read(p []byte) (int, error) {
	if c.open == nil {
		if c.begun == len(c.paths) {
			return 0, io.EOF
		}
		path := c.paths[c.begun]
		c.begun, c.firsts = c.begun+1, append(c.firsts, c.line)
		file, err := userfiles.Open(path)
		if err != nil {
			return 0, err
		}
		c.open = file
	}
	n, err := interruptible{c.ctx, c.open}.Read(p)
	if n > 0 || !errors.Is(err, io.EOF) {
		c.line += bytes.Count(p[:n], []byte{'\n'})
		return n, err
	}
	c.close()
	if len(p) == 0 {
		return 0, nil
	}
	p[0] = '\n'
	c.line++
	return 1, nil
}

func (c *chain) close() {
	if c.open != nil {
		c.open.Close() // it was only read
		c.open = nil
	}
}

// locate puts the file and its line into an error that has a line of the chain. A record does not go on in another
// file: if the error is in a later file than the record begins in, the earlier file is cut off.
func (c *chain) locate(err error) error {
	wrong, is := errors.AsType[*Error](err)
	if !is {
		return err
	}
	at, problem := wrong.Line, wrong.Err
	begins, isBegun := errors.AsType[*begunError](wrong.Err)
	if isBegun && c.fileAt(begins.line) != c.fileAt(at) {
		at, problem = begins.line, errors.New("it ends too early")
		wrong.Column, wrong.Pointer = 0, ""
	} else if isBegun {
		problem = &begunError{begins.err, begins.line - c.firsts[c.fileAt(at)] + 1}
	}
	file := c.fileAt(at)
	wrong.Source, wrong.Line, wrong.Err = c.paths[file], at-c.firsts[file]+1, problem
	return err
}

// fileAt returns which file a line is in that was read.
func (c *chain) fileAt(line int) int {
	next, _ := slices.BinarySearch(c.firsts, line+1)
	return max(0, next-1)
}
