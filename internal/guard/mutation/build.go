// Package mutation measures how many faults of a detector the suite's cases catch. It plants faults in the reference,
// one at a time, and lets the cases judge each of these mutants. One that passes them all has survived: a port can have
// that fault without anyone noticing. A case proves a clause that it cites by killing a mutant of that clause.
//
// The reference itself is never touched. Mutated copies of its files are compiled into one program (see package plant),
// in which a number says which fault is on (see package mutant).
package mutation

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/internal/guard/mutation/plant"
	"github.com/loopstone/loopstone/spec"
)

const module = "github.com/loopstone/loopstone/"

// runtimePath says at run time which mutant is on.
const runtimePath = module + "internal/guard/mutation/mutant"

// judgePath is the command mutation, which the copies are compiled into.
const judgePath = module + "internal/guard/mutation/cmd/mutation"

// Packages returns those that faults are planted in: the detectors and what they are made of. The package that only
// lists them is left out.
func Packages() []string {
	list := []string{"./reference/jstext", "./reference/pyjson"}
	for _, d := range spec.Detectors() {
		list = append(list, "./reference/"+string(d.ID), "./reference/fast/"+string(d.ID))
	}
	return list
}

// Build is a program with every mutant compiled in, which judges them: the command mutation, built of the copies.
type Build struct {
	Program *plant.Program
	judge   []string // how it is started
	folder  string
}

// List returns the mutants of packages of the module at root.
func List(root string, packages ...string) ([]plant.Mutant, error) {
	p, err := plant.Mutate(root, runtimePath, packages...)
	if err != nil {
		return nil, err
	}
	return p.Mutants, nil
}

// Compile plants the faults in the packages of the module at root and compiles a judge from the copies. The tree is not
// touched. Close removes what was written.
func Compile(ctx context.Context, root string, packages ...string) (*Build, error) {
	b, err := planted(root, packages)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(b.folder, "judge")
	b.judge = []string{path, "judge"}
	if err := b.compile(ctx, root, "-o", path, judgePath); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// CompileServer plants the faults in all packages of the module at root and compiles the command mutation from the
// copies, to the path out, so that "out serve N" is the reference with the fault N. It returns how many there are.
func CompileServer(ctx context.Context, root, out string) (int, error) {
	b, err := planted(root, Packages())
	if err != nil {
		return 0, err
	}
	defer b.Close()
	n := len(b.Program.Mutants)
	return n, b.compile(ctx, root, "-ldflags", "-X main.planted="+strconv.Itoa(n), "-o", out, judgePath)
}

// planted makes the mutated copies and a folder for what is built of them.
func planted(root string, packages []string) (*Build, error) {
	program, err := plant.Mutate(root, runtimePath, packages...)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "loopstone-mutation-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the mutated copies: %w", err)
	}
	return &Build{Program: program, folder: folder}, nil
}

// Close removes the copies and the program.
func (b *Build) Close() error { return os.RemoveAll(b.folder) }

// compile runs go build on the copies, with further arguments.
func (b *Build) compile(ctx context.Context, root string, args ...string) error {
	overlay, err := b.writeCopies()
	if err != nil {
		return fmt.Errorf("write the mutated copies: %w", err)
	}
	command := exec.CommandContext(ctx, "go", append([]string{"build", "-overlay", overlay}, args...)...)
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("build the mutants: %w:\n%s", err, out)
	}
	return nil
}

// writeCopies writes the mutated copies and the file that tells go build to take them for the originals.
func (b *Build) writeCopies() (string, error) {
	replace := map[string]string{}
	for path, text := range b.Program.Files {
		copied := filepath.Join(b.folder, strconv.Itoa(len(replace))+"-"+filepath.Base(path))
		if err := os.WriteFile(copied, text, 0o600); err != nil {
			return "", err
		}
		replace[path] = copied
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(b.folder, "overlay.json")
	return overlay, os.WriteFile(overlay, text, 0o600)
}

// Root returns the folder of the module that the current folder belongs to.
func Root() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	path := strings.TrimSpace(string(out))
	if filepath.Base(path) != "go.mod" {
		return "", fmt.Errorf("find the module: this folder belongs to none")
	}
	return filepath.Dir(path), nil
}
