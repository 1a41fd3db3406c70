package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/conformance"
)

// eachCommand calls check with every command that there is.
func eachCommand(t *testing.T, check func(t *testing.T, c *cobra.Command)) {
	t.Helper()
	root, _ := newRoot(&streams{}, nil)
	todo := root.Commands()
	for len(todo) > 0 {
		c := todo[0]
		todo = append(todo[1:], c.Commands()...)
		t.Run(c.CommandPath(), func(t *testing.T) { check(t, c) })
	}
}

// TestEveryCommandHasHelp: usage, examples that name only flags that there are, and flags that say what they are for.
func TestEveryCommandHasHelp(t *testing.T) {
	t.Parallel()
	eachCommand(t, func(t *testing.T, c *cobra.Command) {
		out, outcome := run(t, "", nil, append(strings.Fields(c.CommandPath())[1:], "--help")...)
		if outcome != conformance.Conformant || !strings.Contains(out, "\nUsage:\n  "+c.UseLine()+"\n") {
			t.Errorf("%s:\n%s", outcome, out)
		}
		if c.Name() != "help" && !strings.Contains(out, "\nExamples:\n") {
			t.Error("there is no example")
		}
		for line := range strings.Lines(c.Example) {
			if strings.HasPrefix(strings.TrimSpace(line), "#") {
				continue
			}
			before, _, _ := strings.Cut(line, " -- ")
			for _, word := range strings.Fields(before) {
				if name, ok := strings.CutPrefix(word, "--"); ok && name != "version" && !slices.Contains(flagsOf(c), name) {
					t.Errorf("there is no flag %s, in the example %s", word, line)
				}
			}
		}
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" || strings.HasPrefix(f.Name, "rapid.") {
				t.Errorf("the flag %s says nothing, or is no flag of ours", f.Name)
			}
		})
	})
}

// TestHelpIsComplete: each exit code has a line, and each command stands in one group, whose example is one of its calls.
func TestHelpIsComplete(t *testing.T) {
	t.Parallel()
	out, _ := run(t, "", nil, "help")
	for code := conformance.Conformant; code <= nobodyReads; code++ {
		named := strings.Contains(out, fmt.Sprintf("\n  %-3d ", code))
		if exists := code.String() != conformance.Usage.String() || code == conformance.Usage || code == nobodyReads; exists != named {
			t.Errorf("exit code %d: it exists: %v, help names it: %v", code, exists, named)
		}
	}
	root, _ := newRoot(&streams{}, nil)
	for _, c := range root.Commands() {
		if n := strings.Count(out, fmt.Sprintf("\n  %-14s %s\n", c.Name(), c.Short)); n != 1 {
			t.Errorf("help names %s %d times", c.Name(), n)
		}
	}
	for _, g := range groups() {
		word, _, _ := strings.Cut(g.example, " ")
		if !slices.ContainsFunc(g.commands, func(c command) bool { return c.name == word }) {
			t.Errorf("%s: its example is %s", g.heading, g.example)
		}
	}
}

// TestASecondPortIsNamedInOneWay: the commands with two ports have --against, and refuse what they took before.
func TestASecondPortIsNamedInOneWay(t *testing.T) {
	t.Parallel()
	for _, name := range twoPorts {
		root, _ := newRoot(&streams{}, nil)
		c, _, err := root.Find([]string{name})
		if err != nil || !slices.Contains(flagsOf(c), "against") || !strings.Contains(c.Use, "[--against COMMAND…]") {
			t.Errorf("%s has no --against: %v", name, err)
		}
	}
	try(t, t.TempDir(), []invocation{
		{"bench", nil, []string{"bench", "--", "a", "--vs", "b"}, conformance.Usage, "--vs is now --against"},
		{"score", nil, []string{"score", "corpus", "--", "a", "--", "b"}, conformance.Usage, "write --against OLD… -- NEW…"},
	})
}

// TestCompletion: commands, flags and ids, as the scripts of the shells ask for them.
func TestCompletion(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ typed, want string }{
		{"che", "check-adapter"},
		{"test --no-p", "--no-properties"},
		{"test --case history-third-", "history-third-identical-call"},
		{"test --case crow-nothing,history-third-", "crow-nothing,history-third-identical-call"},
		{"test --clause HI-1", "HI-10"},
		{"fuzz --detector sw", "swarm"},
		{"show HI-", "HI-6"},
		{"show history-third-", "history-third-identical-call"},
		{"show D2-", "D2-9"},
		{"list cl", "clauses"},
		{"init py", "python"},
		{"init ru", "rust"},
		{"show @ro", "@roo"},
		{"witness @ro", "@roo"},
		{"differ history @ro", "@roo"},
		{"replay --detector history,@ro", "history,@roo"},
		{"score --detector @ro", "@roo"},
		{"test --report ju", "junit"},
		{"--color al", "always"},
		{"completion z", "zsh"},
	} {
		out, outcome := run(t, "", nil, append([]string{"__complete"}, strings.Fields(test.typed)...)...)
		var offered []string
		for line := range strings.Lines(out) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			offered = append(offered, word)
		}
		if outcome != conformance.Conformant || !slices.Contains(offered, test.want) {
			t.Errorf("%s: %s, and no %s in\n%s", test.typed, outcome, test.want, out)
		}
		words := strings.Fields(test.typed)
		for _, word := range offered[:max(0, len(offered)-2)] {
			if !strings.HasPrefix(word, words[len(words)-1]) {
				t.Errorf("%s: offers %q", test.typed, word)
			}
		}
	}
}

