package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"hash"
	"hash/fnv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/tracegen"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// cheaterEnv makes this test's program a port that has learned answers instead of the rules. It names the file with the
// questions whose answers it knows.
const cheaterEnv = "LOOPSTONE_TEST_CHEATER"

// serveCheater serves a cheater on the standard streams.
func serveCheater(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	port := &table{Port: reference.Port()}
	if err := json.Unmarshal(text, &port.known); err != nil {
		return err
	}
	return stdio.Serve(context.Background(), port, os.Stdin, os.Stdout)
}

// cheater returns the words that start a cheater, which has learned the answers of the suite, and where it is wanted
// those of the usual seed, too.
func cheater(t *testing.T, withSeed bool) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	port, err := learned(withSeed)
	if err != nil {
		t.Fatal(err)
	}
	known, err := json.Marshal(port.known)
	if err != nil {
		t.Fatal(err)
	}
	return []string{"--", "env", cheaterEnv + "=" + write(t, t.TempDir(), "known.json", string(known)), self}
}

// table is a port of history that answers what it has learned, and sees no loop in anything else.
type table struct {
	spec.Port // the reference, which it learns from

	mu       sync.Mutex // guards what follows
	learning bool
	known    map[uint64]bool
}

// learned returns a table of the suite's answers, with those of the usual seed or without.
func learned(withSeed bool) (*table, error) {
	ctx := context.Background()
	t := &table{Port: reference.Port(), learning: true, known: map[uint64]bool{}}
	all, err := cases.All()
	if err != nil {
		return nil, err
	}
	history := cases.Selection{Detectors: []string{"history"}}
	suite, err := history.Select(all)
	if err != nil {
		return nil, err
	}
	if _, err := conformance.Run(ctx, t, suite, conformance.Options{}); err != nil {
		return nil, err
	}
	laws, err := history.Select(fuzz.Cases())
	if err != nil {
		return nil, err
	}
	if withSeed {
		budget := fuzz.Budget{Checks: cheaterChecks, Seeds: []int64{defaultSeed}, Suite: suite}
		if _, err := fuzz.Judge(ctx, t, reference.Port(), tracegen.For, laws, budget); err != nil {
			return nil, err
		}
	}
	t.learning = false
	return t, nil
}

func (t *table) Describe(ctx context.Context) (spec.Description, error) {
	d, err := t.Port.Describe(ctx)
	offer, _ := d.Offer(spec.History)
	d.Name, d.Detectors = "cheater", []spec.Offer{offer}
	return d, err
}

func (t *table) Open(ctx context.Context, d spec.DetectorID, r spec.Reading, config spec.Value) (spec.Session, error) {
	s, err := t.Port.Open(ctx, d, r, config)
	session := &tableSession{s, t, fnv.New64a()}
	session.hear(fmt.Sprint(d, r, config))
	return session, err
}

// knows notes a question while the table learns, and reports whether it knows it.
func (t *table) knows(question uint64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.learning {
		t.known[question] = true
	}
	return t.known[question]
}

// tableSession is a session of a table, with the hash of all that it was told.
type tableSession struct {
	spec.Session
	table *table
	told  hash.Hash64
}

func (s *tableSession) hear(text string) { s.told.Write([]byte(text)) } // no error

func (s *tableSession) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	verdicts, err := s.Session.Observe(ctx, events)
	for i := range verdicts {
		s.hear(events[i].String())
		if !s.table.knows(s.told.Sum64()) {
			verdicts[i] = spec.MustParse(`{"loop":false,"count":1}`)
		}
	}
	return verdicts, err
}

func (s *tableSession) Reset(ctx context.Context) error {
	s.hear("reset")
	return s.Session.Reset(ctx)
}

func (s *tableSession) Restore(ctx context.Context, state spec.Value) error {
	s.hear(state.String())
	return s.Session.Restore(ctx, state)
}

// cheaterChecks is how many traces the cheaters are tried on: as many as take little time to learn.
const cheaterChecks = 20

// onlyHistory narrows a run to what the cheaters have.
var onlyHistory = []string{"test", "--detector", "history", "--checks", fmt.Sprint(cheaterChecks)}

