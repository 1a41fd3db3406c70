package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/adapters"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// TestInitMapsTheEventsOfAnyDetector: the port takes the settings and events of the detector, and fails for nothing else
// than that it finds no loop.
func TestInitMapsTheEventsOfAnyDetector(t *testing.T) {
	t.Parallel()
	ids := lists.Map(spec.Detectors(), func(d spec.Definition) string { return string(d.ID) })
	for _, id := range append(ids, "@openhands", "@crush") {
		for _, language := range []string{"python", "typescript"} {
			t.Run(id+" "+language, func(t *testing.T) {
				t.Parallel()
				if testing.Short() && id != "stream" && id != "@crush" {
					t.Skip("make long judges what init writes for each detector")
				}
				starter, err := starterOf(language, spec.DetectorID(id))
				if err != nil {
					t.Fatal(err)
				}
				needs(t, starter.Command)
				folder := t.TempDir()
				succeed(t, "init", "--detector", id, language, folder)
				judgeEmpty(t, folder, spec.DetectorID(id), starter)
			})
		}
	}
}

func judgeEmpty(t *testing.T, folder string, detector spec.DetectorID, starter adapters.Starter) {
	t.Helper()
	port := append([]string{"--", "sh", "-c", `cd "$0" && exec "$@"`, folder}, strings.Fields(starter.Command)...)
	out, outcome := run(t, folder, port, "test", "--detector", string(detector), "--no-properties", "--verbose")
	if outcome != conformance.NotConformant {
		t.Errorf("test is %s, want not conformant:\n%s", outcome, out)
	}
	for failure := range strings.SplitSeq(out, "FAILED ") {
		if strings.Contains(failure, "problem") && !strings.Contains(failure, "- loop: true\n") && !strings.Contains(failure, `- kind: "`) {
			t.Errorf("it fails for something else than a loop that it did not find:\n%s", failure)
		}
	}
}

// TestTheWorkflowInstallsWhatThereIs: a program that was built from a checkout has no version that could be installed.
func TestTheWorkflowInstallsWhatThereIs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reason    string
		isRelease bool
		revision  string
		want      string
	}{
		{"a release", true, "c66c5973", "v" + spec.Version},
		{"a commit", false, "c66c5973", "c66c5973"},
		{"built without version control", false, "", "main"},
	} {
		if got := installed(test.isRelease, test.revision); got != test.want {
			t.Errorf("%s: got %s, want %s", test.reason, got, test.want)
		}
	}
	folder := t.TempDir()
	succeed(t, "init", "--bare", folder, "--", "perl", "x.pl")
	workflow := read(t, folder+"/.github/workflows/conformance.yml")
	if strings.Contains(workflow, "@v"+spec.Version) {
		t.Errorf("this test runs no release, and the workflow installs one:\n%s", workflow)
	}
}

// TestTheFirstPortHasOneFault: in a language that needs nothing more than this machine has.
func TestTheFirstPortHasOneFault(t *testing.T) {
	t.Parallel()
	long(t, "first ports in each language")
	for language, program := range map[string]string{"python": "python3", "typescript": "node", "go": "go"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			needs(t, program)
			judgeFirstPort(t, language)
		})
	}
}

// judgeFirstPort runs what docs/test-a-detector.md shows: the folder that init writes says how the port is started.
func judgeFirstPort(t *testing.T, language string) {
	t.Helper()
	folder := t.TempDir()
	succeed(t, "init", language, folder)
	if out, outcome := tool(t, folder, "test", "--verbose"); outcome != conformance.NotConformant || !says(out, "clause HI-10") {
		t.Errorf("the port with a fault is %s:\n%s", outcome, out)
	}
	if out, outcome := tool(t, folder, "test", "--known", "known.yaml"); outcome != conformance.Conformant {
		t.Errorf("with its known failures it is %s:\n%s", outcome, out)
	}
}

// TestInitInALanguageThatIsBuilt: what init writes is built as it stands. Where the compiler and what the port needs are
// installed, LOOPSTONE_BUILT names the language; `make rust` and its like install them and set it.
func TestInitInALanguageThatIsBuilt(t *testing.T) {
	language := os.Getenv("LOOPSTONE_BUILT")
	if language == "" {
		t.Skip("LOOPSTONE_BUILT names no language; make rust and its like do")
	}
	t.Setenv("CARGO_TARGET_DIR", t.TempDir()) // the crates are built once
	t.Run("the first port", func(t *testing.T) { judgeFirstPort(t, language) })
	for _, d := range spec.Detectors() {
		t.Run(string(d.ID), func(t *testing.T) {
			starter, err := starterOf(language, d.ID)
			if err != nil {
				t.Fatal(err)
			}
			folder := t.TempDir()
			succeed(t, "init", "--detector", string(d.ID), language, folder)
			judgeEmpty(t, folder, d.ID, starter)
		})
	}
}

// TestInitNamesTheLibraryThatIsNotInstalled: javac prints hundreds of lines, none of which says what to install.
func TestInitNamesTheLibraryThatIsNotInstalled(t *testing.T) {
	long(t, "it starts each starter without its library")
	if runtime.GOOS == "windows" {
		t.Skip("the compiler of this test is a script of sh")
	}
	bin := t.TempDir()
	compiler := "for i in $(seq 100); do echo \"Loopstone.java:$i: error: package com.google.gson does not exist\"; done; exit 1"
	if javac, err := exec.LookPath("javac"); err == nil { // as on a machine without Gson: nothing else is on the class path
		compiler = wording.Shell(javac) + " -d classes Loopstone.java"
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, test := range []struct{ compiler, want string }{
		{
			compiler,
			"loopstone init: the port is written, but not ready: javac finds no Gson 2.10 or later\n" +
				"  install it in FOLDER: sudo apt-get install -y libgoogle-gson-java, or save its jar as lib/gson.jar\n" +
				"  then: cd FOLDER && javac @java.args -d classes Loopstone.java && loopstone test\n",
		},
		{
			"seq 500; exit 3",
			"loopstone init: the port is written, but not ready: javac @java.args -d classes Loopstone.java: exit status 3\n    " +
				strings.Join(strings.Fields("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19"), "\n    ") +
				"\n    … and 481 more lines\n",
		},
	} {
		if err := os.WriteFile(filepath.Join(bin, "javac"), []byte("#!/bin/sh\n"+test.compiler+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		folder := filepath.Join(t.TempDir(), "port")
		out, outcome := run(t, "", nil, "init", "java", folder)
		if out = strings.ReplaceAll(out, folder, "FOLDER"); out != test.want || outcome != conformance.AdapterFault {
			t.Errorf("%s:\n got %s\nwant %s", outcome, out, test.want)
		}
	}
}
