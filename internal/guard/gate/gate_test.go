package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// spinRole makes this test binary a program that keeps a processor busy.
const spinRole = "LOOPSTONE_GATE_TEST_SPINS"

func TestMain(m *testing.M) {
	if os.Getenv(spinRole) == "" {
		os.Exit(m.Run())
	}
	for start := time.Now(); time.Since(start) < time.Hour; { // until it is killed, or has been forgotten
	}
}

// recorded returns results as go test prints them: ten samples around a centre. Wall time scatters as told, the
// processor's time by a tenth of that.
func recorded(seed uint64, ns, scatter float64, allocs int) program {
	dice := rand.New(rand.NewPCG(seed, 2))
	around := func(scatter float64) float64 { return ns * math.Exp(scatter*dice.NormFloat64()) }
	text := "goos: linux\npkg: p\n"
	for range 10 {
		text += fmt.Sprintf("BenchmarkObserve/detector=history-2 1000 %.1f ns/op %.1f cpu-ns/event 0 B/op %d allocs/op\n",
			around(scatter), around(scatter/10), allocs)
	}
	return program{results: text}
}

func replaced(p program, old, new string) program {
	p.results = strings.ReplaceAll(p.results, old, new)
	return p
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	base, again := recorded(1, 800, .05, 3), recorded(2, 800, .05, 3)
	tests := []struct {
		reason string
		m      measured
		code   int
	}{
		{"the same program", measured{base, again, recorded(3, 800, .05, 3)}, fine},
		{"40 % slower", measured{base, again, recorded(3, 1120, .05, 3)}, slower},
		{"one allocation more", measured{base, again, recorded(3, 800, .05, 4)}, slower},
		{
			"a machine too busy for wall time", measured{recorded(1, 800, .5, 3), recorded(2, 800, .5, 3), recorded(3, 800, .5, 3)}, fine,
		},
		{
			"40 % slower on a machine too busy for wall time",
			measured{recorded(1, 800, .5, 3), recorded(2, 800, .5, 3), recorded(3, 1120, .5, 3)},
			slower,
		},
		{"a machine too busy for anything", measured{recorded(1, 800, 5, 3), recorded(2, 800, 5, 3), recorded(3, 800, 5, 3)}, undecided},
		{"a machine that changed its speed", measured{base, recorded(2, 1200, .05, 3), recorded(3, 1200, .05, 3)}, undecided},
		{"noise does not hide an allocation", measured{base, recorded(2, 1200, .05, 3), recorded(3, 800, .05, 4)}, slower},
		{"another benchmark", measured{base, again, replaced(recorded(3, 800, .05, 3), "history", "crow")}, undecided},
		{
			"a base of before CPU time was taken, on a quiet machine",
			measured{replaced(base, "cpu-ns/event", "x"), replaced(again, "cpu-ns/event", "x"), recorded(3, 1120, .05, 3)},
			slower,
		},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			code, err := tt.m.judge(settings{base: "base", gate: 0.25}, &out)
			if code != tt.code || (err != nil) != (code == undecided) {
				t.Errorf("exit code %d, error %v, want %d:\n%s", code, err, tt.code, &out)
			}
		})
	}
}

// repository makes the module in testdata a repository of one commit.
func repository(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("testdata/module")); err != nil {
		t.Fatal(err)
	}
	git(t, folder, "init", "--quiet")
	git(t, folder, "add", ".")
	git(t, folder, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "--quiet", "-m", "base")
	return folder
}

// edit changes the module's only benchmark.
func edit(t *testing.T, repository, old, new string) {
	t.Helper()
	path := filepath.Join(repository, "benchmarks", "observe_test.go")
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), old) {
		t.Fatalf("no %q to change: %v", old, err)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), old, new)), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestGateRunsBothRevisions(t *testing.T) {
	folder := repository(t)
	t.Chdir(folder)
	s := settings{base: "HEAD", bench: ".", skip: "^$", time: "100x", rounds: 4, gate: 1000}
	var out strings.Builder
	if code, err := run(context.Background(), s, &out); code == slower || !strings.Contains(out.String(), "800, 400") {
		t.Errorf("the same revision: exit code %d, %v, want calls of 8 rounds and of 4\n%s", code, err, &out)
	}
	edit(t, folder, "allocations = 1", "allocations = 2")
	if code, err := run(context.Background(), s, &out); code != slower {
		t.Errorf("an allocation more: exit code %d, %v\n%s", code, err, &out)
	}
	s.base = "no-such-revision"
	if code, err := run(context.Background(), s, &out); code != undecided || err == nil {
		t.Errorf("an unknown revision: exit code %d, %v", code, err)
	}
	if trees := git(t, folder, "worktree", "list"); strings.Count(trees, "\n") != 1 {
		t.Errorf("left behind:\n%s", trees)
	}
}

// TestGateNeverLies judges a program beside itself and beside one with a planted loop that is 30 % longer, five times
// each as the machine is and five times with ten programs that want its processors. It takes minutes: make test-gate.
func TestGateNeverLies(t *testing.T) {
	if os.Getenv("LOOPSTONE_SLOW") == "" {
		t.Skip("LOOPSTONE_SLOW is not set")
	}
	folder := repository(t)
	t.Chdir(folder)
	edit(t, folder, "steps       = 1000", "steps       = 1300")
	ctx := context.Background()
	base, slow, remove, err := build(ctx, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	s := settings{base: "HEAD", bench: ".", skip: "^$", time: "10ms", rounds: 20, gate: 0.25}
	for _, programs := range []int{0, 10} {
		var same, changed []int
		beside(t, programs, func() {
			for range 5 {
				same = append(same, s.code(t, base, base))
				changed = append(changed, s.code(t, base, slow))
			}
		})
		t.Logf("beside %d programs: itself %v, 30 %% slower %v", programs, same, changed)
		for i := range same {
			if same[i] == slower {
				t.Errorf("beside %d programs: a false alarm", programs)
			}
			if changed[i] == fine {
				t.Errorf("beside %d programs: a slowdown let through", programs)
			}
		}
	}
}

func (s settings) code(t *testing.T, old, new program) int {
	t.Helper()
	var out strings.Builder
	code, err := s.compare(context.Background(), old, new, &out)
	t.Logf("exit code %d, %v\n%s", code, err, &out)
	return code
}

// beside calls f while so many programs keep the processors busy.
func beside(t *testing.T, programs int, f func()) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for range programs {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), spinRole+"=1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // it was killed
		}()
	}
	f()
}

func git(t *testing.T, folder string, words ...string) string {
	t.Helper()
	cmd := exec.Command("git", words...)
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", words, err, out)
	}
	return string(out)
}