func with(args []string, more ...string) []string { return append(args[:len(args):len(args)], more...) }

// again finds the command that a report prints for its first failure.
var again = regexp.MustCompile(`(?m)^  again    loopstone (.*?) -- `)

func TestAPortThatLearnedTheSuiteFails(t *testing.T) {
	long(t, "a port learns what it is asked")
	t.Parallel()
	out, outcome := run(t, t.TempDir(), cheater(t, false), onlyHistory...)
	if outcome != conformance.NotConformant || !says(out, "history-law-agreement") {
		t.Errorf("got %s:\n%s", outcome, out)
	}
}

// TestAPortThatLearnedTheUsualSeedFails shows that such a port passes a usual run, and that a strict run, a run with a
// seed of its own, a statement, a badge and verify tell it.
func TestAPortThatLearnedTheUsualSeedFails(t *testing.T) {
	long(t, "six ports learn what they are asked")
	t.Parallel()
	folder, port := t.TempDir(), cheater(t, true)
	out, outcome := run(t, folder, port, with(onlyHistory, "--report", "jsonl=@/usual.jsonl")...)
	if outcome != conformance.Conformant {
		t.Fatalf("the cheater has not learned enough: got %s:\n%s", outcome, out)
	}
	for _, flags := range [][]string{
		{"--strict"}, {"--seed", "1,90210"}, {"--statement", "@/s.jsonl"}, {"--report", "text", "--report", "badge=@/badge.json"},
	} {
		out, outcome := run(t, folder, port, with(onlyHistory, flags...)...)
		if outcome != conformance.NotConformant {
			t.Errorf("%q: got %s:\n%s", flags, outcome, out)
			continue
		}
		command := again.FindStringSubmatch(out)
		if command == nil || !strings.Contains(command[1], " --seed ") || !strings.Contains(command[1], " --checks 20") {
			t.Errorf("%q: the report does not say how to see it again:\n%s", flags, out)
			continue
		}
		if out, outcome := run(t, folder, port, strings.Fields(command[1])...); outcome != conformance.NotConformant {
			t.Errorf("%s: got %s:\n%s", command[1], outcome, out)
		}
	}
	out, outcome = run(t, folder, port, "verify", "@/usual.jsonl")
	if outcome != conformance.NotConformant || !says(out, "the report says passed") || !says(out, "on traces of seed") {
		t.Errorf("verify: got %s:\n%s", outcome, out)
	}
}

// edited changes a jsonl report such that its summary is true of it.
func edited(t *testing.T, folder, name string, change func(r *conformance.Report)) {
	t.Helper()
	stated, err := report.ReadJSONL(strings.NewReader(read(t, filepath.Join(folder, name))))
	if err != nil {
		t.Fatal(err)
	}
	change(stated)
	var text bytes.Buffer
	if err := report.Write("jsonl", &text, stated, report.Options{}); err != nil {
		t.Fatal(err)
	}
	write(t, folder, "edited.jsonl", text.String())
}

// keep keeps the results that a statement's author likes.
func keep(r *conformance.Report, likes func(conformance.Result) bool) {
	r.Results = slices.DeleteFunc(r.Results, func(result conformance.Result) bool { return !likes(result) })
}

func ofProtocol(r conformance.Result) bool { return r.Detector == "protocol" }