// TestManualPages: one for each command, twice the same, and without a warning of the formatter where there is one.
func TestManualPages(t *testing.T) {
	long(t, "a page for each command")
	t.Parallel()
	folder, again := t.TempDir(), t.TempDir()
	for _, each := range []string{folder, again} {
		succeed(t, "man", each)
	}
	eachCommand(t, func(t *testing.T, c *cobra.Command) {
		name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
		page := read(t, filepath.Join(folder, name))
		if page != read(t, filepath.Join(again, name)) {
			t.Error("the page is another one the second time")
		}
		if !strings.Contains(page, "SYNOPSIS") || !strings.Contains(page, ".TH") {
			t.Errorf("this is no manual page:\n%s", page)
		}
		if _, err := exec.LookPath("man"); err != nil {
			return
		}
		format := exec.Command("man", "--warnings", "-l", filepath.Join(folder, name))
		format.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "MANPAGER=cat")
		var said strings.Builder
		format.Stderr = &said
		if err := format.Run(); err != nil || said.Len() > 0 {
			t.Errorf("man: %v\n%s", err, said.String())
		}
	})
}

// TestNothingIsOverwritten: if a file or a link has the name of one to be written, it stays, and nothing is written.
func TestNothingIsOverwritten(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		args []string
	}{
		{"loopstone-test.1", []string{"man", "@/out"}},
		{"README.md", []string{"init", "python", "@/out"}},
		{"adapter.txt", []string{"init", "--bare", "@/out", "--", "perl", "port.pl"}},
	} {
		for kind, put := range map[string]func(old, new string) error{"a file": os.Link, "a link": os.Symlink} {
			folder := t.TempDir()
			out := filepath.Join(folder, "out")
			notes, taken := write(t, folder, "notes", "precious"), filepath.Join(out, test.name)
			if err := errors.Join(os.Mkdir(out, 0o755), put(notes, taken)); err != nil {
				t.Fatal(err)
			}
			said, outcome := run(t, folder, nil, test.args...)
			if outcome != conformance.Usage || !strings.Contains(said, taken+" is there already; nothing was written") {
				t.Errorf("%s, %s: got %s:\n%s", test.name, kind, outcome, said)
			}
			if entries, err := os.ReadDir(out); err != nil || len(entries) != 1 || read(t, notes) != "precious" {
				t.Errorf("%s, %s: it holds %.40q, beside %v, %v", test.name, kind, read(t, notes), entries, err)
			}
		}
	}
}

// TestWhereAStarterCannotBe: a folder that is none is the call's fault, and so are two detectors.
func TestWhereAStarterCannotBe(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, "notes", "precious")
	try(t, folder, []invocation{
		{"a file", nil, []string{"init", "python", "@/notes"}, conformance.NotDecided, "is no folder"},
		{"no name", nil, []string{"init", "python", ""}, conformance.Usage, `"" is no folder`},
		{
			"a detector and a profile", nil,
			[]string{"init", "--detector", "history", "--profile", "@roo", "python", "@/out"},
			conformance.Usage, "leave out one of",
		},
	})
	if err := os.Mkdir(filepath.Join(folder, "rusty"), 0o755); err != nil {
		t.Fatal(err)
	}
	src := write(t, folder, "rusty/src", "a file in place of a folder")
	said, outcome := run(t, folder, nil, "init", "--detector", "history", "rust", "@/rusty")
	entries, err := os.ReadDir(filepath.Dir(src))
	left := slices.DeleteFunc(entries, func(e os.DirEntry) bool { return e.IsDir() })
	if outcome != conformance.NotDecided || err != nil || len(left) != 1 {
		t.Errorf("%s, %v, %v:\n%s", outcome, left, err, said)
	}
	if got := enter("-x"); got != "cd ./-x" {
		t.Errorf("a folder named as an option is: %s", got)
	}
}

// TestWhereFlagsStand: long flags with one dash, before and after words, but never behind --.
func TestWhereFlagsStand(t *testing.T) {
	t.Parallel()
	try(t, t.TempDir(), []invocation{
		{"with one dash", nil, []string{"list", "cases", "-detector", "history"}, conformance.Conformant, ""},
		{"with one dash and =", nil, []string{"list", "cases", "-detector=history"}, conformance.Conformant, ""},
		{"behind a word", nil, []string{"list", "cases", "--detector", "history"}, conformance.Conformant, ""},
		{"before it", nil, []string{"list", "--detector", "history", "cases"}, conformance.Conformant, ""},
		{"behind --, where it is a word", nil, []string{"list", "cases", "--", "--detector", "history"}, conformance.Usage, ""},
		{"of the port's command", with(referencePort(t), "--swarm", "x"), []string{"check-adapter"}, conformance.AdapterFault, ""},
	})
}
