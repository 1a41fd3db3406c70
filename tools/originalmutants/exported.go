package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// In a workplace, the folder of the tests that loopstone export writes for the runner of the project.
const exportedFolder = "exported"

// callJavaScript stands in open() of the exported tests, callPython in the class Detector.
const (
	callJavaScript = `  const { classes } = await import('../port.mjs');
  const mine = new (classes.find((one) => one.detector === detector))();
  return { observe: (event) => mine.observe(event), reset: () => mine.reset() };`
	callPython = `import importlib.util
        import sys
        port = sys.modules.get("port_of_original")
        if port is None:  # once: what it stands in for is known by its classes
            folder = pathlib.Path(__file__).parent.parent
            sys.path.insert(0, str(folder))
            spec = importlib.util.spec_from_file_location("port_of_original", folder / "%s.py")
            port = sys.modules["port_of_original"] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(port)
        [mine] = [c for c in vars(port).values() if getattr(c, "detector", "") == detector]
        self.mine = mine(reading, config)
        self.reset = self.mine.reset`
)

// layExported lays the exported tests of the original's profiles into the workplace, with the calls of its port. The
// tests are not there if the runner is not: then hasExported stays false.
func (w *workplace) layExported(ctx context.Context) error {
	runner, file := "vitest", "loopstone.test.mjs"
	changes := []string{"  throw new Error('call your detector in open()');", callJavaScript}
	if w.isPython() {
		if exec.CommandContext(ctx, w.tools.python, "-c", "import pytest").Run() != nil {
			return ctx.Err()
		}
		runner, file = "pytest", "test_loopstone.py"
		changes = []string{
			`raise NotImplementedError("call your detector in Detector")`, fmt.Sprintf(callPython, w.module()),
			"\"count\": 3}.\"\"\"\n", "\"count\": 3}.\"\"\"\n        return self.mine.observe(event)\n",
			"MEMBERS = []", `MEMBERS = ["rung"]`,
		}
	}
	folder := filepath.Join(w.folder, exportedFolder)
	args := []string{"export", "--as", runner}
	for _, id := range w.profiles {
		args = append(args, "--detector", string(id))
	}
	if out, err := exec.CommandContext(ctx, w.tools.loopstone, append(args, folder)...).CombinedOutput(); err != nil {
		return fmt.Errorf("loopstone export: %w\n%s", err, out)
	}
	path := filepath.Join(folder, file)
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for i := 0; i < len(changes); i += 2 {
		if !strings.Contains(string(text), changes[i]) {
			return fmt.Errorf("%s has not %q", file, changes[i])
		}
	}
	w.hasExported = true
	return os.WriteFile(path, []byte(strings.NewReplacer(changes...).Replace(string(text))), 0o600)
}

// failsExported reports whether the exported tests find something wrong with what is planted.
func (w *workplace) failsExported(ctx context.Context) (bool, error) {
	limited, cancel := context.WithTimeout(ctx, 3*patience) // a mutant may hang
	defer cancel()
	name, args := w.tools.python, []string{"-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", exportedFolder}
	if !w.isPython() {
		name, args = filepath.Join(w.tools.modules, ".bin", "vitest"),
			[]string{"run", "--bail=1", "--pool=threads", "--reporter=dot", exportedFolder}
	}
	run := exec.CommandContext(limited, name, args...)
	run.Dir = w.folder
	out, err := run.CombinedOutput()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		return false, fmt.Errorf("run the exported tests of %s: %w\n%s", w.name, err, out)
	}
	return err != nil, ctx.Err()
}
