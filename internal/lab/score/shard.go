package score

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
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

// shardEnd is the last line of a shard's file: the SHA-256 of all lines before it, so that a damaged one is noticed.
type shardEnd struct {
	Digest string `json:"sha256"`
}

// WriteShard judges a shard and writes what it found, a line for each unit, for [MergeShards].
func WriteShard(ctx context.Context, w io.Writer, shard Shard, corpora []*Corpus, contenders []Contender) error {
	all, err := unitsOf(corpora)
	if err != nil {
		return err
	}
	head := shardHead{Shard: shard}
	head.Rows = lists.Map(contenders, func(c Contender) shardRow { return shardRow{c, c.Sweep} })
	for i, c := range corpora {
		units := lists.Count(all, func(u unit) bool { return u.number == i })
		head.Corpora = append(head.Corpora, shardCorpus{c.Origin, units})
	}
	buffered := bufio.NewWriter(w)
	digest := sha256.New()
	out := json.NewEncoder(io.MultiWriter(buffered, digest))
	if err := out.Encode(head); err != nil {
		return err
	}
	var mine []unit
	for i := shard.I - 1; i < len(all); i += shard.N {
		mine = append(mine, all[i])
	}
	err = inOrder(ctx, mine, contenders, func(u unitResult) error { return out.Encode(u) })
	if err == nil {
		err = out.Encode(shardEnd{hex.EncodeToString(digest.Sum(nil))})
	}
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
	parts, err := partsOf(files)
	if err != nil {
		return nil, err
	}
	t := newTable(parts[0].head.tables())
	taken := 0
	for i, corpus := range t.report.Corpora {
		for unit := range parts[0].head.Corpora[i].Units {
			found, err := parts[taken%len(parts)].next(i, unit)
			if err != nil {
				return nil, err
			}
			corpus.take(found, func(r Result) { t.add(corpus, r) })
			taken++
		}
	}
	for _, p := range parts {
		if err := p.end(); err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return t.finish()
}

// shardReader reads the file of a shard.
type shardReader struct {
	name   string
	head   shardHead
	lines  *bufio.Reader
	digest hash.Hash // of the lines so far
}

var errUnfinished = errors.New("it ends too early: its run was not finished")

// line reads the next line, which must be whole.
func (r *shardReader) line(into any) error {
	line, err := r.lines.ReadBytes('\n')
	if err == nil {
		err = wording.ReadJSON(line, into)
	}
	r.digest.Write(line)
	return err
}

// end reads the last line. It is an error if there is another one, or if a line is not as it was written.
func (r *shardReader) end() error {
	want := hex.EncodeToString(r.digest.Sum(nil))
	var last shardEnd
	err := r.line(&last)
	_, more := r.lines.ReadByte()
	switch {
	case errors.Is(err, io.EOF):
		return errUnfinished
	case err == nil && last.Digest == "", more == nil:
		return errors.New("it has more units than its first line says")
	case err != nil:
		return err
	case last.Digest != want:
		return errors.New("it was changed after it was written: its lines do not have the SHA-256 of its last line")
	}
	return nil
}

// partsOf reads the first lines of the files, and returns these in the order of the shards.
func partsOf(files []ShardFile) ([]*shardReader, error) {
	var parts []*shardReader
	for _, file := range files {
		p := &shardReader{name: file.Name, lines: bufio.NewReader(file), digest: sha256.New()}
		err := p.line(&p.head)
		if err == nil && p.head.N == 0 {
			err = errors.New("its first line names none")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: it is no shard of a score: %w", file.Name, err)
		}
		parts = append(parts, p)
	}
	if len(parts) == 0 {
		return nil, errors.New("no shard is named")
	}
	return parts, sortShards(parts)
}

// sortShards brings shards into their order. It is an error if they are not all of one score, each once.
func sortShards(parts []*shardReader) error {
	first := parts[0]
	for _, p := range parts {
		switch {
		case !p.head.isOf(first.head):
			return fmt.Errorf("%s is a shard of another score than %s", p.name, first.name)
		case p.head.I < 1 || p.head.I > p.head.N:
			return fmt.Errorf("%s: there is no shard %d of %d", p.name, p.head.I, p.head.N)
		}
	}
	slices.SortStableFunc(parts, func(a, b *shardReader) int { return cmp.Compare(a.head.I, b.head.I) })
	for i := range max(first.head.N, len(parts)) {
		switch {
		case i > 0 && i < len(parts) && parts[i].head.I == i:
			return fmt.Errorf("%s and %s are both the shard %d/%d", parts[i-1].name, parts[i].name, i, first.head.N)
		case i == len(parts) || parts[i].head.I > i+1:
			return fmt.Errorf("the shard %d/%d is missing", i+1, first.head.N)
		}
	}
	return nil
}

// next returns what was found in a unit, which is the next one of its shard.
func (r *shardReader) next(corpus, unit int) (u unitResult, err error) {
	err = r.line(&u)
	switch {
	case errors.Is(err, io.EOF):
		return u, fmt.Errorf("%s: %w", r.name, errUnfinished)
	case err != nil:
		return u, fmt.Errorf("%s: %w", r.name, err)
	case u.Corpus != corpus || u.Unit != unit:
		return u, fmt.Errorf("%s: want unit %d of corpus %d, got unit %d of corpus %d", r.name, unit, corpus, u.Unit,
			u.Corpus)
	}
	for _, j := range u.Runs {
		if len(j.Responses) != len(r.head.Rows) || len(j.Rules) != len(pairRules()) {
			return u, fmt.Errorf("%s: the run %s lacks results", r.name, j.Run.Name)
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
	corpora := lists.Map(h.Corpora, func(c shardCorpus) *Corpus {
		return &Corpus{Origin: c.Origin, notes: map[string]int{}}
	})
	return corpora, lists.Map(h.Rows, func(r shardRow) Contender {
		r.Contender.Sweep = r.Sweep
		return r.Contender
	})
}
