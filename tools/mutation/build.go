package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/tools/mutation/plant"
)

const (
	referencePath = "github.com/loopstone/loopstone/reference/"
	ownPath       = "github.com/loopstone/loopstone/tools/mutation"
	runtimePath   = ownPath + "/plant" // the copies ask it which mutant is on
)

// planted holds the mutants of this program as JSON. A file that the build adds sets it: else there are none.
var planted = "[]"

// packages returns those that faults are planted in: the detectors and what they are made of.
func packages() []string {
	list := []string{referencePath + "parts/jstext", referencePath + "parts/memory", referencePath + "parts/pyjson"}
	for _, d := range spec.Detectors() {
		list = append(list, referencePath+string(d.ID))
	}
	return list
}

// helpers are files without mutants, because no case sees what they do: faster comparisons, totals for Go programs, the
// forms of snapshots, and a text for people. They have tests of their own.
var helpers = []string{
	"reference/ralph/comparison.go", "reference/swarm/totals.go",
	"reference/parts/memory/snapshot.go", "reference/history/hashed.go",
}

// withoutHelpers leaves out the mutants of the helpers. It is an error if there is no such file.
func withoutHelpers(root string, mutants []plant.Mutant) ([]plant.Mutant, error) {
	for _, file := range helpers {
		if _, err := os.Stat(filepath.Join(root, file)); err != nil {
			return nil, fmt.Errorf("leave out a helper: %w", err)
		}
	}
	isHelper := func(m plant.Mutant) bool { return slices.Contains(helpers, m.File) }
	return slices.DeleteFunc(mutants, isHelper), nil
}

// judgePackages plants faults in packages of the project at root, compiles this command from the copies, and lets the
// cases judge them. The tree is not touched.
func judgePackages(ctx context.Context, root string, packages ...string) ([]outcome, error) {
	program, err := plant.Mutate(filepath.Join(root, "tools"), runtimePath, packages...)
	if err != nil {
		return nil, err
	}
	if program.Mutants, err = withoutHelpers(root, program.Mutants); err != nil {
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
	command.Dir = filepath.Join(root, "tools")
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
		filepath.Join(root, "tools/mutation/planted.go"): fmt.Appendf(nil,
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

// projectRoot returns the folder that the module of this command stands in.
func projectRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the project: %w", err)
	}
	module := filepath.Dir(strings.TrimSpace(string(out)))
	if filepath.Base(module) != "tools" {
		return "", errors.New("find the project: start in its folder tools")
	}
	return filepath.Dir(module), nil
}
