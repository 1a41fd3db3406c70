package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// own is a detector in a runner: the words of the test file that call it, and how the runner is started.
type own struct {
	as, selection string // --as, and the flags that choose the detector
	file          string
	changes       []string // pairs of words of the test file, and what stands in their place
	start         []string
	also          func(t *testing.T, folder string) // what the folder needs beside the exported files
}

// TestExportedTestsRunInTheirRunner runs the real runner on exported tests that call a detector of a kit: it passes them,
// and one planted fault fails the test with the right title first, which says the clause, the reason and the trace.
func TestExportedTestsRunInTheirRunner(t *testing.T) {
	long(t, "it starts the runners of three languages")
	t.Parallel()
	script := []string{
		"  throw new Error('call your detector in open()');",
		"  const { LoopDetector } = await import('" + inModule(t, "conformance", "adapters", "typescript", "composed.js") + "');\n" +
			"  const mine = new LoopDetector(config.rules);\n" +
			"  return { observe: (event) => mine.observe(event), reset: () => mine.reset() };",
	}
	for _, test := range []own{
		{"node", "--detector=@gemini-cli", "loopstone.test.mjs", script, []string{"node", "--test"}, nil},
		{"vitest", "--detector=@gemini-cli", "loopstone.test.mjs", script, []string{"npx", "vitest", "run"}, linkVitest},
		{"pytest", "--detector=@gemini-cli", "test_loopstone.py", []string{
			`raise NotImplementedError("call your detector in Detector")`,
			"import sys\n        sys.path.insert(0, \"" + kit(t) + "\")\n        from composed import LoopDetector\n" +
				"        self.mine = LoopDetector(config[\"rules\"])\n        self.reset = self.mine.reset",
			"\"count\": 3}.\"\"\"\n", "\"count\": 3}.\"\"\"\n        return self.mine.observe(event)\n",
		}, []string{"/usr/bin/python3", "-m", "pytest", "-q"}, nil},
		{"go", "--detector=@gemini-cli", "loopstone_test.go", []string{
			"\tt.Fatal(\"call your detector in open\")\n\treturn session{}\n",
			"\ts, err := reference.Port().Open(t.Context(), \"composed\", \"code\", spec.MustParse(string(config)))\n" +
				"\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n" +
				"\treturn session{reset: func() { _ = s.Reset(t.Context()) }, observe: func(event json.RawMessage) (v map[string]any) {\n" +
				"\t\tsaid, err := s.Observe(t.Context(), []spec.Value{spec.MustParse(string(event))})\n" +
				"\t\tif err != nil || json.Unmarshal(said[0].AppendJSON(nil), &v) != nil {\n\t\t\tt.Fatal(err)\n\t\t}\n" +
				"\t\treturn v\n\t}}\n",
			"\t\"testing\"\n", "\t\"testing\"\n\n\t\"github.com/loopstone/loopstone/reference\"\n\t\"github.com/loopstone/loopstone/spec\"\n",
		}, []string{"go", "test", "./..."}, addModule},
	} {
		t.Run(test.as, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(t.TempDir(), "tests")
			succeed(t, "export", "--as", test.as, test.selection, folder)
			if test.also != nil {
				test.also(t, folder)
			}
			text := read(t, filepath.Join(folder, test.file))
			for i := 0; i < len(test.changes); i += 2 {
				if strings.Count(text, test.changes[i]) != 1 {
					t.Fatalf("%s has not once %q", test.file, test.changes[i])
				}
				text = strings.Replace(text, test.changes[i], test.changes[i+1], 1)
			}
			write(t, folder, test.file, text)
			if out, exit := inRunner(t, folder, test.start); exit != 0 {
				t.Fatalf("a detector that conforms fails: %d\n%s", exit, out)
			}
			// The fault: a loop is reported at the sixth call, not at the fifth.
			data := read(t, filepath.Join(folder, "loopstone.json"))
			write(t, folder, "loopstone.json", strings.Replace(data, `"at":5,"severity"`, `"at":6,"severity"`, 1))
			out, exit := inRunner(t, folder, test.start)
			for _, want := range []string{
				"@gemini-cli-reaches-1", "CO-31: want loop true, got false", `The rule "cycle" reaches its rung "stop" after 5 events`,
				"why: A threshold that is off by one stops an agent at work, or lets a loop go on.", `5 {"type":`,
			} {
				if !strings.Contains(strings.ReplaceAll(out, `": `, `":`), want) || exit == 0 {
					t.Errorf("exit %d, want %q in\n%.3000s", exit, want, out)
				}
			}
			first, _, _ := strings.Cut(out[max(0, strings.Index(out, "CO-")):], ":")
			if first != "CO-31" {
				t.Errorf("the first failure is about %s", first)
			}
		})
	}
}

