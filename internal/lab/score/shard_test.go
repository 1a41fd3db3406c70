package score

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// shards judges each of n shards of the corpora by itself. Where they have the corpus own, its runs are drawn.
func shards(t *testing.T, choice Choice, n int, paths ...string) []string {
	t.Helper()
	var list []string
	for i := range n {
		corpora, contenders := openedSample(t, choice, paths)
		var b bytes.Buffer
		if err := WriteShard(t.Context(), &b, Shard{i + 1, n}, corpora, contenders); err != nil {
			t.Fatal(err)
		}
		list = append(list, b.String())
	}
	return list
}

func openedSample(t *testing.T, choice Choice, paths []string) ([]*Corpus, []Contender) {
	t.Helper()
	corpora, contenders := opened(t, choice, paths)
	for _, c := range corpora {
		if c.labelName() == "own" {
			if err := c.Draw(drawn(t)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return corpora, contenders
}

func filesOf(texts []string) []ShardFile {
	var files []ShardFile
	for i, text := range texts {
		files = append(files, ShardFile{fmt.Sprintf("part-%d", i+1), strings.NewReader(text)})
	}
	return files
}

// TestShardsMakeTheSameReport: merged, in any order, they say byte for byte what one run says, weights and all.
func TestShardsMakeTheSameReport(t *testing.T) {
	t.Parallel()
	said := func(r *Report, err error) string {
		var b bytes.Buffer
		if err == nil {
			err = errors.Join(r.WriteText(&b, 100), r.WriteJSON(&b))
		}
		if err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	paths := []string{study, "testdata/own", "testdata/outcomes", "testdata/broken"}
	for _, choice := range []Choice{{}, {Sweep: &Sweep{"threshold", 2, 4}}, {Detectors: []string{"crow:code", "@roo"}}} {
		corpora, contenders := openedSample(t, choice, paths)
		want := said(Score(t.Context(), corpora, contenders, nil))
		if !strings.Contains(want, `"weight": 3`) {
			t.Errorf("no run has a weight:\n%s", want)
		}
		for _, n := range []int{1, 2, 3, 50} {
			parts := shards(t, choice, n, paths...)
			slices.Reverse(parts)
			if got := said(MergeShards(filesOf(parts))); got != want {
				t.Errorf("%d shards say\n%s\nwant\n%s", n, got, want)
			}
		}
	}
}

// runOf matches the runs of a line.
var runOf = regexp.MustCompile(`"runs":\[.*\]`)

func TestWrongShardsAreTold(t *testing.T) {
	t.Parallel()
	good := shards(t, Choice{}, 3, "testdata/own")
	other := shards(t, Choice{Detectors: []string{"history"}}, 3, "testdata/own")
	cut := strings.TrimSuffix(good[0], "\n")
	cut = cut[:strings.LastIndexByte(cut, '\n')+1]
	tests := []struct {
		reason string
		parts  []string
		want   string
	}{
		{"none", nil, "no shard is named"},
		{"one is missing", []string{good[0], good[2]}, "the shard 2/3 is missing"},
		{"one is there twice", []string{good[0], good[1], good[1]}, "part-2 and part-3 are both the shard 2/3"},
		{"the only one is there twice", slices.Repeat(shards(t, Choice{}, 1, "testdata/own"), 2), "are both the shard 1/1"},
		{"one is of other detectors", []string{good[0], good[1], other[2]}, "part-3 is a shard of another score than part-1"},
		{"one was cut off", []string{cut, good[1], good[2]}, "part-1: it ends too early"},
		{"one has more", []string{good[0] + good[0], good[1], good[2]}, "part-1: it has more units"},
		{"one is something else", []string{`{"runs":[]}`}, "part-1: it is no shard of a score"},
		{"one is no JSON", []string{"report"}, "part-1: it is no shard of a score"},
		{"one was changed", []string{strings.Replace(good[0], `"steps":`, `"steps":1`, 1), good[1], good[2]}, "part-1: it was changed after"},
		{"one lost a run", []string{good[0], good[1], runOf.ReplaceAllString(good[2], `"runs":[]`)}, "part-3: it was changed after"},
		{"one lacks a result", []string{
			strings.Replace(good[0], `"trials":[{`, `"trials":[],"other":[{`, 1), good[1],
			good[2],
		}, "lacks results"},
	}
	for _, test := range tests {
		_, err := MergeShards(filesOf(test.parts))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: the error is %v, want %s", test.reason, err, test.want)
		}
	}
}

func TestParseShard(t *testing.T) {
	t.Parallel()
	if got, err := ParseShard("2/4"); err != nil || got != (Shard{2, 4}) {
		t.Errorf("2/4 is read as %v, %v", got, err)
	}
	for _, wrong := range []string{"", "2", "0/2", "3/2", "-1/2", "1/x", "1/2/3"} {
		if got, err := ParseShard(wrong); err == nil {
			t.Errorf("%q is read as %v", wrong, got)
		}
	}
}
