package label

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// File is a file of labels that is written while somebody labels. Every save appends a line and waits until the disk
// has it, so a killed program loses nothing that it called saved. The last line about a run counts.
type File struct {
	Cut int // bytes of a last line that a killed program left unfinished; Open has taken them off

	mutex sync.Mutex
	file  *os.File
	last  map[key]Label
}

type key struct {
	Run
	labeller string
}

func (l Label) key() key { return key{l.of(), l.Labeller} }

// Open opens a file of labels, or makes it.
func Open(path string) (*File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	f := &File{file: file, last: map[key]Label{}}
	if err := f.readAll(path); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return f, nil
}

func (f *File) readAll(path string) error {
	text, err := io.ReadAll(f.file)
	if err != nil {
		return err
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	labels, err := parse(path, text[:whole])
	if err != nil {
		return err
	}
	for _, l := range labels {
		f.last[l.key()] = l
	}
	if f.Cut = len(text) - whole; f.Cut > 0 {
		return f.file.Truncate(int64(whole))
	}
	return nil
}

// Of returns what the labeller has said of a run, and whether anything.
func (f *File) Of(run Run, labeller string) (Label, bool) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	l, ok := f.last[key{run, labeller}]
	return l, ok
}

// Save adds a label. It returns once the disk has it.
func (f *File) Save(l Label) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	line, err := json.Marshal(l)
	if err != nil {
		return err
	}
	if _, err := f.file.Write(append(line, '\n')); err != nil {
		return err
	}
	if err := f.file.Sync(); err != nil {
		return err
	}
	f.last[l.key()] = l
	return nil
}

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }

// Labels are labels of runs, the last of each labeller for each run.
type Labels []Label

// Read reads a file of labels. Its error has file and line.
func Read(path string) (Labels, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	all, err := parse(path, text)
	switch {
	case err != nil:
		return nil, err
	case len(all) == 0:
		return nil, fmt.Errorf("%s: it has no label", path)
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
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		var l Label
		err := d.Decode(&l)
		if err == nil && d.InputOffset() < int64(len(bytes.TrimRight(line, " \t\r"))) {
			err = errors.New("more than one label on a line")
		}
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
