package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/adapters"
	"github.com/loopstone/loopstone/spec"
)

// recipe is a whole port in docs/recipes.md: its first line names its file.
var recipe = regexp.MustCompile("(?s)```(python|ts)\n(?:#|//) ([a-z_]+\\.[a-z]+)\n(.*?)\n```")

// recipes returns the ports of the page by the names of their files.
func recipes(t *testing.T) map[string]string {
	t.Helper()
	ports := map[string]string{}
	for _, m := range recipe.FindAllStringSubmatch(read(t, filepath.Join("..", "..", "docs", "recipes.md")), -1) {
		ports[m[2]] = m[3] + "\n"
	}
	return ports
}

// TestRecipesConform: each recipe declares what it has, and gets all of what is asked, over the real pipe. With one fault
// it fails, and the clause of that fault is named first.
func TestRecipesConform(t *testing.T) {
	t.Parallel()
	tests := []struct {
		port       string
		sound, bad string // a piece of the port, and the same with a fault
		clause     string // that the fault breaks
		why        string
	}{
		{
			"yes_or_no.py", "        if event[", "        if event[\"type\"] == \"tool_result\":\n            self.reset()\n        if event[",
			"FP-23", "a result ends the run of calls",
		},
		{"fork.mts", "this.turns(period) >= 5", "this.turns(period) >= 4", "CO-31", "the threshold is off by one"},
		{"records.py", `if "call" not in event and`, "if", "CR-32", "an outcome goes to a call that it does not name"},
	}
	ports := recipes(t)
	if len(ports) != len(tests) {
		t.Errorf("the page has %d recipes, %d are tested", len(ports), len(tests))
	}
	detectors := "" // without the protocol, whose cases start a port many times
	for _, d := range spec.Detectors() {
		detectors += string(d.ID) + ","
	}
	detectors = strings.TrimSuffix(detectors, ",")
	for _, test := range tests {
		t.Run(test.port, func(t *testing.T) {
			t.Parallel()
			sound := ports[test.port]
			if strings.Count(sound, test.sound) != 1 {
				t.Fatalf("%q does not stand once in the recipe:\n%s", test.sound, sound)
			}
			detectors := detectors
			if strings.Contains(sound, `"@`) { // its detector is a profile
				detectors = "@*"
			}
			var whole []string
			if testing.Short() { // make long asks the laws, too
				whole = []string{"--detector", detectors, "--no-properties"}
			}
			if out, outcome := judgeRecipe(t, test.port, sound, whole...); outcome != conformance.Conformant {
				t.Errorf("the recipe is %s:\n%s", outcome, out)
			}
			out, outcome := judgeRecipe(t, test.port, strings.Replace(sound, test.sound, test.bad, 1), "--no-properties", "--detector", detectors)
			if outcome != conformance.NotConformant || !strings.HasPrefix(firstClause(out), test.clause+" ") {
				t.Errorf("%s: it is %s by %q, want %s first:\n%s", test.why, outcome, firstClause(out), test.clause, out)
			}
		})
	}
}

// judgeRecipe puts a port beside its kit, as its author does, and judges it.
func judgeRecipe(t *testing.T, name, text string, flags ...string) (string, conformance.Outcome) {
	t.Helper()
	folder := t.TempDir()
	for _, starter := range adapters.Starters() {
		files, err := starter.Files()
		if err != nil {
			t.Fatal(err)
		}
		for file, content := range files {
			if strings.HasPrefix(file, "loopstone.") {
				write(t, folder, file, string(content))
			}
		}
	}
	path := write(t, folder, name, text)
	program := "node"
	switch filepath.Ext(name) {
	case ".py":
		program = "python3"
	case ".mts":
		path = compiled(t, path)
	}
	needs(t, program)
	return run(t, folder, []string{"--", program, path}, append([]string{"test"}, flags...)...)
}

// compiling is how the page compiles a recipe and tests it.
var compiling = regexp.MustCompile("```sh\nnpx -p typescript@(\\S+) tsc (.*) (\\w+)\\.mts\nloopstone test -- node (\\w+)\\.mjs\n```")

// compiled returns the program that the TypeScript compiler makes of a file by the page's command. `make types` installs
// the compiler.
func compiled(t *testing.T, path string) string {
	t.Helper()
	m := compiling.FindStringSubmatch(read(t, filepath.Join("..", "..", "docs", "recipes.md")))
	if name := strings.TrimSuffix(filepath.Base(path), ".mts"); m == nil || m[3] != name || m[4] != name {
		t.Fatalf("the page does not say how to compile and test %s", filepath.Base(path))
	}
	kit := read(t, inModule(t, "conformance", "adapters", "typescript", "package.json"))
	if !strings.Contains(kit, `"typescript": "`+m[1]+`"`) {
		t.Errorf("the page compiles with TypeScript %s, the kit with another:\n%s", m[1], kit)
	}
	compiler := inModule(t, "conformance", "adapters", "typescript", "node_modules", ".bin", "tsc")
	if _, err := os.Stat(compiler); err != nil {
		if compiler, err = exec.LookPath("tsc"); err != nil {
			t.Skip("the compiler of TypeScript is not on this machine; make types installs it")
		}
	}
	command := exec.Command(compiler, append(strings.Fields(m[2]), filepath.Base(path))...)
	command.Dir = filepath.Dir(path)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return strings.TrimSuffix(path, ".mts") + ".mjs"
}

var clauseLine = regexp.MustCompile(`(?m)^ *clause +(.*)$`)

// firstClause returns the clause that a report names first.
func firstClause(report string) string {
	m := clauseLine.FindStringSubmatch(report)
	if m == nil {
		return ""
	}
	return m[1]
}
