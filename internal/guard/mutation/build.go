package main

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

const (
	ownPath     = "github.com/loopstone/loopstone/internal/guard/mutation"
	runtimePath = ownPath + "/plant" // the copies ask it which mutant is on
)

// planted holds the mutants of this program as JSON. A file that the build adds sets it: else there are none.
var planted = "[]"

// packages returns those that faults are planted in: the plain rules of the detectors and what they are made of. The
// fast twins are not among them: tests of their own hold them equal to the rules.
func packages() []string {
	list := []string{"./reference/jstext", "./reference/pyjson"}
	for _, d := range spec.Detectors() {
		list = append(list, "./reference/"+string(d.ID))
	}
	return list
}

// judgePackages plants faults in packages of the module at root, compiles this command from the copies, and lets the
// cases judge them. The tree is not touched.
func judgePackages(ctx context.Context, root string, packages ...string) ([]outcome, error) {
	program, err := plant.Mutate(root, runtimePath, packages...)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "loopstone-mutation-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for the mutated copies: %w", err)
	}
	defer os.RemoveAll(folder)
	overlay, err := writeCopies(program, root, folder)
	if err != nil {
		return nil, fmt.Errorf("write the mutated copies: %w", err)
	}
	judge := filepath.Join(folder, "judge")
	command := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-o", judge, ownPath)
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the mutants: %w:\n%s", err, out)
	}
	return judgeAll(ctx, []string{judge}, program.Mutants)
}

// writeCopies writes the mutated copies, the list of the mutants, and the file that tells go build where they belong.
func writeCopies(program *plant.Program, root, folder string) (overlay string, err error) {
	list, err := json.Marshal(program.Mutants)
	if err != nil {
		return "", err
	}
	files := map[string][]byte{
		filepath.Join(root, "internal/guard/mutation/planted.go"): fmt.Appendf(nil,
			"package main\n\nfunc init() { planted = %q }\n", list),
	}
	for path, text := range program.Files {
		files[path] = text
	}
	replace := map[string]string{}
	for path, text := range files {
		copied := filepath.Join(folder, strconv.Itoa(len(replace))+"-"+filepath.Base(path))
		if err := os.WriteFile(copied, text, 0o600); err != nil {
			return "", err
		}
		replace[path] = copied
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(folder, "overlay.json")
	return overlay, os.WriteFile(overlay, text, 0o600)
}

// moduleRoot returns the folder of the module that the current folder belongs to.
func moduleRoot() (string, error) {
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
