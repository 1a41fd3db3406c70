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
	"time"
)

// newMode is the mode of a new file: nothing that the tool writes is a secret.
const newMode fs.FileMode = 0o644

// Write replaces the content of a file, whole or not at all: a reader finds either what was there before or the
// complete content, whatever goes wrong in between. A link is followed, and stays. A regular file keeps its mode. The
// folder must exist.
//
// A descriptor, a pipe or a device is written to and never replaced; see [Place]. Write waits for a pipe's reader
// until the context is done, and a moment longer: what an interrupted run found is worth reading.
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
	place, err := Find(path)
	if err == nil {
		err = write(ctx, place, buffered)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

func write(ctx context.Context, place Place, give func(io.Writer) error) error {
	switch {
	case place.info == nil:
		return replace(place.path, give, newMode)
	case place.info.IsDir():
		return errors.New("it is a folder")
	case place.descriptor || !place.isRegular():
		return writeInto(ctx, place, give)
	default:
		return replace(place.path, give, place.info.Mode().Perm())
	}
}

// Create writes a file that is not there yet. Its error is [fs.ErrExist] where anything has that name, be it a link.
func Create(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, newMode)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// patience is how long a pipe's reader may take after the context is done.
const patience = time.Second

// writeInto writes to what is there, without making or emptying a file. The file behind a descriptor is appended to:
// opened by its path, it would be written to from its start.
func writeInto(ctx context.Context, place Place, give func(io.Writer) error) error {
	if stream := streams[place.path]; stream != nil {
		return give(stream)
	}
	return orDone(ctx, patience, func() error {
		file, err := os.OpenFile(place.path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		return errors.Join(give(file), file.Close())
	})
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
	return nil
}
