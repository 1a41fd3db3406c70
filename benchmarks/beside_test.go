package benchmarks_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// BenchmarkBeside runs the suite against the reference, and toml-test, another suite of the kind, against a decoder of its
// own language: an operation is a whole run, start-up included. LOOPSTONE_BESIDE names the folder of the three programs,
// which make beside builds.
func BenchmarkBeside(b *testing.B) {
	folder := os.Getenv("LOOPSTONE_BESIDE")
	if folder == "" {
		b.Skip("LOOPSTONE_BESIDE does not name the folder of the programs")
	}
	path := func(name string) string { return filepath.Join(folder, name) }
	ours, theirs := regexp.MustCompile(`of (\d+) tests passed`), regexp.MustCompile(`(\d+) (?:passed|failed)`)
	for _, suite := range []struct {
		name  string
		tests *regexp.Regexp // finds numbers in the output whose sum is how many tests there were
		words []string
	}{
		{"toml-test", theirs, []string{path("toml-test"), "test", "-decoder=" + path("toml-test-decoder")}},
		{"loopstone", ours, []string{path("loopstone"), "test", "--reference"}},
		{"loopstone-cases", ours, []string{path("loopstone"), "test", "--reference", "--no-properties"}},
	} {
		b.Run("suite="+suite.name, func(b *testing.B) {
			tests, cpu, memory := 0, time.Duration(0), int64(0)
			for b.Loop() {
				state, out := runSuite(b, suite.words)
				for _, found := range suite.tests.FindAllSubmatch(out, -1) {
					n, _ := strconv.Atoi(string(found[1])) // digits only
					tests += n
				}
				cpu += state.UserTime() + state.SystemTime()
				memory = max(memory, peakMemory(state))
			}
			if tests == 0 {
				b.Fatal("no test was made")
			}
			b.ReportMetric(float64(tests)/float64(b.N), "tests/op")
			b.ReportMetric(float64(tests)/b.Elapsed().Seconds(), "tests/s")
			b.ReportMetric(float64(tests)/cpu.Seconds(), "tests/cpu-s")
			b.ReportMetric(float64(memory), "peak-bytes")
		})
	}
}

// runSuite runs a command. That some of its tests fail is no matter.
func runSuite(b *testing.B, words []string) (*os.ProcessState, []byte) {
	command := exec.CommandContext(b.Context(), words[0], words[1:]...)
	out, err := command.CombinedOutput()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		b.Fatal(err)
	}
	return command.ProcessState, out
}
