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
type workplace struct {
	folder  string
	python  string
	changed time.Time // of the file that was changed last
}

// newWorkplace copies the ports.
func newWorkplace(adapters, folder string) (*workplace, error) {
	for _, l := range languages {
		if err := l.copyTo(adapters, folder); err != nil {
			return nil, err
		}
	}
	// What is called python3 may be a script that looks for one, which takes longer than a port.
	python, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		return nil, fmt.Errorf("find Python: %w", err)
	}
	return &workplace{folder, strings.TrimSpace(string(python)), time.Now().Add(time.Hour)}, nil
}

// with plants a fault, calls the function, and takes the fault away.
func (w *workplace) with(f fault, do func() error) error {
	path := filepath.Join(w.folder, f.file)
	sound, err := os.ReadFile(path)
	if err != nil {
		return f.place.Problemf("%v", err)
	}
	if n := strings.Count(string(sound), f.old); n != 1 || f.old == f.new {
		return f.place.Problemf("old: occurs %d times in %s, want once, and another text as new", n, f.file)
	}
	if err := w.replace(path, strings.Replace(string(sound), f.old, f.new, 1)); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	return w.replace(path, string(sound))
}

// replace gives each text a time of its own. Python takes a compiled file for that of a source with its time, in
// seconds, and its size; Cargo builds what is later than the last build, as these times, in the future, always are.
func (w *workplace) replace(path, text string) error {
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return fmt.Errorf("plant a fault: %w", err)
	}
	w.changed = w.changed.Add(time.Second)
	return os.Chtimes(path, w.changed, w.changed)
}
