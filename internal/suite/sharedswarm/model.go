package sharedswarm

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/anishathalye/porcupine"

	"github.com/loopstone/loopstone/reference/swarm"
	"github.com/loopstone/loopstone/spec"
)

// total is what is known of a tool's calls.
type total struct {
	count   int
	workers string // sorted names, with commas
}

// state is a swarm as the clauses have it: totals, and the reports that were counted. It is never changed.
type state struct {
	totals map[string]total // by tool
	known  map[string]bool  // ids of reports, each after its worker
}

// answer is what an instance said.
type answer struct {
	refused bool             // with unavailable: the operation may have taken effect, or may still
	total   total            // after a report; of the workers, only how many
	all     map[string]total // in a snapshot
	workers int              // after a report
	text    string           // for people
}

// model is the clauses SW-33 to SW-37 as porcupine asks for them: one operation at a time, each whole.
var model = porcupine.Model{
	Init: func() any { return state{totals: map[string]total{}, known: map[string]bool{}} },
	Step: func(before, input, output any) (bool, any) {
		return step(before.(state), input.(operation), output.(answer))
	},
	Equal: func(a, b any) bool {
		x, y := a.(state), b.(state)
		return maps.Equal(x.totals, y.totals) && maps.Equal(x.known, y.known)
	},
}

// step reports whether an instance may give the answer in the state, and returns the state after it.
func step(s state, o operation, a answer) (bool, state) {
	switch o.action {
	case report:
		after, now := s.counted(o)
		return a.refused || a.total.count == now.count && a.workers == now.size(), after
	case clear: // SW-37
		return true, state{totals: map[string]total{}, known: s.known}
	case restore: // SW-37
		return true, state{totals: map[string]total{"t": {count: 3, workers: "a,b"}}, known: s.known}
	default:
		return a.refused || maps.Equal(a.all, s.totals), s
	}
}

// counted returns the state after a report, and the totals of its tool then.
func (s state) counted(o operation) (state, total) {
	now := s.totals[o.tool]
	id := o.worker + " " + o.id
	if o.id != "" && s.known[id] { // SW-35
		return s, now
	}
	after := state{totals: maps.Clone(s.totals), known: s.known}
	if o.id != "" {
		after.known = maps.Clone(s.known) // SW-36
		after.known[id] = true
	}
	names := strings.FieldsFunc(now.workers, func(r rune) bool { return r == ',' })
	if !slices.Contains(names, o.worker) { // SW-34
		names = append(names, o.worker)
		slices.Sort(names)
	}
	now = total{count: now.count + 1, workers: strings.Join(names, ",")}
	after.totals[o.tool] = now
	return after, now
}

// size is how many workers there are.
func (t total) size() int {
	if t.workers == "" {
		return 0
	}
	return strings.Count(t.workers, ",") + 1
}

// readVerdict reads the answer to a report, under a configuration in which every counted call is a loop.
func readVerdict(v spec.Value) answer {
	count, _ := v.Get("count").Int()
	workers, _ := v.Get("workers").Int()
	return answer{
		total: total{count: count}, workers: workers,
		text: fmt.Sprintf("call %d, by %d workers", count, workers),
	}
}

// readSnapshot reads a state of the swarm. One that no snapshot could be is an error.
func readSnapshot(v spec.Value) (answer, error) {
	if _, err := swarm.ReadState(v); err != nil {
		return answer{}, fmt.Errorf("a snapshot that no session can restore: %w", err)
	}
	a := answer{all: map[string]total{}}
	var texts []string
	for _, entry := range v.Get("fingerprints").Items() {
		tool := entry.Get("tool").Text()
		count, _ := entry.Get("count").Int()
		names := entry.Get("workers").Texts()
		slices.Sort(names)
		a.all[tool] = total{count: count, workers: strings.Join(names, ",")}
		texts = append(texts, fmt.Sprintf("%d calls of %s by %s", count, tool, strings.Join(names, ", ")))
	}
	slices.Sort(texts)
	a.text = "nothing"
	if len(texts) > 0 {
		a.text = strings.Join(texts, "; ")
	}
	return a, nil
}
