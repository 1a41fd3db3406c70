package tracegen

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

const (
	module = "github.com/loopstone/loopstone"
	root   = "../../.."
)

// ownTests are files about what no trace shows: damaged states, and the forms that Go programs use. The tests beside
// them execute their statements. source.go and hashed.go show the reference to people.
var ownTests = []string{"snapshot.go", "state.go", "totals.go", "source.go", "hashed.go"}

// exemption is a statement of the reference that no generated trace executes.
type exemption struct {
	file   string // below reference
	source string // text within the statement's block
	why    string
}

var exemptions = []exemption{
	{"ralph/comparison.go", "if first == last {", "generated outputs are short, for slow ports; the cases have long ones that differ early"},
	{"guards/rules.go", "panic(err)", "the row of the guards has the settings of signatures"},
}

// TestGeneratedTracesExecuteTheReference proves what the generators reach: every statement of the reference, by
// generated subjects alone.
func TestGeneratedTracesExecuteTheReference(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs a second test binary")
	}
	unexecuted := replayCoverage(t)
	for _, e := range exemptions {
		i := slices.IndexFunc(unexecuted, e.covers)
		if i < 0 {
			t.Errorf("exemption %s %q: such a statement is executed, or there is none any more; remove the exemption", e.file, e.source)
		}
	}
	for _, b := range unexecuted {
		if b.file == "reference.go" { // what a port is held to, not how
			continue
		}
		if !slices.ContainsFunc(exemptions, func(e exemption) bool { return e.covers(b) }) {
			t.Errorf("reference/%s:%d: no generated trace executes %q", b.file, b.line, strings.TrimSpace(b.source))
		}
	}
}

func (e exemption) covers(b block) bool {
	return e.file == b.file && strings.Contains(b.source, e.source)
}

// block is a piece of a file of the reference that is executed as a whole or not at all.
type block struct {
	file   string // below reference
	line   int
	source string // its lines, whole
}

// replayCoverage runs TestReplay with counters in the reference, and returns the blocks that it did not execute.
func replayCoverage(t *testing.T) []block {
	t.Helper()
	profile := filepath.Join(t.TempDir(), "cover.out")
	child := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-count=1", "-run=^TestReplay$",
		"-coverpkg="+module+"/reference/...", "-coverprofile="+profile, ".")
	child.Env = append(os.Environ(), replayVariable+"=1")
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", child, err, out)
	}
	return readProfile(t, profile)
}

// span is a block as a coverage profile names it.
type span struct {
	file       string // with the module's path
	start, end int    // lines
	column     int
}

// readProfile returns the blocks of a profile that no test executed. One block has a line for each test binary.
func readProfile(t *testing.T, profile string) []block {
	t.Helper()
	file, err := os.Open(profile)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	executed := map[span]bool{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		name, numbers, _ := strings.Cut(lines.Text(), ":")
		var s span
		var endColumn, statements, count int
		n, _ := fmt.Sscanf(numbers, "%d.%d,%d.%d %d %d", &s.start, &s.column, &s.end, &endColumn, &statements, &count)
		if n == 6 {
			s.file = name
			executed[s] = executed[s] || count > 0
		}
	}
	if len(executed) == 0 {
		t.Fatalf("%s names no block of the reference", profile)
	}
	return unexecutedBlocks(t, executed)
}

func unexecutedBlocks(t *testing.T, executed map[span]bool) []block {
	t.Helper()
	var blocks []block
	for s, done := range executed {
		if done || slices.Contains(ownTests, path.Base(s.file)) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, strings.TrimPrefix(s.file, module+"/")))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		blocks = append(blocks, block{
			strings.TrimPrefix(s.file, module+"/reference/"), s.start, strings.Join(lines[s.start-1:s.end], "\n"),
		})
	}
	slices.SortFunc(blocks, func(a, b block) int {
		return cmp.Or(strings.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
	})
	return blocks
}

// offers returns everything that the specification knows, one offer for each detector.
func offers() []spec.Offer {
	var list []spec.Offer
	for _, p := range spec.Detectors() {
		list = append(list, spec.Offer{Detector: p.ID, Readings: p.Readings, Features: p.Features})
	}
	return list
}

// example draws the subject of a seed.
func example[T any](seed int, draw func(*rapid.T) T) T { return rapid.Custom(draw).Example(seed) }

// replayVariable makes this test binary play generated subjects and do nothing else.
const replayVariable = "LOOPSTONE_GENERATE_REPLAY"

// TestReplay plays generated subjects to the reference, for the test that measures what they reach.
func TestReplay(t *testing.T) {
	if os.Getenv(replayVariable) == "" {
		t.Skip("run by TestGeneratedTracesExecuteTheReference")
	}
	for _, offer := range offers() {
		for _, reading := range offer.Readings {
			draw := For(offer, reading)
			seeds := 3000
			if offer.Detector == spec.Composed { // whose rules have many parts, each with faults of its own
				seeds *= 4
			}
			for seed := range seeds {
				s := example(seed, draw)
				replay(t, reference.Port(), s)
			}
		}
	}
}

// replay plays a subject event by event, restores a session in the middle, and asks for the states at the end.
func replay(t *testing.T, port spec.Port, s fuzz.Subject) {
	if s.IsCall() {
		_, err := port.Call(t.Context(), s.Function, s.Reading, s.Args)
		mustBeFault(t, err)
		return
	}
	sessions := map[int]spec.Session{}
	for i, step := range s.Steps {
		if sessions[step.Session] == nil {
			session, err := port.Open(t.Context(), s.Detector, s.Reading, s.Config)
			if mustBeFault(t, err); err != nil {
				return
			}
			sessions[step.Session] = session
		}
		mustBeFault(t, observe(t.Context(), sessions[step.Session], step))
		if i == len(s.Steps)/2 {
			restore(t, sessions[step.Session])
		}
	}
	for _, session := range sessions {
		_, err := session.State(t.Context())
		mustBeFault(t, err)
	}
}

// restore puts the session into the state that it is in, so that what it saw before has no index any more.
func restore(t *testing.T, session spec.Session) {
	state, err := session.Snapshot(t.Context())
	if mustBeFault(t, err); err == nil {
		mustBeFault(t, session.Restore(t.Context(), state))
	}
}

func observe(ctx context.Context, session spec.Session, step laws.Step) error {
	if step.IsReset() {
		return session.Reset(ctx)
	}
	_, err := session.Observe(ctx, []spec.Value{step.Event})
	return err
}

// mustBeFault fails the test where an error is anything but a refusal.
func mustBeFault(t *testing.T, err error) {
	t.Helper()
	var fault *spec.Fault
	if err != nil && !errors.As(err, &fault) {
		t.Fatalf("the reference could not be asked: %v", err)
	}
}
