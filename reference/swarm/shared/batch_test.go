package shared_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/internal/testing/redisserver"
	"github.com/loopstone/loopstone/spec"
)

// plain is a swarm that counts one report after the other, as the clauses say.
type plain struct {
	counts  map[string]int
	workers map[string]map[string]bool
	ids     map[[2]string]bool
}

func (p *plain) reset() { p.counts, p.workers = map[string]int{}, map[string]map[string]bool{} }

// report counts a call with an id, or without one, and tells what the verdict tells.
func (p *plain) report(tool, worker string, id *string) (count, workers int) {
	known := false
	if id != nil {
		key := [2]string{worker, *id}
		known, p.ids[key] = p.ids[key], true
	}
	if !known {
		p.counts[tool]++
		if p.workers[tool] == nil {
			p.workers[tool] = map[string]bool{}
		}
		p.workers[tool][worker] = true
	}
	return p.counts[tool], len(p.workers[tool])
}

func TestBatchesCountAsReportsOneByOne(t *testing.T) {
	t.Parallel()
	url := redisserver.Start(t).URL()
	swarms := 0
	rapid.Check(t, func(rt *rapid.T) {
		swarms++
		config := fmt.Sprintf(`{"swarm":"s%d","threshold":1,"min_workers":1}`, swarms)
		sessions := []spec.Session{open(t, url, config), open(t, url, config)}
		model := plain{ids: map[[2]string]bool{}}
		model.reset()
		for range rapid.IntRange(1, 8).Draw(rt, "requests") {
			s := rapid.SampledFrom(sessions).Draw(rt, "session")
			if rapid.IntRange(0, 9).Draw(rt, "reset") == 0 {
				if err := s.Reset(t.Context()); err != nil {
					rt.Fatal(err)
				}
				model.reset()
				continue
			}
			var events []spec.Value
			var wants, got [][2]int
			for range rapid.IntRange(1, 40).Draw(rt, "reports") {
				tool := rapid.SampledFrom([]string{"t", "u", "v"}).Draw(rt, "tool")
				worker := rapid.SampledFrom([]string{"", "a", "b:", "b"}).Draw(rt, "worker")
				var id *string
				event := fmt.Sprintf(`{"type":"tool_call","tool":%q,"worker":%q}`, tool, worker)
				call := spec.MustParse(event)
				if rapid.IntRange(0, 3).Draw(rt, "has an id") > 0 {
					text := rapid.StringOfN(rapid.RuneFrom([]rune("%]^-.\x00\né1")), 0, 2, -1).Draw(rt, "id")
					id, call = &text, call.With("id", spec.StringValue(text))
				}
				count, workers := model.report(tool, worker, id)
				wants, events = append(wants, [2]int{count, workers}), append(events, call)
			}
			verdicts, err := s.Observe(t.Context(), events)
			if err != nil {
				rt.Fatal(err)
			}
			for _, v := range verdicts {
				count, _ := v.Get("count").Int()
				workers, _ := v.Get("workers").Int()
				got = append(got, [2]int{count, workers})
			}
			if diff := cmp.Diff(wants, got); diff != "" {
				rt.Fatalf("count and workers of each report (-want +got)\n%s", diff)
			}
		}
	})
}

func TestABatchMayBeLargerThanACommandOfItsScript(t *testing.T) {
	t.Parallel()
	s := open(t, redisserver.Start(t).URL(), everyCall)
	const calls = 9000
	var events []spec.Value
	for i := range calls {
		event := fmt.Sprintf(`{"type":"tool_call","tool":"t%d","worker":"a","id":"%x-%d"}`, i, 7*i, i)
		events = append(events, spec.MustParse(event))
	}
	for i, count := range []int{1, 1} {
		verdicts, err := s.Observe(t.Context(), events)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range verdicts {
			if got, _ := v.Get("count").Int(); got != count {
				t.Fatalf("time %d: %s, want the count %d", i+1, v, count)
			}
		}
	}
	state, err := s.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Restore(t.Context(), state); err != nil {
		t.Fatal(err)
	}
	if again, err := s.Snapshot(t.Context()); err != nil || !again.Equal(state) || len(state.Get("fingerprints").Items()) != calls {
		t.Errorf("%d fingerprints, restored they are others: %v", len(state.Get("fingerprints").Items()), err)
	}
}

// The ids are told apart by more than their last byte, so that each has a field of its own, and by their last byte only.
func TestTheLatestIDsAreKnownAndNoMoreThanTwiceAsManyAreKept(t *testing.T) {
	t.Parallel()
	const kept, step = 65536, 4096 // SW-36
	for name, form := range map[string]string{"ids that follow each other": "%06d", "ids that do not": "%06d-"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := redisserver.Start(t)
			s := open(t, server.URL(), `{"swarm":"s","threshold":9007199254740991}`)
			call := spec.MustParse(callOfA)
			send := func(first int) {
				events := make([]spec.Value, step)
				for i := range events {
					events[i] = call.With("id", spec.StringValue(fmt.Sprintf(form, first+i)))
				}
				if _, err := s.Observe(t.Context(), events); err != nil {
					t.Fatal(err)
				}
			}
			const all = 5 * kept / 2
			for first := 0; first < all; first += step {
				send(first)
			}
			for first := all - kept; first < all; first += step {
				send(first)
			}
			if count, _ := total(t, s); count != all {
				t.Errorf("the latest were sent again, and the count is %d, want %d", count, all)
			}
			ids := 0
			for _, key := range []string{"ids", "earlier-ids"} {
				fields, err := server.Client().Ask(t.Context(), "HGETALL", "loopstone:{n73}:"+key).AsStrMap()
				if err != nil {
					t.Fatal(err)
				}
				delete(fields, "#")
				for _, last := range fields {
					ids += len(last)
				}
			}
			if ids < kept || ids >= 2*kept+step {
				t.Errorf("%d ids are kept, want %d to twice as many", ids, kept)
			}
		})
	}
}
