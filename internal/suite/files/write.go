// Package outfile writes the files that a user asked for. There is one writer for all of them: reports, statements,
// known failures, cases, pictures.
package files

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"
)

// newMode is the mode of a new file: nothing that the tool writes is a secret.
const newMode fs.FileMode = 0o644

// Write gives the file that content, whole or not at all: who reads it finds either what was there before or the
// complete content, whatever goes wrong in between. A link is followed, and stays. A regular file keeps its mode. The
// folder must exist.
//
// Anything else, such as a pipe, a device or /dev/stderr, cannot be replaced and is written to. A pipe that nobody reads
// is waited for until the context is done, and a moment longer, for what an interrupted run found is worth reading.
func Write(ctx context.Context, path string, content []byte) error {
	return Stream(ctx, path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// Stream is [Write] for content that need not fit into memory: give writes all of it, in as small pieces as it likes.
// Where it returns an error, the file stays what it was.
func Stream(ctx context.Context, path string, give func(io.Writer) error) error {
	buffered := func(w io.Writer) error {
		b := bufio.NewWriter(w)
		return cmp.Or(give(b), b.Flush())
	}
	if err := write(ctx, Place(path), buffered); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func write(ctx context.Context, path string, give func(io.Writer) error) error {
	mode := newMode
	switch info, err := os.Stat(path); {
	case err == nil && info.IsDir():
		return errors.New("it is a folder")
	case err == nil && !info.Mode().IsRegular():
		return writeInto(ctx, path, give)
	case err == nil:
		mode = info.Mode().Perm()
	}
	return replace(path, give, mode)
}

const (
	// patience is how long a pipe's reader may take after the context is done.
	patience = time.Second
	// readerPause is how often to look whether a pipe has a reader by now.
	readerPause = 20 * time.Millisecond
)

// writeInto writes to what is there, without making or emptying a file.
func writeInto(ctx context.Context, path string, give func(io.Writer) error) error {
	file, err := openReader(ctx, path)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() {
		_ = file.SetWriteDeadline(time.Now().Add(patience)) // what has no deadline does not block either
	})
	defer stop()
	return errors.Join(give(file), file.Close())
}

// openReader opens a file to be written to. Opening a pipe without a reader would block, deaf to every signal, so it is
// tried again and again.
func openReader(ctx context.Context, path string) (*os.File, error) {
	patient, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(patience, cancel) })
	defer stop()
	for {
		file, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if !errors.Is(err, syscall.ENXIO) {
			return file, err
		}
		select {
		case <-patient.Done():
			return nil, errors.New("nobody reads the pipe")
		case <-time.After(readerPause):
		}
	}
}

// replace renames a temporary file beside the path to it, for only within a file system is renaming atomic.
func replace(path string, give func(io.Writer) error, mode fs.FileMode) error {
	folder := filepath.Dir(path)
	temporary, err := os.CreateTemp(folder, "."+filepath.Base(path)+".*.tmp")
	if failed, ok := errors.AsType[*fs.PathError](err); ok { // whose name is no business of the user's
		return fmt.Errorf("make a file in the folder %s: %w", folder, failed.Err)
	}
	if err != nil {
		return err
	}
	if err = give(temporary); err == nil {
		err = temporary.Chmod(mode)
	}
	if err == nil {
		err = temporary.Sync()
	}
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	return syncFolder(folder)
}

// syncFolder makes a renaming within the folder last through a crash. Windows cannot, and need not.
func syncFolder(folder string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// mostLinks is how many links to links are followed; as many as the system follows.
const mostLinks = 40

// Place returns where a file is, such that two names of one file are equal: absolute, with every link followed, also
// one that leads to a file that is not there yet.
func Place(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	for range mostLinks {
		if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
			path = filepath.Join(folder, filepath.Base(path))
		}
		target, err := os.Readlink(path)
		if err != nil {
			break
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		path = target
	}
	return path
}
