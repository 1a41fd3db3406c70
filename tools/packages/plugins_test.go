package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What docs/own-test-runner.md shows: the suite in pytest, and the file that runs it in vitest or node:test.
const (
	pytestCommands = `pytest my_port/loopstone.yaml
pytest my_port/loopstone.yaml -k 'HI-10 and not law'
pytest my_port/loopstone.yaml --last-failed
`
	suiteFile = `import { describe, test } from 'vitest'; // or 'node:test'
import { suite } from 'loopstone/suite';

suite({ describe, test, folder: 'my_port' });
`
)

// TestThePageShowsThePlugins as they are tested here.
func TestThePageShowsThePlugins(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/own-test-runner.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range []string{"```sh\n" + pytestCommands + "```\n", "```js\n" + suiteFile + "```\n"} {
		if !strings.Contains(string(page), block) {
			t.Errorf("the page does not show\n%s", block)
		}
	}
}

const failing = "history-window-of-one"

// checkPlugin runs the suite in a runner, by commands of which the first selects all tests, and the others a part with
// the failing one: on a port with a fault, and on a port that does not start.
func checkPlugin(t *testing.T, folder string, env []string, commands ...string) {
	t.Helper()
	port := filepath.Join(folder, "my_port")
	put(t, filepath.Join(port, "loopstone.yaml"), "command: [python3, my_port.py]\n")
	log := filepath.Join(port, "sessions")
	_ = os.Remove(log) // of another runner
	text, err := os.ReadFile(filepath.Join(port, "my_port.py"))
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(port, "my_port.py"), strings.Replace(string(text),
		"        self.counts = {}\n", "        self.counts = {}\n        open('sessions', 'a').write('one more\\n')\n", 1))
	out := ran(t, folder, env, 1, "sh", "-c", commands[0])
	for _, want := range []string{
		failing, "history-law-agreement", "protocol-initialize",
		"HI-10 MUST (D4#class): A call enters the window before it is judged.",
		"why      A port that counts before it forgets has a window that is one call too large.",
		"not checked: the port does not declare mitigations for history",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%s prints nothing of %q:\n%.4000s", commands[0], want, out)
		}
	}
	whole := lines(t, log)
	for _, command := range commands[1:] {
		out := ran(t, folder, env, 1, "sh", "-c", command)
		if n := lines(t, log); !strings.Contains(out, "FAILED "+failing+" (code)") || n == 0 || n > whole*3/4 {
			t.Errorf("%s: %d sessions, of %d in all:\n%.4000s", command, n, whole, out)
		}
	}
	checkKnown(t, folder, env, commands[0])
	put(t, filepath.Join(port, "loopstone.yaml"), "command: [python3, absent.py]\n")
	out = ran(t, folder, env, anyFailure, "sh", "-c", commands[0])
	if strings.Count(out, "the adapter is at fault: python3 absent.py exited at initialize") != 1 {
		t.Errorf("a port that does not start:\n%s", out)
	}
}

// checkKnown runs the suite with a list of known failures: they are no failures, and an entry that is out of date, which
// is about no test, is one.
func checkKnown(t *testing.T, folder string, env []string, command string) {
	t.Helper()
	port := filepath.Join(folder, "my_port")
	put(t, filepath.Join(port, "loopstone.yaml"), "command: [python3, my_port.py]\nknown: known.yaml\n")
	ran(t, folder, env, 0, "sh", "-c", command)
	known, err := os.ReadFile(filepath.Join(port, "known.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(port, "known.yaml"), string(known)+"  - {case: history-config-empty, reason: none}\n")
	out := ran(t, folder, env, 1, "sh", "-c", command)
	if !strings.Contains(out, "it passes now; delete the entry") || !strings.Contains(out, "the run as a whole") {
		t.Errorf("an entry of known failures that is out of date:\n%.4000s", out)
	}
	put(t, filepath.Join(port, "known.yaml"), string(known))
}

// lines returns how many lines a file has, and removes it.
func lines(t *testing.T, path string) int {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(string(text), "\n")
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// checkPytest runs the suite in pytest, with the plugin that the wheel has put into a folder.
func checkPytest(t *testing.T, folder string, env []string) {
	t.Helper()
	modules, err := filepath.Glob(filepath.Join(folder, "lib", "python3.*", "site-packages"))
	if err != nil || len(modules) != 1 {
		t.Fatalf("%v: %q", err, modules)
	}
	commands := strings.ReplaceAll(pytestCommands, "pytest ", "/usr/bin/python3 -m pytest -rs -v ")
	env = append(env, "PYTHONPATH="+modules[0], "PATH="+filepath.Join(folder, "bin")+":/usr/bin:/bin")
	list := strings.Split(strings.TrimSpace(commands), "\n")
	checkPlugin(t, folder, env, list...)
	if err := os.Remove(filepath.Join(folder, "bin", "loopstone")); err != nil {
		t.Fatal(err)
	}
	out := ran(t, folder, env, anyFailure, "sh", "-c", list[0])
	if !strings.Contains(out, "the program loopstone is not installed; pip install loopstone installs it") {
		t.Errorf("without the program:\n%s", out)
	}
}

// checkNode runs the suite in node:test and in vitest, with the module of the npm package in a folder.
func checkNode(t *testing.T, folder string, env []string) {
	t.Helper()
	put(t, filepath.Join(folder, "node.test.mjs"), strings.Replace(suiteFile, "'vitest'", "'node:test'", 1))
	start := "node --test --test-reporter=spec "
	checkPlugin(t, folder, env, start+"node.test.mjs", start+"--test-name-pattern="+failing+" node.test.mjs")
}

// checkVitest runs the suite in vitest, which make runners installs.
func checkVitest(t *testing.T, folder string, env []string) {
	t.Helper()
	modules := os.Getenv("LOOPSTONE_VITEST")
	if modules == "" {
		t.Log("vitest is not installed: make runners does that")
		return
	}
	installed, err := filepath.Glob(filepath.Join(modules, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, module := range append(installed, filepath.Join(modules, ".vite"), filepath.Join(modules, ".bin", "vitest")) {
		name, _ := filepath.Rel(modules, module)
		if err := os.Symlink(module, filepath.Join(folder, "node_modules", name)); err != nil && !os.IsExist(err) {
			t.Fatal(err)
		}
	}
	put(t, filepath.Join(folder, "suite.test.mjs"), suiteFile)
	start := "npx vitest run suite.test.mjs"
	checkPlugin(t, folder, env, start, start+" -t "+failing)
}
