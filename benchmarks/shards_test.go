package benchmarks_test

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/loopstone/loopstone/internal/lab/score"
	"github.com/loopstone/loopstone/recordings"
	"github.com/loopstone/loopstone/reference"
)

var corpusEvents = flag.Int("corpus-events", 20_000,
	"how many events the corpus of TestShardsOfALargeCorpus has; 10000000 is the full run")

// TestShardsOfALargeCorpus scores a corpus at once and in eight shards: the reports must be equal, byte for byte. Each run
// has a thousand events, of the project's recordings in random order. The full run is
//
//	go test ./benchmarks -run TestShardsOfALargeCorpus -corpus-events 10000000 -timeout 60m -v
func TestShardsOfALargeCorpus(t *testing.T) {
	const ofRun, n = 1000, 8
	folder := t.TempDir()
	writeCorpus(t, folder, *corpusEvents/ofRun, ofRun)
	open := func() ([]*score.Corpus, []score.Contender) {
		corpus, err := score.Open(t.Context(), folder)
		if err != nil {
			t.Fatal(err)
		}
		contenders, err := score.Choice{}.Of(t.Context(), reference.Port(), "")
		if err != nil {
			t.Fatal(err)
		}
		return []*score.Corpus{corpus}, contenders
	}
	corpora, contenders := open()
	whole, err := score.Score(t.Context(), corpora, contenders, nil)
	if err != nil {
		t.Fatal(err)
	}
	var files []score.ShardFile
	for i := range n {
		var shard bytes.Buffer
		corpora, contenders := open()
		if err := score.WriteShard(t.Context(), &shard, score.Shard{I: i + 1, N: n}, corpora, contenders); err != nil {
			t.Fatal(err)
		}
		files = append(files, score.ShardFile{Name: fmt.Sprint(i + 1), Reader: &shard})
	}
	merged, err := score.MergeShards(files)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := jsonOf(t, merged), jsonOf(t, whole); !bytes.Equal(got, want) {
		t.Errorf("the shards say\n%s\nwant\n%s", got, want)
	}
}

func jsonOf(t *testing.T, report *score.Report) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := report.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// writeCorpus writes so many runs of so many events, of which every third is labelled a loop.
func writeCorpus(t *testing.T, folder string, runs, events int) {
	t.Helper()
	paths, err := fs.Glob(recordings.Files, "*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var recorded [][][]byte // the events of each recording, a line each
	for _, path := range paths {
		text, err := fs.ReadFile(recordings.Files, path)
		if err != nil {
			t.Fatal(err)
		}
		isHead := func(line []byte) bool { return !bytes.HasPrefix(line, []byte(`{"type"`)) }
		recorded = append(recorded, slices.DeleteFunc(slices.Collect(bytes.Lines(text)), isHead))
	}
	random, manifest := rand.New(rand.NewPCG(1, 1)), []byte("source: made by a test\nlicence: none\nruns:\n")
	for i := range runs {
		var lines [][]byte
		for len(lines) < events {
			lines = append(lines, recorded[random.IntN(len(recorded))]...)
		}
		name := fmt.Sprintf("run-%05d", i)
		text := append(fmt.Appendf(nil, `{"run":{"name":%q}}`+"\n", name), bytes.Join(lines[:events], nil)...)
		if err := os.WriteFile(filepath.Join(folder, name+".jsonl"), text, 0o644); err != nil {
			t.Fatal(err)
		}
		manifest = fmt.Appendf(manifest, "  - {file: %s.jsonl, loop: %t}\n", name, i%3 == 0)
	}
	if err := os.WriteFile(filepath.Join(folder, "corpus.yaml"), manifest, 0o644); err != nil {
		t.Fatal(err)
	}
}
