package bench_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/suite/bench"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// role makes this test binary a port, in a process of its own.
const role = "LOOPSTONE_PIPE_TEST_PORT"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "":
		os.Exit(m.Run())
	case "reference":
		serve(reference.Port())
	case "small":
		serve(spec.NewHost(spec.Description{Name: "small"}, reference.Implementation(spec.History)))
	}
}

func serve(port spec.Port) {
	if err := stdio.Serve(context.Background(), port, os.Stdin, os.Stdout); err != nil {
		os.Exit(1)
	}
}

func port(t *testing.T, name string) bench.Program {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return bench.Program{Command: stdio.Command{Path: self, Env: []string{role + "=" + name, "GORACE=atexit_sleep_ms=0"}}}
}

func targets(t *testing.T, command bench.Program, pattern string) []bench.Target {
	t.Helper()
	offered, err := bench.Describe(context.Background(), command)
	if err != nil {
		t.Fatal(err)
	}
	found, err := bench.Targets(offered, pattern)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestResultsOfTwoPortsMatchRowByRow(t *testing.T) {
	t.Parallel()
	whole, small := port(t, "reference"), port(t, "small")
	var old, new bytes.Buffer
	ports := []bench.Port{
		{Program: whole, Results: bench.NewResults(&old, "whole")}, {Program: small, Results: bench.NewResults(&new, "small")},
	}
	plan := bench.Plan{Targets: targets(t, small, "tight-loop|ping-pong"), Count: 4, Time: time.Millisecond}
	if err := bench.Run(context.Background(), ports, plan); err != nil {
		t.Fatal(err)
	}
	c, err := bench.Compare(bench.Source{Label: "whole", Text: &old}, bench.Source{Label: "small", Text: &new}, false)
	if err != nil || len(c.Problems) > 0 {
		t.Fatalf("compare: %v %q", err, c.Problems)
	}
	for _, table := range c.Tables {
		if len(table.Rows) != 2 {
			t.Errorf("%s: %d rows, want one for each of 2 workloads", table.Unit, len(table.Rows))
		}
	}
	if len(c.Tables) != 7 {
		t.Errorf("%d units, want 7", len(c.Tables))
	}
}

func TestEveryTargetOfTheReferenceCanBeMeasured(t *testing.T) {
	t.Parallel()
	command := port(t, "reference")
	for _, target := range targets(t, command, "workload=(deep-args|short|workers-64)") {
		sample, err := bench.Measure(context.Background(), command, target, time.Millisecond)
		if err != nil {
			t.Fatalf("%s: %v", target, err)
		}
		if sample.Events == 0 || sample.PerEvent <= 0 || sample.P50 <= 0 || sample.P99 < sample.P50 || sample.NoopP50 <= 0 {
			t.Errorf("%s: %+v", target, sample)
		}
		if _, err := os.Stat("/proc/self/statm"); err == nil && sample.Resident < 1<<20 {
			t.Errorf("%s: %d bytes resident", target, sample.Resident)
		}
	}
}

func TestPortThatRefusesHasNoSpeed(t *testing.T) {
	t.Parallel()
	ralph := targets(t, port(t, "reference"), "detector=ralph/reading=text/workload=short")[0]
	_, err := bench.Measure(context.Background(), port(t, "small"), ralph, time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("measured a detector that is not there: %v", err)
	}
}

func TestCommonIsWhatBothOffer(t *testing.T) {
	t.Parallel()
	a := spec.Description{Detectors: []spec.Offer{
		{Detector: spec.Crow, Readings: []spec.Reading{spec.Code, spec.Text}}, {Detector: spec.Ralph, Readings: []spec.Reading{spec.Text}},
	}}
	b := spec.Description{Detectors: []spec.Offer{{Detector: spec.Crow, Readings: []spec.Reading{spec.Text}}}}
	found, err := bench.Targets(bench.Common(a, b), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range found {
		if target.Detector != spec.Crow || target.Reading != spec.Text {
			t.Errorf("%s is not offered by both", target)
		}
	}
}

func TestProfilesThatAPortDeclaresAreMeasured(t *testing.T) {
	t.Parallel()
	offered := spec.Description{Name: "p", Detectors: []spec.Offer{{Detector: "@mine-stream", Readings: []spec.Reading{spec.Code}}}}
	found, err := bench.Targets(offered, "")
	if err != nil || len(found) == 0 || found[0].Detector != "@mine-stream" {
		t.Errorf("got %v, %v", found, err)
	}
	if _, err := bench.Targets(spec.Description{Name: "p"}, ""); err == nil || !strings.Contains(err.Error(), "no detector of p has workloads") {
		t.Errorf("a port without detectors: %v", err)
	}
}
