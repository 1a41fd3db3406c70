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
	request      string // its id
	parts        []part // of each report
	totals       []*total
	groups       int
	series       []*series
	ids          []id
	someHaveNone bool
}

// part is the place of a report in the batch.
type part struct {
	group *group
	id    int // one of the batch's; -1 where it has none
}

// id is an id of a series.
type id struct {
	group    *group // of the first report that has it
	next     int    // in the series; -1 after the last
	position int    // as report.lua counts them, from 1
	last     byte
	known    bool // was it before?
}

// series is ids that differ in their last byte: ids.lua keeps them in one field.
type series struct {
	name        string // an id without the last byte
	first, last int
}

// total is what is known of a fingerprint.
type total struct {
	batch          *batch
	fingerprint    string
	groups         []*group // follow each other
	count, workers int
}

type group struct {
	worker, tool string
	total        *total
	number       int // from 1
	reports      int // those with one id once
	isWorker     bool
}

type pair struct {
	total  *total
	worker string
}

func newBatch(reports []report) *batch {
	b := &batch{request: "q" + newID(), parts: make([]part, len(reports))}
	others, names := map[pair]*group{}, map[string]*series{}
	var s *series
	for i, r := range reports {
		g := b.group(others, r)
		b.parts[i] = part{group: g, id: -1}
		if r.id == "" {
			b.someHaveNone = true
			g.reports++
			continue
		}
		last := len(r.id) - 1
		if name := r.id[:last]; s == nil || s.name != name { // most ids follow each other
			if s = names[name]; s == nil {
				s = &series{name: name, first: -1}
				names[name], b.series = s, append(b.series, s)
			}
		}
		b.parts[i].id = b.add(s, r.id[last], g)
	}
	b.number()
	return b
}

// group returns the group of a report, and makes it if it is new. Most fingerprints of a batch have one worker; groups
// of further workers are in the map.
func (b *batch) group(others map[pair]*group, r report) *group {
	t := r.own.total
	if t == nil || t.batch != b {
		t = &total{batch: b, fingerprint: r.own.fingerprint}
		r.own.total, b.totals = t, append(b.totals, t)
	} else if t.groups[0].worker == r.worker {
		return t.groups[0]
	} else if g := others[pair{t, r.worker}]; g != nil {
		return g
	}
	g := &group{worker: r.worker, tool: r.tool, total: t}
	if len(t.groups) > 0 {
		others[pair{t, r.worker}] = g
	}
	t.groups = append(t.groups, g)
	b.groups++
	return g
}

// add returns the place in the batch's ids of the id of this series that ends with the byte, and adds the id if it is
// new.
func (b *batch) add(s *series, last byte, g *group) int {
	for i := s.first; i >= 0; i = b.ids[i].next {
		if b.ids[i].last == last {
			return i
		}
	}
	if b.ids == nil {
		b.ids = make([]id, 0, len(b.parts))
	}
	at := len(b.ids)
	if s.first < 0 {
		s.first = at
	} else {
		b.ids[s.last].next = at
	}
	s.last = at
	b.ids = append(b.ids, id{group: g, next: -1, last: last})
	g.reports++
	return at
}

// number gives the groups their numbers, and the ids their positions.
func (b *batch) number() {
	number, position := 0, 0
	for _, t := range b.totals {
		for _, g := range t.groups {
			number++
			g.number = number
		}
	}
	for _, s := range b.series {
		for i := s.first; i >= 0; i = b.ids[i].next {
			position++
			b.ids[i].position = position
		}
	}
}

// asked returns the arguments of report.lua, except the mark, which comes last.
func (b *batch) asked(liveOn bool) []byte {
	out := appendList(make([]byte, 0, 160+64*b.groups+32*len(b.series)+4*len(b.ids)), 9)
	out = appendFlag(appendText(out, b.request), liveOn)
	out = appendList(out, 2*len(b.series))
	owners := make([]byte, 0, 3*len(b.ids))
	var last []byte
	for _, s := range b.series {
		last = last[:0]
		for i := s.first; i >= 0; i = b.ids[i].next {
			last = append(last, b.ids[i].last)
			n := b.ids[i].group.number
			owners = append(owners, byte(n>>16), byte(n>>8), byte(n))
		}
		out = appendText(appendText(out, s.name), string(last))
	}
	out = appendFlag(appendText(out, string(owners)), b.someHaveNone)
	return b.appendGroups(out)
}

func (b *batch) appendGroups(out []byte) []byte {
	counts := appendList(make([]byte, 0, 8+2*b.groups), b.groups)
	tools := appendList(make([]byte, 0, 8+16*b.groups), b.groups)
	out = appendText(appendList(out, 1+2*b.groups), "m")
	for _, t := range b.totals {
		for _, g := range t.groups {
			out = appendText(out, "c", t.fingerprint)
			out = appendText(out, "w", strconv.Itoa(len(g.worker)), ":", g.worker, t.fingerprint)
			counts, tools = appendNumber(counts, g.reports), appendText(tools, g.tool)
		}
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
		if p.id >= 0 {
			isNew = !b.ids[p.id].known
			b.ids[p.id].known = true // SW-35
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
	isKnown := make(map[int]bool, len(positions))
	for _, p := range positions {
		position, _ := p.(int64)
		if position < 0 || int(position) > len(b.ids) {
			return false, fmt.Errorf("position %d of %d ids", position, len(b.ids))
		}
		isKnown[int(position)] = true
	}
	if len(isKnown) > 0 {
		for i := range b.ids {
			b.ids[i].known = isKnown[b.ids[i].position]
		}
	}
	return isKnown[0], nil
}

// allKnown reports whether each report has an id that the store knew.
func (b *batch) allKnown() bool {
	return !b.someHaveNone && !slices.ContainsFunc(b.ids, func(i id) bool { return !i.known })
}

// What the totals are written in: big-endian numbers, as report.lua packs them.
const (
	countSize = 7
	totalSize = 12
)

// readTotals reads what the store knew: the totals of each fingerprint, and whether the worker of each group was known.
func (b *batch) readTotals(text string) error {
	if len(text) != (totalSize+1)*b.groups {
		return fmt.Errorf("%d bytes of totals for %d groups", len(text), b.groups)
	}
	for _, t := range b.totals {
		for _, g := range t.groups {
			t.count, t.workers = unpackTotal(text[:totalSize])
			g.isWorker = text[totalSize] == '1'
			text = text[totalSize+1:]
		}
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