func TestAnEditedStatementDoesNotHold(t *testing.T) {
	long(t, "it runs the suite for each edit")
	t.Parallel()
	folder, port := t.TempDir(), portOf(t, "consecutive.py")
	args := []string{
		"test", "--no-properties", "--case", "history-c*,history-h*,protocol-e*", "--statement", "@/true.jsonl",
	}
	if out, outcome := run(t, folder, port, args...); outcome != conformance.NotConformant {
		t.Fatalf("got %s:\n%s", outcome, out)
	}
	tests := []struct {
		why, want string
		change    func(r *conformance.Report)
		outcome   conformance.Outcome
	}{
		{"nothing was changed", "failed", func(*conformance.Report) {}, conformance.Conformant},
		{"its failures were cut out", "now failed at step 3: count: want 2, got 1; the report says nothing", func(r *conformance.Report) {
			keep(r, func(r conformance.Result) bool { return r.Status != conformance.Failed })
		}, conformance.NotConformant},
		{"it asks for the protocol only", "says nothing about detectors", func(r *conformance.Report) {
			keep(r, ofProtocol)
			r.Settings.Selection.Cases = []string{"protocol-e*"}
			r.Suite.Selected = len(r.Results)
			r.Events, r.Requests = 0, 1
		}, conformance.NotDecided},
		{"it says nothing of its selection", "the report says nothing", func(r *conformance.Report) {
			r.Settings.Selection = cases.Selection{}
		}, conformance.NotConformant},
		{"a result is another detector's", "detector: now", func(r *conformance.Report) {
			r.Results[len(r.Results)-1].Detector = "crow"
		}, conformance.NotConformant},
		{"a result cites another clause", "clauses: now", func(r *conformance.Report) {
			r.Results[len(r.Results)-1].Clauses = []string{"HI-1"}
		}, conformance.NotConformant},
		{"more was sent", "events: now", func(r *conformance.Report) { r.Events++ }, conformance.NotConformant},
		{"a name has a line end and an escape", `zz\n::error::x\x1b`, func(r *conformance.Report) {
			r.Results[len(r.Results)-1].Case = "zz\n::error::x\x1b"
		}, conformance.NotConformant},
		{"a result stands twice", "is there twice", func(r *conformance.Report) {
			r.Results = append(r.Results, r.Results[0])
		}, conformance.NotDecided},
	}
	for _, test := range tests {
		t.Run(test.why, func(t *testing.T) {
			edited(t, folder, "true.jsonl", test.change)
			out, outcome := run(t, folder, port, "verify", "@/edited.jsonl")
			if outcome != test.outcome || !says(out, test.want) {
				t.Errorf("got %s, want %s with %q in\n%.3000s", outcome, test.outcome, test.want, out)
			}
		})
	}
}

// TestAStatementOfAnyRunHolds repeats what the results depend on: the order, the seeds, the checks and the cases.
func TestAStatementOfAnyRunHolds(t *testing.T) {
	long(t, "it runs the suite for each selection")
	t.Parallel()
	folder, port := t.TempDir(), portOf(t, "consecutive.py")
	if err := os.MkdirAll(filepath.Join(folder, "own", "history"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "own", "history"), "own.yaml", "detector: history\ncases:\n"+
		"  - {id: history-own, title: Its own, clauses: [HI-1], source: silent, why: It is new.,\n"+
		"     steps: [{tool_call: {tool: t}, expect: {count: 1}}]}\n")
	for name, flags := range map[string][]string{
		"random": {"--random", "--checks", "10", "--case", "history-third*,history-law-agreement"},
		"seeds":  {"--seed", "7,8", "--checks", "10", "--case", "history-law-a*"},
		"own":    {"--cases", "@/own"},
		"shard":  {"--no-properties", "--detector", "history", "--shard", "3/7"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, folder, port, append([]string{"test", "--statement", "@/" + name + ".jsonl"}, flags...)...)
			out, outcome := run(t, folder, port, "verify", "@/"+name+".jsonl")
			if outcome != conformance.Conformant {
				t.Errorf("got %s:\n%s", outcome, out)
			}
		})
	}
}

