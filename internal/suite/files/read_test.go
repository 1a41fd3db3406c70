//go:build unix

package files

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestReadRefusesWhatIsTooLong(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(strings.Repeat("x", 3<<20)), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := Read(t.Context(), path, 3<<20); err != nil || len(text) != 3<<20 {
		t.Errorf("as long as may be: got %d bytes, %v", len(text), err)
	}
	if _, err := Read(t.Context(), path, 2<<20); err == nil || !strings.Contains(err.Error(), "more than 2 MB") {
		t.Errorf("too long: got %v", err)
	}
}

func TestReadOfAPipeWithoutAWriterCanBeInterrupted(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ctx, path, MostText); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	writer, err := os.OpenFile(path, os.O_RDWR, 0) // lets the reader go that was left behind
	if err != nil {
		t.Fatal(err)
	}
	writer.Close()
}
