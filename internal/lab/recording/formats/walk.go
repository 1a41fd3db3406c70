package formats

import (
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

	"github.com/loopstone/loopstone/internal/lab/recording"
)

// extensions are those of files that are tried where a folder is read. A file that is named itself may have any.
var extensions = []string{".json", ".jsonl", ".ndjson", ".traj"}

// Walk reads files and folders, in their order, the files of a folder by their names. A folder may be a recording itself: one
// of the study sola-st, or one with a file for each event, as OpenHands keeps them. What is wrong with one file is told, and
// the rest goes on: the error joins all that was wrong, but ends with what the sink refused. A file of a folder that is no
// recording is left out with a note; one that is named itself, and a folder without any recording, are errors.
func Walk(ctx context.Context, paths []string, format string, sink recording.Sink) error {
	if err := CheckName(format); err != nil {
		return err
	}
	if len(paths) == 0 {
		return errors.New("no log is named")
	}
	w := &walk{ctx: ctx, format: format, sink: sink}
	if w.sink.Note == nil {
		w.sink.Note = func(recording.Note) {}
	}
	w.sink.Event = w.event
	w.to = sink.Event
	for _, path := range paths {
		if w.named(path); w.refused != nil {
			break
		}
	}
	return errors.Join(w.problems...)
}

// walk is a walk on its way.
type walk struct {
	ctx      context.Context
	format   string
	sink     recording.Sink
	to       func(recording.Event) error
	problems []error
	refused  error // why no more events are wanted
	found    int   // recordings
}

func (w *walk) event(e recording.Event) error {
	if w.refused = context.Cause(w.ctx); w.refused == nil {
		w.refused = w.to(e)
	}
	return w.refused
}

func (w *walk) tell(err error) {
	if err != nil {
		w.problems = append(w.problems, err)
	}
}

// named reads a path that the user names.
func (w *walk) named(path string) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		w.tell(err)
	case !info.IsDir():
		w.tell(w.file(path))
	default:
		before := len(w.problems)
		w.found = 0
		w.folder(path)
		if w.found == 0 && len(w.problems) == before {
			w.tell(fmt.Errorf("%s: no file below it is a recording", path))
		}
	}
}

func (w *walk) folder(path string) {
	runs, err := SolaSTRuns(path)
	w.tell(err)
	if len(runs) > 0 && (w.format == "" || w.format == SolaST) {
		for _, run := range runs {
			w.found++
			w.tell(ReadSolaST(run, w.sink))
			if w.refused != nil {
				return
			}
		}
		return
	}
	entries, err := os.ReadDir(path)
	w.tell(err)
	if events := eventFiles(entries); len(events) > 0 && (w.format == "" || w.format == "openhands") {
		w.found++
		w.tell(w.events(path, events))
		return
	}
	others := 0
	for _, entry := range entries {
		below := filepath.Join(path, entry.Name())
		switch {
		case entry.IsDir():
			w.folder(below)
		case slices.Contains(extensions, strings.ToLower(filepath.Ext(below))):
			w.inFolder(below)
		default:
			others++
		}
		if w.refused != nil {
			return
		}
	}
	if others > 0 {
		w.sink.Note(recording.Note{Source: path, Text: fmt.Sprintf("files with other extensions than those of logs were left out: %d", others)})
	}
}

// inFolder reads a file that nobody named.
func (w *walk) inFolder(path string) {
	err := w.file(path)
	if errors.Is(err, ErrNoRecording) {
		w.sink.Note(recording.Note{Source: path, Text: ErrNoRecording.Error() + ", and was left out"})
		return
	}
	w.found++
	w.tell(err)
}

func (w *walk) file(path string) error {
	file, err := openRegular(path)
	if err != nil {
		return err
	}
	defer file.Close() // it is only read
	return Read(path, file, w.format, w.sink)
}

// openRegular opens a file. From a pipe that nobody writes to, reading would never return; it is not opened in a folder.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	return os.Open(path)
}

// eventFile matches the names that OpenHands gives to files of one event: with its number.
var eventFile = regexp.MustCompile(`^(?:event-)?(\d+)(?:-[0-9a-f-]+)?\.json$`)

// eventFiles returns the files of a folder in the order of their numbers; none where others are among them.
func eventFiles(entries []fs.DirEntry) []string {
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
	return names
}

// events reads a folder of events as one log. Lines are counted over all of the files.
func (w *walk) events(folder string, names []string) error {
	files := &chain{}
	for _, name := range names {
		files.paths = append(files.paths, filepath.Join(folder, name))
	}
	defer files.close()
	name := folder
	if filepath.Base(folder) == "events" { // which is the name of the folder in every conversation
		name = filepath.Dir(folder)
	}
	return Read(name, files, "openhands", w.sink)
}

// chain reads files one after the other, with a line end between them.
type chain struct {
	paths []string
	open  *os.File
}

// Read implements [io.Reader].
func (c *chain) Read(p []byte) (int, error) {
	if c.open == nil {
		if len(c.paths) == 0 {
			return 0, io.EOF
		}
		file, err := openRegular(c.paths[0])
		if err != nil {
			return 0, err
		}
		c.open, c.paths = file, c.paths[1:]
	}
	n, err := c.open.Read(p)
	if n > 0 || !errors.Is(err, io.EOF) {
		return n, err
	}
	c.close()
	if len(p) == 0 {
		return 0, nil
	}
	p[0] = '\n'
	return 1, nil
}

func (c *chain) close() {
	if c.open != nil {
		c.open.Close() // it was only read
		c.open = nil
	}
}