func TestAnEditedShardIsTold(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, i := range []string{"1", "2"} {
		run(t, folder, portOf(t, "consecutive.py"), "test", "--no-properties", "--shard", i+"/2", "--report", "jsonl=@/"+i+".jsonl")
	}
	whole := read(t, filepath.Join(folder, "1.jsonl"))
	failure := regexp.MustCompile(`(?m)^.*"status":"failed".*\n`).FindString(whole)
	tests := []struct{ why, old, new, want string }{
		{"nothing was changed", "", "", "not conformant: "},
		{"a failure is not there", failure, "", "the summary counts"},
		{"another outcome", `"outcome":"not conformant","exit":1`, `"outcome":"conformant","exit":0`, "the results come to not conformant"},
		{"another version of the port", `"version":"1.0"`, `"version":"1.1"`, "differs from the first in port.version"},
	}
	for _, test := range tests {
		t.Run(test.why, func(t *testing.T) {
			write(t, folder, "edited.jsonl", strings.Replace(whole, test.old, test.new, 1))
			out, outcome := run(t, folder, nil, "merge", "@/edited.jsonl", "@/2.jsonl")
			if outcome == conformance.Conformant || !says(out, test.want) {
				t.Errorf("got %s, want %q in\n%.3000s", outcome, test.want, out)
			}
		})
	}
	if out, outcome := run(t, folder, nil, "merge", "@/2.jsonl"); outcome != conformance.NotDecided {
		t.Errorf("a missing shard may hide anything: got %s:\n%s", outcome, out)
	}
}

// TestWhatIsMistypedIsTold shows that a port of a misspelt detector is not green, nor one of which only the manners were
// looked at.
func TestWhatIsMistypedIsTold(t *testing.T) {
	t.Parallel()
	histroy, port := portOf(t, "histroy.py"), portOf(t, "consecutive.py")
	try(t, t.TempDir(), []invocation{
		{"a detector", histroy, []string{"test"}, conformance.AdapterFault, `did you mean "history"?`},
		{"in the adapter's own check", histroy, []string{"check-adapter"}, conformance.AdapterFault, `did you mean "history"?`},
		{"in fuzz", histroy, []string{"fuzz", "--for", "1ms"}, conformance.AdapterFault, `did you mean "history"?`},
		{"manners alone", port, []string{"test", "--detector", "protocol"}, conformance.NotDecided, "of the protocol passed, and no test of a detector ran"},
		{
			"a strict run that leaves out the laws", referencePort(t),
			[]string{"test", "--strict", "--no-properties", "--case", passingCase},
			conformance.NotDecided, "LAWS NOT CHECKED",
		},
	})
}

// TestTracesAreBounded: what a statement says of its generated traces, too, is checked at both ends.
func TestTracesAreBounded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		checks, seeds int
		want          string
	}{
		{-1, 1, "--checks -1"},
		{0, 1, ""},
		{mostChecks, 2, ""}, // of a strict run, which adds a seed
		{mostChecks + 1, 1, "--checks 100001"},
		{mostChecks, 3, "--checks 100000 for each of 3 seeds"},
		{defaultChecks, mostSeeds, ""},
		{defaultChecks, mostSeeds + 1, "--seed with 101 seeds"},
	} {
		_, err := planOf(conformance.Settings{Checks: tt.checks, Seeds: make([]int64, tt.seeds)}, nil)
		if err == nil && tt.want != "" {
			t.Errorf("%d checks with %d seeds are accepted", tt.checks, tt.seeds)
		} else if err != nil && (tt.want == "" || !strings.Contains(err.Error(), tt.want)) {
			if tt.want == "" && !strings.Contains(err.Error(), "--checks") && !strings.Contains(err.Error(), "--seed") {
				continue // there are no cases to select
			}
			t.Errorf("%d checks with %d seeds: %v", tt.checks, tt.seeds, err)
		}
	}
}

// TestAStatementOfTooManyTracesIsNotRepeated: its author must not choose how long a reader's machine is busy.
func TestAStatementOfTooManyTracesIsNotRepeated(t *testing.T) {
	long(t, "it runs a case twice")
	t.Parallel()
	folder, port := t.TempDir(), portOf(t, "consecutive.py")
	run(t, folder, port, "test", "--no-properties", "--case", "history-third*", "--statement", "@/true.jsonl")
	edited(t, folder, "true.jsonl", func(r *conformance.Report) {
		r.Settings.NoLaws, r.Settings.Checks, r.Settings.Seeds = false, mostChecks, make([]int64, 999)
	})
	out, outcome := run(t, folder, port, "verify", "@/edited.jsonl")
	if outcome != conformance.NotConformant || !says(out, "--seed with 999 seeds: want at most 100") {
		t.Errorf("got %s:\n%.3000s", outcome, out)
	}
}
