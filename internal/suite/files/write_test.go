//go:build unix

package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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

// A writer that a shell appends with keeps what is there, whatever path names its descriptor.
func TestWriteAppendsToADescriptor(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason  string
		deleted bool
	}{
		{reason: "a file behind a descriptor is appended to, as the shell asked for"},
		{reason: "a deleted file is still written to, and does not appear again", deleted: true},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			path := filepath.Join(folder, "log")
			file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			if _, err := file.WriteString("precious\n"); err != nil {
				t.Fatal(err)
			}
			if tt.deleted {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
			name := descriptorPath(t, file)
			if err := Write(t.Context(), name, []byte("report\n")); err != nil {
				t.Fatal(err)
			}
			text := make([]byte, 64)
			n, _ := file.ReadAt(text, 0) // ends with io.EOF
			if got := string(text[:n]); got != "precious\nreport\n" {
				t.Errorf("the file holds %q", got)
			}
			left, _ := filepath.Glob(filepath.Join(folder, "*"))
			if tt.deleted == (len(left) > 0) {
				t.Errorf("the folder holds %v", left)
			}
		})
	}
}

// descriptorPath returns a path of an open file that a program started by this one would see.
func descriptorPath(t *testing.T, file *os.File) string {
	t.Helper()
	number, err := syscall.Dup(int(file.Fd())) // without the flag that closes it when a program is started
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(number) })
	return fmt.Sprintf("/dev/fd/%d", number)
}

func TestFindRefusesWhatIsNoFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for link, to := range map[string]string{"one": "two", "two": "one"} {
		if err := os.Symlink(to, filepath.Join(folder, link)); err != nil {
			t.Fatal(err)
		}
	}
	for path, reason := range map[string]string{
		"":                                 "an empty path names nothing",
		filepath.Join(folder, "new") + "/": "a slash at the end names a folder",
		filepath.Join(folder, "one"):       "links in a circle lead nowhere",
		"/dev/fd/997":                      "a descriptor that was not opened",
	} {
		if place, err := Find(path); err == nil {
			t.Errorf("%s: %q is at %s", reason, path, place)
		}
	}
}

func TestTwoNamesOfAFileHaveOnePlace(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.Symlink(folder, filepath.Join(folder, "again")); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(folder, "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	tests := []struct {
		reason, a, b string
		same         bool
	}{
		{"a link to the folder", filepath.Join(folder, "x"), filepath.Join(folder, "again", "x"), true},
		{"a descriptor and the file that it was opened on", descriptorPath(t, file), file.Name(), true},
		{"two files", filepath.Join(folder, "x"), filepath.Join(folder, "y"), false},
		{"two descriptors of devices", "/dev/null", descriptorPath(t, file), false},
	}
	for _, tt := range tests {
		a, errA := Find(tt.a)
		b, errB := Find(tt.b)
		if err := errors.Join(errA, errB); err != nil || a.Is(b) != tt.same || b.Is(a) != tt.same {
			t.Errorf("%s: %s and %s: %v, want same %t", tt.reason, a, b, err, tt.same)
		}
	}
}

func TestTouchAndCreateKeepWhatIsThere(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a")
	if err := Touch(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Touch(path); err != nil {
		t.Error(err)
	}
	if err := Create(path, []byte("new")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Create over a file: %v", err)
	}
	if text, _ := read(t, path); text != "precious" {
		t.Errorf("the file holds %q", text)
	}
}
