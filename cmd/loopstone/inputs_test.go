//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// badInputs are files that a user may name by mistake: each with what the message says of it beside the path.
var badInputs = map[string]string{
	"pipe":   "no program wrote to this pipe", // or, of logs, that it is no regular file
	"folder": "it is a folder",
	"zero":   "it has more than",
	"huge":   "it has more than",
}

// TestEveryInputIsBounded names a pipe that nobody writes to, a folder, a device without an end and a file of 300 MB in
// place of each input: one message has the path, and where it is too long, the limit.
func TestEveryInputIsBounded(t *testing.T) {
	t.Parallel()
	study := filepath.Join("..", "..", "internal", "lab", "score", "testdata", "study")
	folder := t.TempDir()
	write(t, folder, "log.jsonl", `{"type":"message","role":"user","content":"hello"}`+"\n")
	for _, args := range [][]string{
		{"test", "--reference", "--known", "@"},
		{"fuzz", "--reference", "--known", "@", "--for", "1s"},
		{"verify", "@"},
		{"merge", "@"},
		{"merge", "--trend", "@", "@"},
		{"bench", "compare", "@", "@"},
		{"score", "--labels", "@", study},
		{"score", "--runs", "@", study},
		{"score", "--merge", "@"},
		{"tune", "--labels", "@", study},
		{"tune", "--rules", "@", study},
		{"witness", "@"},
		{"replay", "--detector", "history", "--config", "@", filepath.Join(folder, "log.jsonl")},
		{"label", "--agreement", "@", "@"},
		{"label", "--labeller", "ann", "--labels", filepath.Join(folder, "ann.jsonl"), "--runs", "@", study},
	} {
		for kind, want := range badInputs {
			if kind == "folder" && args[1] == "--agreement" { // which may be a corpus
				continue
			}
			t.Run(strings.Join(args, " ")+" "+kind, func(t *testing.T) {
				t.Parallel()
				expectRefused(t, args, badInput(t, kind), want)
			})
		}
	}
}

// TestLogsAndFoldersAreBounded does the same where a pipe makes no sense: logs, manifests, cases, labels to be continued.
func TestLogsAndFoldersAreBounded(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"replay", "@"},
		{"import", "@"},
		{"score", "@"},
		{"tune", "@"},
		{"score", "@/corpus.yaml"},
		{"label", "--labeller", "ann", "@/corpus.yaml"},
		{"test", "--reference", "--cases", "@/cases.yaml"},
		{"lint", "@/cases.yaml"},
		{"lint", "@/clauses.md"},
		{"label", "--labeller", "ann", "--labels", "@", filepath.Join("..", "..", "internal", "lab", "score", "testdata", "study")},
	} {
		for kind := range badInputs {
			if kind == "folder" && (args[len(args)-1] == "@" || strings.HasPrefix(args[len(args)-1], "@/c") && args[0] != "score" && args[0] != "label") {
				continue // a folder is what is wanted, or what is passed over
			}
			t.Run(strings.Join(args, " ")+" "+kind, func(t *testing.T) {
				t.Parallel()
				path, words := badInput(t, kind), []string{}
				for _, arg := range args {
					if folder, name, within := strings.Cut(arg, "@/"); within && folder == "" {
						below := filepath.Join(filepath.Dir(path), "below")
						if err := os.MkdirAll(below, 0o700); err != nil {
							t.Fatal(err)
						}
						if err := os.Rename(path, filepath.Join(below, name)); err != nil {
							t.Fatal(err)
						}
						path, arg = below, below
					}
					words = append(words, arg)
				}
				expectRefused(t, words, path, "")
			})
		}
	}
}

// expectRefused runs a command with a path in place of each @.
func expectRefused(t *testing.T, args []string, path, want string) {
	t.Helper()
	var words []string
	for _, arg := range args {
		if arg == "@" {
			arg = path
		}
		words = append(words, arg)
	}
	out, outcome := run(t, "", nil, words...)
	if outcome == conformance.Conformant || outcome == conformance.NotConformant || !says(out, want) ||
		!strings.Contains(out, filepath.Base(path)) || strings.Count(out, want) > 1 && want != "" {
		t.Errorf("%s, want one message about %s with %q:\n%.2000s", outcome, path, want, out)
	}
}

// badInput makes a bad input and returns its path. The huge file has no blocks on the disk.
func badInput(t *testing.T, kind string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), kind)
	var err error
	switch kind {
	case "pipe":
		err = syscall.Mkfifo(path, 0o600)
	case "folder":
		err = os.Mkdir(path, 0o700)
	case "zero":
		err = os.Symlink("/dev/zero", path)
	case "huge":
		if err = os.WriteFile(path, nil, 0o600); err == nil {
			err = os.Truncate(path, 300<<20)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}
