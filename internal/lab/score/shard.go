package score

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/spec/words"
)

// Shard is a part of the corpora, so that many machines can judge one corpus: of N shards, the one with the number I
// has every N-th unit, from the I-th on.
type Shard struct {
	I int `json:"shard"` // from 1
	N int `json:"of"`
}

// ParseShard reads "i/n".
func ParseShard(text string) (Shard, error) {
	first, second, _ := strings.Cut(text, "/")
	i, err := strconv.Atoi(first)
	n, err2 := strconv.Atoi(second)
	if err != nil || err2 != nil || i < 1 || n < i {
		return Shard{}, fmt.Errorf("%q: want i/n, such as 2/4 for the second of four shards", text)
	}
	return Shard{i, n}, nil
}

// shardHead is the first line of a shard's file: what all shards of a score must agree on.
type shardHead struct {
	Shard
	Corpora []shardCorpus `json:"corpora"`
	Rows    []shardRow    `json:"rows"`
}

type shardCorpus struct {
	Origin
	Units int `json:"units"`
}

type shardRow struct {
	Contender
	Sweep *Point `json:"sweep,omitempty"`
}

// WriteShard judges a shard and writes what it found, a line for each unit, for [MergeShards].
func WriteShard(ctx context.Context, w io.Writer, shard Shard, corpora []*Corpus, contenders []Contender) error {
	all, err := unitsOf(corpora)
	if err != nil {
		return err
	}
	head := shardHead{Shard: shard}
	for i, c := range corpora {
		units := words.Among(all, func(u unit) bool { return u.number == i })
		head.Corpora = append(head.Corpora, shardCorpus{c.Origin, len(units)})
	}
	for _, c := range contenders {
		head.Rows = append(head.Rows, shardRow{c, c.Sweep})
	}
	buffered := bufio.NewWriter(w)
	out := json.NewEncoder(buffered)
	if err := out.Encode(head); err != nil {
		return err
	}
	var mine []unit
	for i := shard.I - 1; i < len(all); i += shard.N {
		mine = append(mine, all[i])
	}
	err = inOrder(ctx, mine, contenders, func(u unitResult) error { return out.Encode(u) })
	return errors.Join(err, buffered.Flush())
}

// ShardFile is what [WriteShard] wrote.
type ShardFile struct {
	Name string // as errors have it
	io.Reader
}

// MergeShards makes the report of all shards of a score, the same as if it had been made in one run. It is an error
// where one is missing, or stands there twice, or is of another score. One result of each file is held at a time.
func MergeShards(files []ShardFile) (*Report, error) {
	m := merger{files: files}
	if err := m.readHeads(); err != nil {
		return nil, err
	}
	t := newTable(m.heads[0].tables())
	for i, corpus := range m.heads[0].Corpora {
		for unit := range corpus.Units {
			found, err := m.next(i, unit)
			if err != nil {
				return nil, err
			}
			t.report.Corpora[i].take(found, func(j judged) { t.add(t.report.Corpora[i], j) })
		}
	}
	for i, d := range m.lines {
		if d.More() {
			return nil, fmt.Errorf("%s: it has more units than its first line says", m.files[i].Name)
		}
	}
	return t.finish()
}

// merger reads the files of all shards beside one another.
type merger struct {
	files []ShardFile
	lines []*json.Decoder
	heads []shardHead
	taken int // units
}

func (m *merger) readHeads() error {
	for _, file := range m.files {
		lines := json.NewDecoder(file)
		var head shardHead
		err := lines.Decode(&head)
		if err == nil && head.N == 0 {
			err = errors.New("its first line names none")
		}
		if err != nil {
			return fmt.Errorf("%s: it is no shard of a score: %w", file.Name, err)
		}
		m.lines, m.heads = append(m.lines, lines), append(m.heads, head)
	}
	if len(m.heads) == 0 {
		return errors.New("no shard is named")
	}
	first := m.heads[0]
	place := make([]int, first.N) // of each shard in the files, from 1
	for i, head := range m.heads {
		switch {
		case !head.isOf(first):
			return fmt.Errorf("%s is a shard of another score than %s", m.files[i].Name, m.files[0].Name)
		case head.I < 1 || head.I > head.N:
			return fmt.Errorf("%s: there is no shard %d of %d", m.files[i].Name, head.I, head.N)
		case place[head.I-1] > 0:
			other := m.files[place[head.I-1]-1].Name
			return fmt.Errorf("%s and %s are both the shard %d/%d", other, m.files[i].Name, head.I, head.N)
		}
		place[head.I-1] = i + 1
	}
	return m.sort(place)
}

// sort brings the files into the order of the shards.
func (m *merger) sort(place []int) error {
	sorted := merger{}
	for i, at := range place {
		if at == 0 {
			return fmt.Errorf("the shard %d/%d is missing", i+1, len(place))
		}
		sorted.files, sorted.lines = append(sorted.files, m.files[at-1]), append(sorted.lines, m.lines[at-1])
		sorted.heads = append(sorted.heads, m.heads[at-1])
	}
	*m = sorted
	return nil
}

// next returns what was found in a unit, which is the next one of its shard.
func (m *merger) next(corpus, unit int) (unitResult, error) {
	i := m.taken % len(m.files)
	m.taken++
	var u unitResult
	err := m.lines[i].Decode(&u)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return u, fmt.Errorf("%s: it ends too early: its run was not finished", m.files[i].Name)
	case err != nil:
		return u, fmt.Errorf("%s: %w", m.files[i].Name, err)
	case u.Corpus != corpus || u.Unit != unit:
		return u, fmt.Errorf("%s: want unit %d of corpus %d, got unit %d of corpus %d",
			m.files[i].Name, unit, corpus, u.Unit, u.Corpus)
	}
	for _, j := range u.Runs {
		if len(j.Trials) != len(m.heads[0].Rows) || len(j.Rules) != len(pairRules()) {
			return u, fmt.Errorf("%s: the run %s lacks results", m.files[i].Name, j.Run.Name)
		}
	}
	return u, nil
}

// isOf reports whether two shards are of one score.
func (h shardHead) isOf(other shardHead) bool {
	h.I, other.I = 0, 0
	mine, err := json.Marshal(h)
	others, err2 := json.Marshal(other)
	return err == nil && err2 == nil && bytes.Equal(mine, others)
}

// tables returns the corpora and contenders that the shards name, as far as a report needs them.
func (h shardHead) tables() ([]*Corpus, []Contender) {
	var corpora []*Corpus
	for _, c := range h.Corpora {
		corpora = append(corpora, &Corpus{Origin: c.Origin, notes: map[string]int{}})
	}
	var contenders []Contender
	for _, r := range h.Rows {
		r.Contender.Sweep = r.Sweep
		contenders = append(contenders, r.Contender)
	}
	return corpora, contenders
}
