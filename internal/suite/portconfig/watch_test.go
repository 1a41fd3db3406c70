package portconfig

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func names(t *testing.T, root string, paths []string) []string {
	t.Helper()
	var list []string
	for _, path := range paths {
		name, err := filepath.Rel(root, path)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, filepath.ToSlash(name))
	}
	return list
}

// TestChangesAreToldOnce changes files while somebody waits, and while nobody does. What is not to be
// told changes before what is.
func TestChangesAreToldOnce(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	put(t, at("port.py"), "1")
	put(t, at("gone.py"), "1")
	put(t, at("said.txt"), "1")
	open, err := os.Stat(at("said.txt"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := OpenWatch(root, open)
	if err != nil {
		t.Fatal(err)
	}
	for _, round := range []struct {
		reason string
		waits  bool // while the files change
		change func()
		want   []string
	}{
		{"a file is another, one has gone, one is new", true, func() {
			put(t, at("port.py"), "22")
			if err := os.Remove(at("gone.py")); err != nil {
				t.Fatal(err)
			}
			put(t, at("new.py"), "1")
		}, []string{"gone.py", "new.py", "port.py"}},
		{"in a folder that is new", false, func() { put(t, at("lib/rules.py"), "1") }, []string{"lib/rules.py"}},
		{"in a folder that was new", true, func() { put(t, at("lib/rules.py"), "22") }, []string{"lib/rules.py"}},
		{"what tools write is no change", false, func() {
			put(t, at(".git/index"), "1")
			put(t, at("__pycache__/port.pyc"), "1")
			put(t, at("lib/node_modules/a/index.js"), "1")
			put(t, at("port.py"), "333")
		}, []string{"port.py"}},
		{"what the caller writes is none either", false, func() {
			f.Ignore([]string{at("out.xml")})
			put(t, at("out.xml"), "1")
			put(t, at("said.txt"), "22")
			put(t, at("port.log"), "1")
			put(t, at("port.py"), "4444")
		}, []string{"port.py"}},
	} {
		told := make(chan []string)
		ctx, end := context.WithCancel(t.Context())
		wait := func() {
			go func() {
				changed, err := f.Changed(ctx)
				if err != nil && ctx.Err() == nil {
					t.Error(err)
				}
				told <- changed
			}()
		}
		if round.waits {
			wait()
			round.change()
		} else {
			round.change()
			wait()
		}
		var got []string
		for len(got) < len(round.want) { // a busy machine may take so long for the changes that they are told apart
			got = append(got, names(t, root, <-told)...)
			wait()
		}
		end()
		<-told
		slices.Sort(got)
		if diff := cmp.Diff(round.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", round.reason, diff)
		}
	}
}
