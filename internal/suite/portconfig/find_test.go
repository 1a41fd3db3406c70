package portconfig

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/conformance/report"
)

// TestTheNearestFileUpToTheRootOfTheRepositoryIsTaken: below it, a port is tested as in its own folder.
func TestTheNearestFileUpToTheRootOfTheRepositoryIsTaken(t *testing.T) {
	for _, test := range []struct {
		reason string
		files  []string // .git in a path is one of a repository
		open   string   // the folder that everybody may write to
		in     string
		want   string // empty where there is none
	}{
		{"in the folder itself", []string{"a/loopstone.yaml"}, "", "a", "."},
		{"above it", []string{"a/loopstone.yaml"}, "", "a/b/c", "../.."},
		{"the nearest of two", []string{"loopstone.yaml", "a/loopstone.yaml"}, "", "a/b", ".."},
		{"in the root of a repository", []string{"a/.git/HEAD", "a/loopstone.yaml"}, "", "a/b", ".."},
		{"in the root of a worktree, where .git is a file", []string{"a/.git", "loopstone.yaml"}, "", "a/b", ""},
		{"above a repository, which is not its own", []string{"a/.git/HEAD", "loopstone.yaml"}, "", "a/b", ""},
		{"a link that leads nowhere, below another one", []string{"a/loopstone.yaml", "a/b/link"}, "", "a/b/c", ".."},
		{"in a folder above where strangers may write", []string{"a/loopstone.yaml"}, "a", "a/b", ""},
		{"in such a folder, where somebody works", []string{"a/loopstone.yaml"}, "a", "a", "."},
	} {
		t.Run(test.reason, func(t *testing.T) {
			root := t.TempDir()
			put(t, filepath.Join(root, test.in, "x"), "")
			for _, name := range test.files {
				path := filepath.Join(root, name)
				if filepath.Base(name) != "link" {
					put(t, path, "command: [port]\n")
				} else if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				} else if err := os.Symlink("nowhere", filepath.Join(filepath.Dir(path), FileName)); err != nil {
					t.Skip(err)
				}
			}
			if test.open != "" {
				if runtime.GOOS == "windows" {
					t.Skip("no folder has such permissions here")
				}
				if err := os.Chmod(filepath.Join(root, test.open), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			t.Chdir(filepath.Join(root, test.in))
			folder, err := Find()
			if _, missing := errors.AsType[*MissingError](err); folder != filepath.FromSlash(test.want) || missing != (test.want == "") {
				t.Errorf("found in %q, want %q: %v", folder, test.want, err)
			}
		})
	}
}

// TestThePathsOfAFileStartInItsFolder: wherever below it the tool is called.
func TestThePathsOfAFileStartInItsFolder(t *testing.T) {
	root := t.TempDir()
	put(t, filepath.Join(root, "a/b/x"), "")
	absolute := filepath.Join(root, "all.jsonl")
	put(t, filepath.Join(root, FileName),
		"command: [./port]\nknown: lists/known.yaml\nreports: [text, junit=out.xml, \"jsonl="+filepath.ToSlash(absolute)+"\"]\n")
	t.Chdir(filepath.Join(root, "a", "b"))
	file, err := Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	up := filepath.Join("..", "..")
	want := File{
		Command: []string{"./port"}, Known: filepath.Join(up, "lists/known.yaml"), Folder: up,
		Reports: []report.Target{
			{Format: "text"},
			{Format: "junit", Path: filepath.Join(up, "out.xml")},
			{Format: "jsonl", Path: filepath.FromSlash(filepath.ToSlash(absolute))},
		},
	}
	file.KnownAt = want.KnownAt
	if diff := cmp.Diff(want, file); diff != "" {
		t.Error(diff)
	}
	put(t, filepath.Join(root, FileName), "comand: [./port]\n")
	if _, err := Open(t.Context()); err == nil || !strings.Contains(err.Error(), FileName+" is wrong:\n") {
		t.Errorf("a wrong file: %v", err)
	}
}
