package report

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/loopstone/loopstone/conformance"
)

// Target says in which format a report is wanted, and where.
type Target struct {
	Format string
	Path   string // of a file; empty for standard output
}

// ParseSpec reads what a user writes for a target: "junit=out.xml", or "tap" and "tap=-" for standard output. An
// unknown format is an error that lists the known ones.
func ParseSpec(text string) (Target, error) {
	name, path, hasPath := strings.Cut(text, "=")
	if _, err := formatOf(name); err != nil {
		return Target{}, err
	}
	if hasPath && path == "" {
		return Target{}, fmt.Errorf("report %q names no file; write %s=FILE, or %s for standard output", text, name, name)
	}
	if path == "-" {
		path = ""
	}
	return Target{name, path}, nil
}

// ParseSpecs reads several targets. Two that go to the same place are an error, since one would overwrite the other or
// run into it.
func ParseSpecs(texts []string) ([]Target, error) {
	var targets []Target
	first := map[string]string{}
	for _, text := range texts {
		target, err := ParseSpec(text)
		if err != nil {
			return nil, err
		}
		place := target.place()
		if other, taken := first[place]; taken {
			return nil, fmt.Errorf("reports %q and %q go to the same place, %s", other, text, place)
		}
		first[place] = text
		targets = append(targets, target)
	}
	return targets, nil
}

// place returns where the report goes, such that equal places have equal names.
func (t Target) place() string {
	if t.Path == "" {
		return "standard output"
	}
	if absolute, err := filepath.Abs(t.Path); err == nil {
		return resolve(absolute)
	}
	return filepath.Clean(t.Path)
}

// resolve follows symbolic links; of a path that does not exist yet, those of its folder.
func resolve(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(folder, filepath.Base(path))
	}
	return path
}

// Write renders the report to the target: to its file, or to stdout where it has none. Colours are for a terminal, and
// left out of files.
func (t Target) Write(stdout io.Writer, r *conformance.Report, options Options) error {
	if t.Path == "" {
		return Write(t.Format, stdout, r, options)
	}
	options.Colour = false
	return WriteFile(t.Format, t.Path, r, options)
}
