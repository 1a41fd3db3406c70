package strength

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/internal/strength/mutation"
)

// The packages that take part. RuntimePath says at run time which mutant is on; the tool is built with mutants on demand.
const (
	RuntimePath = "github.com/loopstone/loopstone/internal/strength/mutant"
	workerPath  = "github.com/loopstone/loopstone/internal/strength/worker"
	toolPath    = "github.com/loopstone/loopstone/cmd/loopstone"
)

// Packages are those that faults are planted in: the detectors and what they are made of. The package that only lists
// them is left out.
var Packages = []string{
	"./reference/fingerprint", "./reference/signature", "./reference/history", "./reference/crow", "./reference/swarm",
	"./reference/ralph", "./reference/guards", "./reference/jstext", "./reference/pyjson",
}

// Build is a worker with every mutant compiled in.
type Build struct {
	Program *mutation.Program
	Worker  string // path of the executable
	folder  string
}

// Compile plants the faults in the packages of the module at root and compiles a worker from the copies. The tree is
// not touched. Close removes what was written.
func Compile(ctx context.Context, root string, packages ...string) (*Build, error) {
	b, err := plant(root, packages)
	if err != nil {
		return nil, err
	}
	b.Worker = filepath.Join(b.folder, "worker")
	if err := b.compile(ctx, root, "-o", b.Worker, workerPath); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// CompileTool plants the faults in the packages of the module at root and compiles the tool loopstone from the copies,
// to the path out, so that it can serve each of them. It returns the mutants. The tree is not touched.
func CompileTool(ctx context.Context, root, out string, packages ...string) ([]mutation.Mutant, error) {
	b, err := plant(root, packages)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	count := fmt.Sprintf("-X main.mutantCount=%d", len(b.Program.Mutants))
	return b.Program.Mutants, b.compile(ctx, root, "-tags", "mutants", "-ldflags", count, "-o", out, toolPath)
}

// plant makes the mutated copies and a folder for what is built of them.
func plant(root string, packages []string) (*Build, error) {
	program, err := mutation.Mutate(root, RuntimePath, packages...)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "loopstone-strength-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the mutated copies: %w", err)
	}
	return &Build{Program: program, folder: folder}, nil
}

// Close removes the copies and the worker.
func (b *Build) Close() error { return os.RemoveAll(b.folder) }

// compile runs go build on the copies, with further arguments.
func (b *Build) compile(ctx context.Context, root string, args ...string) error {
	overlay, err := b.writeCopies()
	if err != nil {
		return err
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
			return "", fmt.Errorf("write a mutated copy: %w", err)
		}
		replace[path] = copied
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", fmt.Errorf("write the overlay: %w", err)
	}
	overlay := filepath.Join(b.folder, "overlay.json")
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		return "", fmt.Errorf("write the overlay: %w", err)
	}
	return overlay, nil
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
