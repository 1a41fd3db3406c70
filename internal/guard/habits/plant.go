package habits

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A workplace is a copy of the ports that faults are planted in, one at a time.
type workplace struct{ folder, python string }

// newWorkplace copies the ports.
func newWorkplace(adapters, folder string) (workplace, error) {
	for _, language := range []string{"python", "typescript"} {
		if err := os.CopyFS(filepath.Join(folder, language), os.DirFS(filepath.Join(adapters, language))); err != nil {
			return workplace{}, fmt.Errorf("copy the ports: %w", err)
		}
	}
	// What is called python3 may be a script that looks for one, which takes longer than a port.
	python, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		return workplace{}, fmt.Errorf("find Python: %w", err)
	}
	return workplace{folder, strings.TrimSpace(string(python))}, nil
}

// with plants a fault, calls the function, and takes the fault away.
func (w workplace) with(f fault, do func() error) error {
	path := filepath.Join(w.folder, f.file)
	sound, err := os.ReadFile(path)
	if err != nil {
		return f.place.Problemf("%v", err)
	}
	if n := strings.Count(string(sound), f.old); n != 1 || f.old == f.new {
		return f.place.Problemf("old: stands %d times in %s, want once, and another text as new", n, f.file)
	}
	if err := replace(path, strings.Replace(string(sound), f.old, f.new, 1), planted); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	return replace(path, string(sound), removed)
}

// Python takes a compiled file for that of a source with its time, in seconds, and its size. So the two differ in time.
var (
	planted = time.Unix(1_000_000_000, 0)
	removed = time.Unix(1_100_000_000, 0)
)

func replace(path, text string, changed time.Time) error {
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return fmt.Errorf("plant a fault: %w", err)
	}
	return os.Chtimes(path, changed, changed)
}

// command returns the command of the port that a fault is planted in.
func (w workplace) command(f fault) (program, script string) {
	if strings.HasPrefix(f.file, "python/") {
		return w.python, filepath.Join(w.folder, "python", "ports", "all.py")
	}
	return "node", filepath.Join(w.folder, "typescript", "ports", "all.js")
}
