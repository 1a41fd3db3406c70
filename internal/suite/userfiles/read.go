package userfiles

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"
)

// The sizes in bytes from which on a file is no file of ours, but a mistake. Reading it would take the machine down.
const (
	MostText   = 4 << 20   // of a file that people write and read; reading YAML takes a hundred times its size
	MostFolder = 16 << 20  // of all such files below a folder
	MostReport = 256 << 20 // of one that only machines do
)

// pipeTime is how long a pipe waits for the program at its other end: long enough for one that a script starts beside
// this one.
const pipeTime = 5 * time.Second

// Read returns what the file holds; it may be a pipe. It is an error where that is more than the most bytes, where
// nobody opens a pipe for writing, or where the context is done before all is read.
func Read(ctx context.Context, path string, most int64) ([]byte, error) {
	text, err := readWhole(ctx, path, most)
	switch {
	case err == nil:
		return text, nil
	case errors.As(err, new(*fs.PathError)): // which names the path
		return nil, Wrong(err)
	default:
		return nil, Wrong(fmt.Errorf("read %s: %w", path, err))
	}
}

func readWhole(ctx context.Context, path string, most int64) ([]byte, error) {
	info, err := stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errFolder
	case info.Mode().IsRegular() && info.Size() > most:
		return nil, tooLong(most)
	case info.Mode()&fs.ModeDevice != 0: // no program writes its reports there
		most = min(most, MostText)
	}
	opening := ctx
	if info.Mode()&fs.ModeNamedPipe != 0 {
		var stop context.CancelFunc
		opening, stop = context.WithTimeoutCause(ctx, pipeTime, fmt.Errorf("no program wrote to this pipe for %s", pipeTime))
		defer stop()
	}
	file, err := orDone(opening, 0, func() (*os.File, error) { return os.Open(path) })
	if err != nil {
		return nil, err
	}
	return orDone(ctx, 0, func() ([]byte, error) {
		defer file.Close() // it is only read
		var text bytes.Buffer
		if info.Mode().IsRegular() {
			text.Grow(int(info.Size()) + bytes.MinRead) // growing by and by would take twice the memory
		}
		_, err := text.ReadFrom(io.LimitReader(file, most+1))
		if err == nil && int64(text.Len()) > most {
			err = tooLong(most)
		}
		return text.Bytes(), err
	})
}

// stat looks at a file before it is opened, which is what its error says: no user wants to know of two steps.
func stat(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		failed.Op = "open"
	}
	return info, err
}

var errFolder = errors.New("it is a folder")

func tooLong(most int64) error { return fmt.Errorf("it has more than %d MB", most>>20) }

// Open opens a regular file, whose reader bounds what it takes of it. From a pipe that nobody writes to, reading would
// never return.
func Open(path string) (*os.File, error) {
	if err := CheckRegular(path); err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	return file, Wrong(err)
}

// CheckRegular refuses what is no regular file.
func CheckRegular(path string) error {
	switch info, err := stat(path); {
	case err != nil:
		return Wrong(err)
	case !info.Mode().IsRegular():
		return Wrong(fmt.Errorf("%s is no regular file", path))
	default:
		return nil
	}
}

// Folder returns the files below a folder, of which each is read by [Read], and is to be a regular one. All that is
// read of them must not be more than the most bytes.
func Folder(ctx context.Context, path string, most int64) fs.FS {
	return &folder{FS: os.DirFS(path), ctx: ctx, path: path, most: most}
}

type folder struct {
	fs.FS

	ctx  context.Context
	path string
	most int64
	read atomic.Int64
}

// Stat implements [fs.StatFS]. Without it, [fs.Stat] would open a pipe.
func (f *folder) Stat(name string) (fs.FileInfo, error) { return fs.Stat(f.FS, name) }

// ReadFile implements [fs.ReadFileFS].
func (f *folder) ReadFile(name string) ([]byte, error) {
	path := filepath.Join(f.path, filepath.FromSlash(name))
	if err := CheckRegular(path); err != nil {
		return nil, err
	}
	text, err := Read(f.ctx, path, min(MostText, f.most))
	if err == nil && f.read.Add(int64(len(text))) > f.most {
		err = Wrong(fmt.Errorf("read %s: the files below %s have more than %d MB", path, f.path, f.most>>20))
	}
	return text, err
}

// orDone runs what may block, until so long after the context is done. A pipe that nobody else opens must not swallow
// the signal that ends the program; whoever waits for it is left behind.
func orDone[T any](ctx context.Context, patience time.Duration, mayBlock func() (T, error)) (result T, err error) {
	type outcome struct {
		result T
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		result, err := mayBlock()
		done <- outcome{result, err}
	}()
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
	}
	select {
	case o := <-done:
		return o.result, o.err
	case <-time.After(patience):
		return result, context.Cause(ctx)
	}
}
