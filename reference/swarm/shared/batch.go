package shared

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/loopstone/loopstone/spec"
)

// report is one call as the store counts it.
type report struct {
	id           string // empty where nobody sends it again
	own          *ownCalls
	worker, tool string
	position     int // among the events that were observed together
}

// tally has the totals of a report's fingerprint after the report was counted.
type tally struct {
	own            bool // it is the session's own call, and not one that was counted before
	count, workers int
}

// batch is the reports of one request in groups, as report.lua takes them: the reports of a group differ only in their
// ids. So the work of the store grows with the number of groups and of series of ids.
type batch struct {
	request      string   // its id
	parts        []part   // of each report
	groups       []*group // those of one fingerprint follow each other
	ids          []*id    // those of one series follow each other, as report.lua counts them
	series       []*series
	someHaveNone bool
}

// part is the place of a report in the batch.
type part struct {
	group *group
	id    *id // nil where it has none
}

// id is an id of a series.
type id struct {
	group *group // of the first report that has it
	last  byte
	known bool // was it before?
}

// series is ids that differ in their last byte: ids.lua keeps them in one field.
type series struct {
	name string // an id without the last byte
	ids  []*id
}

// total is what is known of a fingerprint.
type total struct {
	fingerprint    string
	groups         []*group
	count, workers int
}

type group struct {
	worker, tool string
	total        *total
	number       int // from 1
	reports      int // those with one id once
	isWorker     bool
}

// member is a worker among those that report a fingerprint.
type member struct {
	own    *ownCalls
	worker string
}

func newBatch(reports []report) *batch {
	b := &batch{request: "q" + newID(), parts: make([]part, len(reports))}
	known, members, names := map[*ownCalls]*total{}, map[member]*group{}, map[string]*series{}
	var totals []*total
	for i, r := range reports {
		g := members[member{r.own, r.worker}]
		if g == nil {
			t := known[r.own]
			if t == nil {
				t = &total{fingerprint: r.own.fingerprint}
				known[r.own], totals = t, append(totals, t)
			}
			g = &group{worker: r.worker, tool: r.tool, total: t}
			members[member{r.own, r.worker}], t.groups = g, append(t.groups, g)
		}
		b.parts[i].group = g
		if r.id == "" {
			b.someHaveNone = true
			g.reports++
			continue
		}
		name, last := r.id[:len(r.id)-1], r.id[len(r.id)-1]
		if names[name] == nil {
			names[name] = &series{name: name}
			b.series = append(b.series, names[name])
		}
		b.parts[i].id = names[name].id(last, g)
	}
	b.arrange(totals)
	return b
}

// arrange puts the groups and the ids into the order in which report.lua counts them.
func (b *batch) arrange(totals []*total) {
	for _, t := range totals {
		for _, g := range t.groups {
			b.groups = append(b.groups, g)
			g.number = len(b.groups)
		}
	}
	for _, s := range b.series {
		b.ids = append(b.ids, s.ids...)
	}
}

// id returns the id of the series that ends with the byte, and adds it if it is new.
func (s *series) id(last byte, g *group) *id {
	i := slices.IndexFunc(s.ids, func(known *id) bool { return known.last == last })
	if i < 0 {
		i, s.ids = len(s.ids), append(s.ids, &id{group: g, last: last})
		g.reports++
	}
	return s.ids[i]
}

// asked returns the arguments of report.lua, except the mark, which comes last.
func (b *batch) asked(liveOn bool) []byte {
	out := appendFlag(appendText(appendList(nil, 9), b.request), liveOn)
	out = appendList(out, 2*len(b.series))
	for _, s := range b.series {
		last := make([]byte, len(s.ids))
		for i, id := range s.ids {
			last[i] = id.last
		}
		out = appendText(appendText(out, s.name), string(last))
	}
	var owners []byte
	for _, id := range b.ids {
		n := id.group.number
		owners = append(owners, byte(n>>16), byte(n>>8), byte(n))
	}
	out = appendFlag(appendText(out, string(owners)), b.someHaveNone)
	return b.appendGroups(out)
}

