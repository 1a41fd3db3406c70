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
)

// recorded returns results as go test prints them: ten samples around a centre.
func recorded(seed uint64, ns, scatter float64, allocs int) string {
	dice := rand.New(rand.NewPCG(seed, 2))
	text := "goos: linux\npkg: p\n"
	for range 10 {
		text += fmt.Sprintf("BenchmarkObserve/detector=history-2 1000 %.1f ns/op 0 B/op %d allocs/op\n",
			ns*math.Exp(scatter*dice.NormFloat64()), allocs)
	}
	return text
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason          string
		old, again, new string
		code            int
	}{
		{"the same program", recorded(1, 800, .05, 3), recorded(2, 800, .05, 3), recorded(3, 800, .05, 3), fine},
		{"40 % slower", recorded(1, 800, .05, 3), recorded(2, 800, .05, 3), recorded(3, 1120, .05, 3), slower},
		{"one allocation more", recorded(1, 800, .05, 3), recorded(2, 800, .05, 3), recorded(3, 800, .05, 4), slower},
		{"a machine that changed its speed", recorded(1, 800, .05, 3), recorded(2, 1200, .05, 3), recorded(3, 1200, .05, 3), undecided},
		{"noise does not hide an allocation", recorded(1, 800, .05, 3), recorded(2, 1200, .05, 3), recorded(3, 800, .05, 4), slower},
		{"another benchmark", recorded(1, 800, .05, 3), recorded(2, 800, .05, 3), strings.ReplaceAll(recorded(3, 800, .05, 3), "history", "crow"), undecided},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			var m measured
			m.old.WriteString(tt.old)
			m.again.WriteString(tt.again)
			m.new.WriteString(tt.new)
			var out strings.Builder
			code, err := m.judge(settings{base: "base", gate: 0.25}, &out)
			if code != tt.code || (err != nil) != (code == undecided) {
				t.Errorf("exit code %d, error %v, want %d:\n%s", code, err, tt.code, &out)
			}
		})
	}
}

func TestTenComparisonsOfAProgramWithItselfRaiseNoAlarm(t *testing.T) {
	t.Parallel()
	for i := range uint64(10) {
		var m measured
		m.old.WriteString(recorded(10*i+1, 800, .08, 3))
		m.again.WriteString(recorded(10*i+2, 800, .08, 3))
		m.new.WriteString(recorded(10*i+3, 800, .08, 3))
		if code, err := m.judge(settings{base: "base", gate: 0.25}, &strings.Builder{}); code != fine {
			t.Errorf("comparison %d: exit code %d, %v", i, code, err)
		}
	}
}

// TestGateRunsBothRevisions judges a module of one benchmark, once unchanged and once with an allocation more.
func TestGateRunsBothRevisions(t *testing.T) {
	repository := t.TempDir()
	write(t, repository, "go.mod", "module example.com/m\n\ngo 1.26\n")
	write(t, repository, "benchmarks/observe_test.go", benchmarkOf(1))
	git(t, repository, "init", "--quiet")
	git(t, repository, "add", ".")
	git(t, repository, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "--quiet", "-m", "base")
	t.Chdir(repository)
	s := settings{base: "HEAD", bench: ".", time: "100x", rounds: 4, gate: 1000}

	if code, err := run(context.Background(), s, &strings.Builder{}); code != fine {
		t.Errorf("the same revision: exit code %d, %v", code, err)
	}
	write(t, repository, "benchmarks/observe_test.go", benchmarkOf(2))
	var out strings.Builder
	if code, err := run(context.Background(), s, &out); code != slower {
		t.Errorf("an allocation more: exit code %d, %v\n%s", code, err, &out)
	}
	s.base = "no-such-revision"
	if code, err := run(context.Background(), s, &out); code != undecided || err == nil {
		t.Errorf("an unknown revision: exit code %d, %v", code, err)
	}
	if trees := git(t, repository, "worktree", "list"); strings.Count(trees, "\n") != 1 {
		t.Errorf("left behind:\n%s", trees)
	}
}

// benchmarkOf is a benchmark that allocates so many times.
func benchmarkOf(allocations int) string {
	return fmt.Sprintf(`package benchmarks

import "testing"

var sink *[64]byte

func BenchmarkObserve(b *testing.B) {
	for b.Loop() {
		for range %d {
			sink = new([64]byte)
		}
	}
}
`, allocations)
}

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
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
