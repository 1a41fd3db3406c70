package fuzz_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/tracegen"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// What a port of ralph may have to compute in a run that nobody asked for more, in fields of the tables that textbooks
// fill to compare two texts. A port in Perl fills some two millions in a second.
const (
	mostTablesOfCases = 1_600_000
	mostTablesOfLaws  = 2_000_000
)

// TestRalphIsCheapForAPlainPort: whoever writes ralph in a slow language, from the clauses and without a trick, does
// not wait for it.
func TestRalphIsCheapForAPlainPort(t *testing.T) {
	t.Parallel()
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	own := func(c cases.Case) bool { return c.Detector == spec.Ralph }
	metered := &tables{Port: reference.Port()}
	if _, err := conformance.Run(t.Context(), metered, lists.Filter(suite, own), conformance.Options{Jobs: 1}); err != nil {
		t.Fatal(err)
	}
	ofCases := metered.fields.Swap(0)
	_, err = fuzz.Judge(t.Context(), metered, reference.Port(), tracegen.For, lists.Filter(fuzz.Cases(), own),
		fuzz.Budget{Checks: 100, Seeds: []int64{conformance.FixedSeed}, Suite: suite})
	if err != nil {
		t.Fatal(err)
	}
	ofLaws := metered.fields.Load()
	t.Logf("the cases fill %d fields of tables, the laws %d", ofCases, ofLaws)
	if ofCases == 0 || ofCases > mostTablesOfCases {
		t.Errorf("cases: a plain port fills %d fields of tables, want at most %d", ofCases, mostTablesOfCases)
	}
	if ofLaws == 0 || ofLaws > mostTablesOfLaws {
		t.Errorf("laws: a plain port fills %d fields of tables, want at most %d", ofLaws, mostTablesOfLaws)
	}
}

// tables is a port of ralph that counts the fields of the tables that a plain port would fill.
type tables struct {
	spec.Port
	fields atomic.Int64
}

func (p *tables) compare(a, b int) { p.fields.Add(int64(a) * int64(b)) }

func (p *tables) Call(ctx context.Context, name string, r spec.Reading, args spec.Value) (spec.Value, error) {
	p.compare(lengthOf(args.Get("a")), lengthOf(args.Get("b")))
	return p.Port.Call(ctx, name, r, args)
}

func (p *tables) Open(
	ctx context.Context, d spec.DetectorID, r spec.Reading, config spec.Value,
) (spec.Session, error) {
	session, err := p.Port.Open(ctx, d, r, config)
	if err != nil {
		return nil, err
	}
	s := &comparing{Session: session, tables: p, window: 5}
	if window, set := config.Get("window").Int(); set {
		s.window = window
	}
	return s, nil
}

// comparing is a session that knows the lengths of the outputs that a port stores.
type comparing struct {
	spec.Session
	tables *tables
	window int
	stored []int
}

func (s *comparing) Observe(ctx context.Context, events []spec.Value) ([]spec.Value, error) {
	verdicts, err := s.Session.Observe(ctx, events)
	if err != nil {
		return nil, err
	}
	for _, event := range events {
		if length := lengthOf(event.Get("text")); length > 0 {
			for _, earlier := range s.stored {
				s.tables.compare(earlier, length)
			}
			s.stored = append(s.stored, length)
			s.stored = s.stored[max(0, len(s.stored)-s.window):]
		}
	}
	return verdicts, nil
}

func (s *comparing) Reset(ctx context.Context) error {
	s.stored = nil
	return s.Session.Reset(ctx)
}

func (s *comparing) Restore(ctx context.Context, state spec.Value) error {
	err := s.Session.Restore(ctx, state)
	if err == nil {
		s.stored = s.stored[:0]
		for _, member := range state.Members() {
			for _, text := range member.Value.Items() {
				s.stored = append(s.stored, lengthOf(text.Get("text")))
			}
		}
	}
	return err
}

func lengthOf(text spec.Value) int {
	s, _ := text.Str()
	return utf8.RuneCountInString(s)
}

// TestLongOutputsAreCounted shows that the budget of TestRalphIsCheapForAPlainPort can be spent.
func TestLongOutputsAreCounted(t *testing.T) {
	t.Parallel()
	port := &tables{Port: reference.Port()}
	session, err := port.Open(t.Context(), spec.Ralph, spec.Text, spec.MustParse(`{"window":2}`))
	if err != nil {
		t.Fatal(err)
	}
	output := spec.MustParse(`{"type":"output","text":"0123456789"}`)
	if _, err := session.Observe(t.Context(), slices.Repeat([]spec.Value{output}, 4)); err != nil {
		t.Fatal(err)
	}
	state, err := session.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := session.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := session.Restore(t.Context(), state); err != nil {
		t.Fatal(err)
	}
	if _, err := session.Observe(t.Context(), []spec.Value{output}); err != nil {
		t.Fatal(err)
	}
	if _, err := port.Call(t.Context(), "ralph.ratio", spec.Text, spec.MustParse(`{"a":"ab","b":"abc"}`)); err != nil {
		t.Fatal(err)
	}
	if got, want := port.fields.Load(), int64(0+100+200+200+200+6); got != want {
		t.Errorf("got %d fields, want %d", got, want)
	}
}
