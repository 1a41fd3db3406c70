//go:build unix

package userfiles

import (
	"context"
	"errors"
	"io/fs"
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

func TestReadRefusesWhatIsNoFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	pipe := filepath.Join(folder, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ reason, path, want string }{
		{"a folder", folder, "it is a folder"},
		{"a device without an end", "/dev/zero", "more than 4 MB"},
		{"a pipe that nobody writes to", pipe, "no program wrote to this pipe"},
		{"no file", filepath.Join(folder, "none"), "no such file"},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			_, err := Read(t.Context(), tt.path, MostText)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), tt.path) {
				t.Errorf("got %v, want the path and %q", err, tt.want)
			}
		})
	}
}

func TestReadTakesWhatAPipeHolds(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	written := make(chan error)
	go func() { written <- os.WriteFile(pipe, []byte("through"), 0) }()
	if text, err := Read(t.Context(), pipe, MostText); err != nil || string(text) != "through" {
		t.Errorf("got %q, %v", text, err)
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
}

func TestFolderIsBounded(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := os.WriteFile(filepath.Join(path, name), make([]byte, 1<<20), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(path, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	folder := Folder(t.Context(), path, 1<<20)
	if text, err := fs.ReadFile(folder, "a"); err != nil || len(text) != 1<<20 {
		t.Errorf("as long as may be: got %d bytes, %v", len(text), err)
	}
	if _, err := fs.ReadFile(folder, "b"); err == nil || !strings.Contains(err.Error(), "more than 1 MB") {
		t.Errorf("too much in all: got %v", err)
	}
	if info, err := fs.Stat(folder, "pipe"); err != nil || info.Mode().IsRegular() {
		t.Errorf("a pipe is looked at: %v, %v", info, err)
	}
	if _, err := fs.ReadFile(folder, "pipe"); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("a pipe is read: %v", err)
	}
}