// TestThePageOfOwnRunners: the class of the page passes where it calls a sound detector, and one planted fault fails as
// the page shows.
func TestThePageOfOwnRunners(t *testing.T) {
	t.Parallel()
	const detector = `def plain(value):
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


class RepetitionDetector:
    def __init__(self, limit):
        self.limit, self.last, self.count = limit, None, 0

    def check(self, tool, args):
        call = tool, json.dumps(plain(args), sort_keys=True)
        self.last, self.count = call, self.count + 1 if call == self.last else 0
        found = self.count >= self.limit
        if found:
            self.last, self.count = None, 0
        return found
`
	page := read(t, inModule(t, "docs", "own-test-runner.md"))
	classes := blocksOf("py", page)
	_, rest, _ := strings.Cut(page, "one call late fails like this:\n\n```\n")
	shown, _, _ := strings.Cut(rest, "```")
	if len(classes) != 1 || shown == "" {
		t.Fatalf("the page has %d classes and shows %q", len(classes), shown)
	}
	folder := filepath.Join(t.TempDir(), "tests")
	succeed(t, "export", "--as", "pytest", "--detector", "@roo", folder)
	text := read(t, filepath.Join(folder, "test_loopstone.py"))
	before, rest, _ := strings.Cut(text, "class Detector:")
	_, after, _ := strings.Cut(rest, "\n\n\n")
	start := []string{"/usr/bin/python3", "-m", "pytest", "-q", "-x"}
	for _, test := range []struct {
		detector string
		exit     conformance.Outcome
		says     string
	}{{detector, 0, " passed"}, {strings.Replace(detector, ">= self.limit", "> self.limit", 1), 1, shown}} {
		write(t, folder, "test_loopstone.py", before+test.detector+"\n\n"+classes[0]+"\n\n"+after)
		out, exit := inRunner(t, folder, start)
		if rule := regexp.MustCompile("_{4,}"); exit != test.exit ||
			!strings.Contains(rule.ReplaceAllString(out, "_"), rule.ReplaceAllString(test.says, "_")) {
			t.Errorf("exit %d, want %d and %q in\n%.2000s", exit, test.exit, test.says, out)
		}
	}
}

func inRunner(t *testing.T, folder string, start []string) (string, conformance.Outcome) {
	t.Helper()
	command := exec.Command(start[0], start[1:]...)
	command.Dir = folder
	command.Env = append(os.Environ(), "NO_COLOR=1", "GOFLAGS=-mod=mod")
	return ended(t, command)
}

// linkVitest gives the folder the vitest that make runners has installed.
func linkVitest(t *testing.T, folder string) {
	t.Helper()
	modules := os.Getenv("LOOPSTONE_VITEST")
	if modules == "" {
		t.Skip("vitest is not installed: make runners does that")
	}
	if err := os.Symlink(modules, filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
}

// addModule makes the folder a module that uses this one.
func addModule(t *testing.T, folder string) {
	t.Helper()
	write(t, folder, "go.mod", "module example.com/mine\n\ngo 1.26\n\nrequire github.com/loopstone/loopstone v0.0.0\n\n"+
		"replace github.com/loopstone/loopstone => "+inModule(t)+"\n")
	write(t, folder, "go.sum", read(t, inModule(t, "go.sum")))
}

// TestExportedTestsAreWrittenAgain: the same command gives the same bytes, and leaves the user's file as it is.
func TestExportedTestsAreWrittenAgain(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "tests")
	args := []string{"export", "--as", "pytest", "--detector", "history", "--reading", "code", folder}
	succeed(t, args...)
	data := read(t, filepath.Join(folder, "loopstone.json"))
	write(t, folder, "test_loopstone.py", "mine")
	write(t, folder, "loopstone.json", data[:len(data)/2])
	out, outcome := run(t, folder, nil, args...)
	if outcome != conformance.Conformant || !strings.Contains(out, "is there already, and stays as it is") {
		t.Errorf("%s:\n%s", outcome, out)
	}
	if read(t, filepath.Join(folder, "loopstone.json")) != data || read(t, filepath.Join(folder, "test_loopstone.py")) != "mine" {
		t.Error("the data are not those of the first time, or the user's file has changed")
	}
	write(t, folder, "loopstone.json", "{}")
	if out, outcome := run(t, folder, nil, args...); outcome != conformance.Usage || read(t, filepath.Join(folder, "loopstone.json")) != "{}" {
		t.Errorf("somebody else's file: %s:\n%s", outcome, out)
	}
}

// TestExportSaysWhatIsMistyped: each mistake is named with what would be right.
func TestExportSaysWhatIsMistyped(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ args, says string }{
		{"--as vitst --detector @roo", `did you mean "vitest"?`},
		{"--as vitest", "say whose tests, as in --detector @roo"},
		{"--as vitest --detector @rooo", `did you mean "@roo"?`},
		{"--as vitest --detector histori", `did you mean "history"?`},
		{"--as vitest --detector crow", "crow has the readings code, text; choose one with --reading"},
		{"--detector history", "--detector and --reading are for --as"},
	} {
		folder := filepath.Join(t.TempDir(), "tests")
		out, outcome := run(t, "", nil, append(append([]string{"export"}, strings.Fields(test.args)...), folder)...)
		if outcome != conformance.Usage || !strings.Contains(out, test.says) {
			t.Errorf("%s: %s, want %q in\n%s", test.args, outcome, test.says, out)
		}
		if _, err := os.Stat(folder); err == nil {
			t.Errorf("%s: %s is there", test.args, folder)
		}
	}
}
