package shared

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// report is one call as the store counts it.
type report struct {
	id                        string // empty where nobody sends it again
	fingerprint, worker, tool string
}

// tally is what is known of a report's fingerprint once the report is taken in.
type tally struct {
	own            bool // it is the session's own call, and not one that was counted before
	count, workers int
}

// batch is the reports of one request in groups, as report.lua takes them: those of a group differ in their ids only. The
// store then has as much to do as there are groups, and one look for each id.
type batch struct {
	reports []report
	groups  []*group // those with ids first
	withID  int      // how many of them
	ids     []string // each once, in the order of the groups
}

type group struct {
	pair
	tool string
	ids  []string // of its reports, an empty one where a report has none
}

type pair struct{ fingerprint, worker string }

func newBatch(reports []report) *batch {
	b := &batch{reports: reports}
	b.gather(true)
	b.withID = len(b.groups)
	for _, g := range b.groups {
		b.ids = append(b.ids, g.ids...)
	}
	b.gather(false)
	return b
}

// gather puts the reports that have ids into groups, or those that have none.
func (b *batch) gather(haveIDs bool) {
	groups, seen := map[pair]*group{}, map[string]bool{}
	for _, r := range b.reports {
		if (r.id != "") != haveIDs {
			continue
		}
		key := pair{r.fingerprint, r.worker}
		g := groups[key]
		if g == nil {
			g = &group{pair: key, tool: r.tool}
			groups[key], b.groups = g, append(b.groups, g)
		}
		if !haveIDs || !seen[r.id] {
			g.ids = append(g.ids, r.id)
		}
		seen[r.id] = true
	}
}

// words returns the arguments of report.lua, the first of which is the store's.
func (b *batch) words() []any {
	words := make([]any, 0, 4+len(b.ids)+4*len(b.groups))
	words = append(words, nil, "q"+newID(), len(b.ids))
	for _, id := range b.ids {
		words = append(words, id)
	}
	words = append(words, b.withID)
	for _, g := range b.groups {
		words = append(words, g.fingerprint, g.tool, fmt.Sprintf("%d:%s", len(g.worker), g.worker), len(g.ids))
	}
	return words
}

// total is what is known of a fingerprint.
type total struct{ count, workers int }

// tallies reads the answer of report.lua, which tells the totals before the batch, and counts on, report by report. It
// returns the mark of the latest reset or restore, too.
func (b *batch) tallies(answer any) (mark string, all []tally, err error) {
	parts, _ := answer.([]any)
	if len(parts) != 3 {
		return "", nil, errors.New("want a mark, positions and totals")
	}
	mark, _ = parts[0].(string)
	positions, _ := parts[1].([]any)
	known, err := b.known(positions)
	if err != nil {
		return "", nil, err
	}
	text, _ := parts[2].(string)
	totals, crew, err := b.before(strings.Fields(text))
	if err != nil {
		return "", nil, err
	}
	for _, r := range b.reports {
		t, p := totals[r.fingerprint], pair{r.fingerprint, r.worker}
		isNew := !known[r.id]
		if isNew {
			t.count = min(t.count+1, spec.MaxCount) // SW-25
			if !crew[p] {
				crew[p] = true
				t.workers++ // SW-34
			}
		}
		known[r.id] = known[r.id] || r.id != "" // SW-35
		all = append(all, tally{own: isNew || r.id == "", count: t.count, workers: t.workers})
	}
	return mark, all, nil
}

// known returns the ids that the store knew. The empty one is among them where an earlier attempt of this request was
// executed, and its answer lost: then no report of it is new.
func (b *batch) known(positions []any) (map[string]bool, error) {
	known := map[string]bool{}
	for _, p := range positions {
		switch position, _ := p.(int64); {
		case position == 0:
			known[""] = true
		case int(position) <= len(b.ids):
			known[b.ids[position-1]] = true
		default:
			return nil, errors.New("a position is beyond the ids")
		}
	}
	return known, nil
}

// before reads what the store knew: the totals of each fingerprint, and who is one of its workers.
func (b *batch) before(numbers []string) (totals map[string]*total, crew map[pair]bool, err error) {
	if len(numbers) != 3*len(b.groups) {
		return nil, nil, errors.New("want three numbers of each group")
	}
	totals, crew = map[string]*total{}, map[pair]bool{}
	for i, g := range b.groups {
		count, countErr := strconv.Atoi(numbers[3*i])
		workers, workersErr := strconv.Atoi(numbers[3*i+1])
		if err := errors.Join(countErr, workersErr); err != nil {
			return nil, nil, err
		}
		totals[g.fingerprint] = &total{count, workers}
		crew[g.pair] = numbers[3*i+2] == "1"
	}
	return totals, crew, nil
}
