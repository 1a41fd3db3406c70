// Package files reads the files that a user names, and writes those that a user asks for: reports, known failures,
// cases, pictures.
package files

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"
)

// The sizes in bytes from which on a file is no file of ours, but a mistake. Reading it would take the machine down.
const (
	MostText   = 4 << 20   // of a file that people write and read; reading YAML takes a hundred times its size
	MostReport = 256 << 20 // of one that only machines do
)

// Read returns what the file holds. It is an error where that is more than the most bytes, or where the context is
// done before all is read.
func Read(ctx context.Context, path string, most int64) ([]byte, error) {
	var text []byte
	err := orDone(ctx, 0, func() (err error) {
		text, err = readAll(path, most)
		return err
	})
	switch {
	case err == nil:
		return text, nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("read %s: %w", path, err)
	default:
		return nil, err
	}
}

// orDone runs what may block, until so long after the context is done. A pipe that nobody else opens must not swallow
// the signal that ends the program; whoever waits for it is left behind.
func orDone(ctx context.Context, patience time.Duration, mayBlock func() error) error {
	done := make(chan error, 1)
	go func() { done <- mayBlock() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(patience):
		return context.Cause(ctx)
	}
}

func readAll(path string, most int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close() // it is only read
	text, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(text)) > most {
		return nil, fmt.Errorf("read %s: it has more than %d MB", path, most>>20)
	}
	return text, err
}
