//go:build unix

package userfiles

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// read returns what a file holds, and what kind of thing it is.
func read(t *testing.T, path string) (string, os.FileMode) {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text), info.Mode()
}

func TestWriteReplacesARegularFileAndKeepsItsMode(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Write(t.Context(), path, []byte("after")); err != nil {
		t.Fatal(err)
	}
	if text, mode := read(t, path); text != "after" || mode != 0o600 {
		t.Errorf("%q with mode %v, want \"after\" with 0600", text, mode)
	}
}

func TestWriteFollowsLinks(t *testing.T) {
	t.Parallel()
	tests := []struct{ reason, first string }{
		{"a link to a file that is there", "before"},
		{"a link to a file that is not there yet", ""},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			target, link := filepath.Join(folder, "target"), filepath.Join(folder, "link")
			if tt.first != "" {
				if err := os.WriteFile(target, []byte(tt.first), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink("target", link); err != nil {
				t.Fatal(err)
			}
			if err := Write(t.Context(), link, []byte("after")); err != nil {
				t.Fatal(err)
			}
			if text, mode := read(t, target); text != "after" || !mode.IsRegular() {
				t.Errorf("the target is %v with %q", mode, text)
			}
			if _, mode := read(t, link); mode&os.ModeSymlink == 0 {
				t.Errorf("the link became %v", mode)
			}
		})
	}
}

func TestWriteGoesIntoAPipe(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	got := make(chan string, 1)
	go func() {
		f, err := os.Open(path)
		if err != nil {
			got <- err.Error()
			return
		}
		defer f.Close()
		text, _ := io.ReadAll(f)
		got <- string(text)
	}()
	if err := Write(t.Context(), path, []byte("through")); err != nil {
		t.Fatal(err)
	}
	if text := <-got; text != "through" {
		t.Errorf("the reader got %q", text)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe became %v, %v", info, err)
	}
}

func TestWriteGivesUpOnAPipeThatNobodyReads(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Write(ctx, path, []byte("x")); err == nil {
		t.Error("writing to nobody succeeded")
	}
	err := Write(t.Context(), path, []byte("x"))
	if err == nil || !strings.Contains(err.Error(), "no program reads this pipe for 5s") {
		t.Errorf("without an interruption: got %v", err)
	}
}

func TestWriteLeavesDevicesWhatTheyAre(t *testing.T) {
	t.Parallel()
	if err := Write(t.Context(), "/dev/null", []byte("gone")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat("/dev/null"); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		t.Errorf("/dev/null became %v, %v", info, err)
	}
}

func TestWriteNamesTheFileOnce(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("this system has no /dev/full")
	}
	const want = "write /dev/full: no space left on device"
	if err := Write(t.Context(), "/dev/full", []byte("x")); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestWriteThatFailsLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := Write(t.Context(), filepath.Join(folder, "nowhere", "a"), []byte("x")); err == nil {
		t.Error("a file in a folder that is not there was written")
	}
	if err := Write(t.Context(), folder, []byte("x")); err == nil {
		t.Error("a folder was written")
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestAbandonRemovesWhatIsNotFinished is not parallel: nothing can be written behind it.
func TestAbandonRemovesWhatIsNotFinished(t *testing.T) {
	defer func() { unfinished.closed = false }()
	folder := t.TempDir()
	path := filepath.Join(folder, "a")
	if err := os.WriteFile(path, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := Stream(t.Context(), path, func(w io.Writer) error {
		if _, err := w.Write(make([]byte, 1<<20)); err != nil {
			return err
		}
		Abandon()
		left, err := filepath.Glob(filepath.Join(folder, ".*"))
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
		return nil
	})
	if text, _ := read(t, path); text != "before" || err == nil {
		t.Errorf("%v, and the file holds %q", err, text)
	}
	if err := Write(t.Context(), path, []byte("after")); err == nil {
		t.Error("a file was written behind")
	}
}