func (b *batch) appendGroups(out []byte) []byte {
	out = appendText(appendList(out, 1+2*len(b.groups)), "m")
	counts, tools := appendList(nil, len(b.groups)), appendList(nil, len(b.groups))
	for _, g := range b.groups {
		out = appendText(out, "c", g.total.fingerprint)
		out = appendText(out, "w", strconv.Itoa(len(g.worker)), ":", g.worker, g.total.fingerprint)
		counts, tools = appendNumber(counts, g.reports), appendText(tools, g.tool)
	}
	return append(append(out, counts...), tools...)
}

// errCounted is the error of a batch that an earlier attempt counted, or may have counted: others may have reported
// since, and the totals of now may include their calls.
var errCounted = errors.New("an answer was lost, and these reports may be counted") // SW-33

// tallies reads the answer of report.lua, which has the totals before the batch, and counts from there, report by
// report. It also returns the mark of the totals.
func (b *batch) tallies(a answer) (mark string, all []tally, err error) {
	parts, _ := a.value.([]any)
	if len(parts) != 3 {
		return "", nil, errors.New("want a mark, positions and totals")
	}
	mark, _ = parts[0].(string)
	positions, _ := parts[1].([]any)
	again, err := b.readKnown(positions)
	if err != nil {
		return "", nil, err
	}
	if again || !a.isFirst && b.allKnown() {
		return "", nil, errCounted
	}
	text, _ := parts[2].(string)
	if err := b.readTotals(text); err != nil {
		return "", nil, err
	}
	all = make([]tally, len(b.parts))
	for i, p := range b.parts {
		isNew := true
		if p.id != nil {
			isNew, p.id.known = !p.id.known, true // SW-35
		}
		t := p.group.total
		if isNew {
			t.count = min(t.count+1, spec.MaxCount) // SW-25
			if !p.group.isWorker {
				p.group.isWorker = true
				t.workers++ // SW-34
			}
		}
		all[i] = tally{own: isNew, count: t.count, workers: t.workers}
	}
	return mark, all, nil
}

// readKnown reads the positions of the ids that the store knew. Position 0 stands for the request's own id: an earlier
// attempt of the request was executed, and its answer lost.
func (b *batch) readKnown(positions []any) (again bool, err error) {
	for _, p := range positions {
		switch position, _ := p.(int64); {
		case position < 0 || int(position) > len(b.ids):
			return false, fmt.Errorf("position %d of %d ids", position, len(b.ids))
		case position == 0:
			again = true
		default:
			b.ids[position-1].known = true
		}
	}
	return again, nil
}

// allKnown reports whether each report has an id that the store knew.
func (b *batch) allKnown() bool {
	return !b.someHaveNone && !slices.ContainsFunc(b.ids, func(i *id) bool { return !i.known })
}

// What the totals are written in: big-endian numbers, as report.lua packs them.
const (
	countSize = 7
	totalSize = 12
)

// readTotals reads what the store knew: the totals of each fingerprint, and whether the worker of each group was known.
func (b *batch) readTotals(text string) error {
	if len(text) != (totalSize+1)*len(b.groups) {
		return fmt.Errorf("%d bytes of totals for %d groups", len(text), len(b.groups))
	}
	for _, g := range b.groups {
		g.total.count, g.total.workers = unpackTotal(text[:totalSize])
		g.isWorker = text[totalSize] == '1'
		text = text[totalSize+1:]
	}
	return nil
}

// unpackTotal reads a count and a number of workers of totalSize bytes.
func unpackTotal(text string) (count, workers int) {
	var wide [16]byte
	copy(wide[8-countSize:], text[:countSize])
	copy(wide[16-totalSize+countSize:], text[countSize:])
	return int(binary.BigEndian.Uint64(wide[:])), int(binary.BigEndian.Uint64(wide[8:]))
}
