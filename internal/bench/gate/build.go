package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// program is a compiled test program of package benchmarks, and the folder that it runs in.
type program struct{ path, folder string }

// build compiles the benchmarks of the revision and of the working tree. What it made is removed by the function that
// it returns.
func build(ctx context.Context, base string) (old, new program, remove func(), err error) {
	root, err := output(ctx, ".", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return old, new, nil, err
	}
	temporary, err := os.MkdirTemp("", "loopstone-gate-")
	if err != nil {
		return old, new, nil, fmt.Errorf("make a folder: %w", err)
	}
	tree := filepath.Join(temporary, "base")
	remove = func() {
		// Should this fail, git worktree prune tidies up; the folder itself goes either way.
		_, _ = output(context.WithoutCancel(ctx), root, "git", "worktree", "remove", "--force", tree)
		_ = os.RemoveAll(temporary)
	}
	if _, err = output(ctx, root, "git", "worktree", "add", "--detach", tree, base); err != nil {
		remove()
		return old, new, nil, err
	}
	if old, err = compile(ctx, tree, filepath.Join(temporary, "old.test")); err == nil {
		new, err = compile(ctx, root, filepath.Join(temporary, "new.test"))
	}
	if err != nil {
		remove()
		return old, new, nil, err
	}
	return old, new, remove, nil
}

func compile(ctx context.Context, root, path string) (program, error) {
	_, err := output(ctx, root, "go", "test", "-c", "-o", path, "./benchmarks")
	return program{path, filepath.Join(root, "benchmarks")}, err
}

// output runs a command and returns what it printed, without the last newline. The error holds what it complained of.
func output(ctx context.Context, folder string, words ...string) (string, error) {
	return result(folder, exec.CommandContext(ctx, words[0], words[1:]...))
}

// result runs a command in a folder and returns what it prints, without the last newline.
func result(folder string, cmd *exec.Cmd) (string, error) {
	cmd.Dir = folder
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, strings.TrimSpace(complaint.String()))
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}
