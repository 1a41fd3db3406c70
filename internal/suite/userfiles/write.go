package userfiles

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
	"sync"
	"time"
)

// newMode is the mode of a new file: nothing that the tool writes is a secret.
const newMode fs.FileMode = 0o644

// Write replaces the content of a file, whole or not at all: a reader finds either what was there before or the
// complete content, whatever goes wrong in between. A link is followed, and stays. A regular file keeps its mode. The
// folder must exist.
//
// A descriptor, a pipe or a device is written to and never replaced; see [Destination]. Write waits 5 s until a program
// opens a pipe for reading, and for what this reads until the context is done, and a moment longer: what an interrupted
// run found is worth reading.
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
	to, err := Find(path)
	if err == nil {
		err = write(ctx, to, buffered)
	}
	if err != nil {
		return Wrong(fmt.Errorf("write %s: %w", path, err))
	}
	return nil
}

func write(ctx context.Context, to Destination, give func(io.Writer) error) error {
	switch {
	case to.info == nil:
		return replace(to.path, give, newMode)
	case to.info.IsDir():
		return errFolder
	case to.descriptor || !to.isRegular():
		return writeInto(ctx, to, give)
	default:
		return replace(to.path, give, to.info.Mode().Perm())
	}
}

// Create writes a file that is not there yet. Its error is [fs.ErrExist] where anything has that name, be it a link.
func Create(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, newMode)
	if err != nil {
		return Wrong(err)
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Close()); err != nil {
		return Wrong(errors.Join(err, os.Remove(path)))
	}
	return nil
}

// patience is how long a pipe's reader may take after the context is done.
const patience = 500 * time.Millisecond

// writeInto writes to what is there, without making or emptying a file. The file behind a descriptor is appended to:
// opened by its path, it would be written to from its start.
func writeInto(ctx context.Context, to Destination, give func(io.Writer) error) error {
	if stream := streams[to.path]; stream != nil {
		return give(stream)
	}
	opening, stop := context.WithTimeoutCause(ctx, pipeTime, fmt.Errorf("no program reads this pipe for %s", pipeTime))
	defer stop()
	file, err := orDone(opening, patience, func() (*os.File, error) {
		return os.OpenFile(to.path, os.O_WRONLY|os.O_APPEND, 0)
	})
	if err != nil {
		return err
	}
	_, err = orDone(ctx, patience, func() (struct{}, error) {
		return struct{}{}, errors.Join(give(file), file.Close())
	})
	return withoutPath(err)
}

// replace renames a temporary file beside the path to it, for only within a file system is renaming atomic.
func replace(path string, give func(io.Writer) error, mode fs.FileMode) error {
	folder := filepath.Dir(path)
	temporary, err := createTemporary(folder, "."+filepath.Base(path)+".*.tmp")
	if cause := withoutPath(err); cause != err {
		return fmt.Errorf("make a file in the folder %s: %w", folder, cause)
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
		err = errors.Join(withoutPath(err), os.Remove(temporary.Name()))
	}
	unfinished.Lock()
	defer unfinished.Unlock()
	delete(unfinished.paths, temporary.Name())
	return err
}

// withoutPath takes the name of a file off an error: Stream names the file that the user named, and a temporary file is
// no business of the user's.
func withoutPath(err error) error {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return failed.Err
	}
	return err
}

// unfinished are the temporary files that are written. Once it is closed, no further one is made.
var unfinished = struct {
	sync.Mutex
	paths  map[string]bool
	closed bool
}{paths: map[string]bool{}}

func createTemporary(folder, pattern string) (*os.File, error) {
	unfinished.Lock()
	defer unfinished.Unlock()
	if unfinished.closed {
		return nil, errors.New("the program is ending")
	}
	file, err := os.CreateTemp(folder, pattern)
	if err == nil {
		unfinished.paths[file.Name()] = true
	}
	return file, err
}

// Abandon removes what is not finished, for a program that exits at once. Nothing can be replaced any more.
func Abandon() {
	unfinished.Lock()
	defer unfinished.Unlock()
	unfinished.closed = true
	for path := range unfinished.paths {
		_ = os.Remove(path) // it may have been renamed just now
	}
}
