package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// program is a compiled test program of package benchmarks, the folder that it runs in, and its results.
type program struct {
	path, folder string
	results      string
}

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
	return program{path: path, folder: filepath.Join(root, "benchmarks")}, err
}

// output runs a command and returns what it printed, without the last newline. The error holds what it complained of.
func output(ctx context.Context, folder string, words ...string) (string, error) {
	return result(folder, exec.CommandContext(ctx, words[0], words[1:]...))
}

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

// collection keeps the garbage collector out of what is measured: a benchmark of a few milliseconds in which it happens
// to run takes up to seven times as long as one in which it does not. What is left for it is judged by the allocations,
// which are counted. The limit is far above what a round needs; it is for programs that allocate without end.
var collection = []string{"GOGC=off", "GOMEMLIMIT=2GiB"}

// measured holds the programs and the results of all rounds: the older one is there twice.
type measured struct{ old, again, new program }

// measure runs the programs in turns; in every round another one is the first.
func measure(ctx context.Context, s settings, old, new program) (*measured, error) {
	m := &measured{old, old, new}
	turns := []*program{&m.old, &m.new, &m.again}
	for round := range s.rounds {
		for i := range turns {
			p := turns[(i+round)%len(turns)]
			cmd := exec.CommandContext(ctx, p.path, "-test.run=^$", "-test.bench="+s.bench, "-test.skip="+s.skip,
				"-test.benchtime="+s.time, "-test.benchmem")
			cmd.Env = append(os.Environ(), collection...)
			text, err := result(p.folder, cmd)
			if err != nil {
				return nil, err
			}
			p.results += text + "\n"
		}
	}
	return m, nil
}
