package label

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/loopstone/loopstone/internal/suite/userfiles"
	"github.com/loopstone/loopstone/internal/wording"
)

// File is a file of labels that is written while somebody labels. Every save appends a line and waits until the disk
// has it, so a killed program loses nothing that it called saved. The last line about a run counts.
type File struct {
	Cut int // bytes of a last line that a killed program left unfinished; Open has taken them off

	path  string
	mutex sync.Mutex
	file  disk
	size  int64 // of the whole lines
	last  map[key]Label
}

// disk is what an open file does. It cannot be cut through itself: on Windows, a file that is only appended to cannot.
type disk interface {
	io.WriteCloser
	Stat() (os.FileInfo, error)
	Sync() error
}

type key struct {
	Run
	labeller string
}

func (l Label) key() key { return key{l.of(), l.Labeller} }

// Open opens a file of labels, or makes it. Its errors are about the file, see [userfiles.Wrong].
func Open(path string) (*File, error) {
	f, err := open(path)
	return f, userfiles.Wrong(err)
}

func open(path string) (*File, error) {
	if err := userfiles.CheckRegular(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	f := &File{path: path, file: file, last: map[key]Label{}}
	if info, statErr := file.Stat(); statErr != nil || info.Size() > userfiles.MostReport {
		err = cmp.Or(statErr, fmt.Errorf("%s: it has more than %d MB", path, userfiles.MostReport>>20))
	} else {
		err = f.readAll(file)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return f, nil
}

func (f *File) readAll(file io.Reader) error {
	text, err := io.ReadAll(file)
	if err != nil {
		return err
	}
	last := text[bytes.LastIndexByte(text, '\n')+1:]
	labels, err := parse(f.path, text)
	if err != nil && isCut(last) {
		f.Cut, text = len(last), text[:len(text)-len(last)]
		labels, err = parse(f.path, text)
	}
	if err != nil {
		return err
	}
	for _, l := range labels {
		f.last[l.key()] = l
	}
	f.size = int64(len(text))
	switch {
	case f.Cut > 0:
		return os.Truncate(f.path, f.size)
	case len(last) > 0: // somebody edited it
		n, err := f.file.Write([]byte{'\n'})
		f.size += int64(n)
		return err
	}
	return nil
}

// isCut reports whether a line begins as Save writes it, or is the beginning of that.
func isCut(line []byte) bool {
	begin := []byte(`{"corpus":`)
	return len(line) > 0 && (bytes.HasPrefix(line, begin) || bytes.HasPrefix(begin, line))
}

// Of returns what the labeller has said of a run, and whether anything.
func (f *File) Of(run Run, labeller string) (Label, bool) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	l, ok := f.last[key{run, labeller}]
	return l, ok
}

// Save adds a label. It returns once the disk has it. Where another program has written to the file, or has removed or
// replaced it, it is an error: labels would be lost.
func (f *File) Save(l Label) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	line, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if err := f.checkUnchanged(); err != nil {
		return err
	}
	line = append(line, '\n')
	if _, err := f.file.Write(line); err != nil {
		return errors.Join(err, os.Truncate(f.path, f.size)) // no half line stays
	}
	f.size += int64(len(line))
	if err := f.file.Sync(); err != nil {
		return err
	}
	f.last[l.key()] = l
	return nil
}

// checkUnchanged returns an error unless the path names the open file, and that ends as the last save left it.
func (f *File) checkUnchanged() error {
	mine, err := f.file.Stat()
	if err != nil {
		return err
	}
	named, err := os.Stat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(mine, named):
		return fmt.Errorf("%s: the file was removed or replaced, and the label is not saved; "+
			"stop, see that the file has your labels, and start again", f.path)
	case err != nil:
		return err
	case mine.Size() != f.size:
		return fmt.Errorf("%s: another program has written to it; stop both, and start one", f.path)
	}
	return nil
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }

// Labels are labels of runs, the last of each labeller for each run.
type Labels []Label

// Read reads a file of labels. Its error has file and line.
func Read(ctx context.Context, path string) (Labels, error) {
	text, err := userfiles.Read(ctx, path, userfiles.MostReport)
	if err != nil {
		return nil, err
	}
	all, err := parse(path, text)
	switch {
	case err != nil:
		return nil, userfiles.Wrong(err)
	case len(all) == 0:
		return nil, userfiles.Wrong(fmt.Errorf("%s: it has no label", path))
	}
	place := map[key]int{}
	var labels Labels
	for _, l := range all {
		if i, ok := place[l.key()]; ok {
			labels[i] = l
			continue
		}
		place[l.key()] = len(labels)
		labels = append(labels, l)
	}
	return labels, nil
}

func parse(path string, text []byte) ([]Label, error) {
	var labels []Label
	for n, line := range bytes.Split(text, []byte{'\n'}) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var l Label
		err := wording.ReadWholeJSON(line, &l)
		if err == nil {
			err = l.Check()
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, n+1, err)
		}
		labels = append(labels, l)
	}
	return labels, nil
}
