package score

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/loopstone/loopstone/internal/lab/agentlogs"
	"github.com/loopstone/loopstone/internal/suite/userfiles"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

// manifestName is the file that makes a folder a corpus.
const manifestName = "corpus.yaml"

// labelledRun is what a manifest says of one run.
type labelledRun struct {
	place  strictyaml.Place
	file   string
	format string // empty where it is to be recognised
	name   string // empty where the file holds one run only
	loop   Truth
	pairs  []string
	solved Truth
}

// String names the run by its file.
func (l labelledRun) String() string {
	if l.name == "" {
		return l.file
	}
	return fmt.Sprintf("the run %q of %s", l.name, l.file)
}

// openManifest reads a manifest: where the runs come from, under which licence, and the labels of each.
func (c *Corpus) openManifest(ctx context.Context, path string) error {
	text, err := userfiles.Read(ctx, path, userfiles.MostText)
	if err != nil {
		return err
	}
	node, err := strictyaml.Parse(path, text)
	if err != nil {
		return err
	}
	var list []labelledRun
	err = node.Read(map[string]strictyaml.Reader{
		"source":  strictyaml.Str(&c.Source),
		"commit":  strictyaml.Str(&c.Commit),
		"licence": strictyaml.Str(&c.Licence),
		"runs":    readEntries(&list),
	}, "source", "licence", "runs")
	if err != nil {
		return err
	}
	folder := filepath.Dir(path)
	c.Path = folder
	c.list = func() ([]unit, error) { return labelled(folder, list), nil }
	return nil
}

func readEntries(into *[]labelledRun) strictyaml.Reader {
	return func(n *strictyaml.Node) error {
		if n.Kind != spec.Array || len(n.Items) == 0 {
			return n.Problemf("want a list of runs that is not empty, got %s", n.Kind)
		}
		for _, item := range n.Items {
			run, err := readEntry(item)
			if err != nil {
				return err
			}
			for _, other := range *into {
				if filepath.Clean(other.file) == filepath.Clean(run.file) && other.name == run.name {
					return item.Problemf("%s has its labels on line %d; a run is labelled once", run, other.place.Line)
				}
			}
			*into = append(*into, run)
		}
		return nil
	}
}

func readEntry(n *strictyaml.Node) (labelledRun, error) {
	run := labelledRun{place: n.Place}
	err := n.Read(map[string]strictyaml.Reader{
		"file":   strictyaml.Str(&run.file),
		"format": strictyaml.Str(&run.format),
		"run":    strictyaml.Str(&run.name),
		"loop":   readTruth(&run.loop),
		"pairs":  readPairs(&run.pairs),
		"solved": readTruth(&run.solved),
	}, "file")
	switch {
	case err != nil:
		return run, err
	case !filepath.IsLocal(run.file):
		return run, n.Get("file").Problemf("%q lies outside of the corpus", run.file)
	case n.Count("loop", "pairs") == 2:
		return run, n.Problemf("a run has the label loop, or pairs that say it, not both")
	case n.Count("loop", "pairs", "solved") == 0:
		return run, n.Problemf("a run without a label: want loop, pairs or solved")
	}
	return run, nil
}

func readTruth(into *Truth) strictyaml.Reader {
	return func(n *strictyaml.Node) error {
		var b bool
		err := strictyaml.Bool(&b)(n)
		*into = truthOf(b)
		return err
	}
}

// readPairs reads the relation of each step but the first to the one before it. A relation may stand there many times.
func readPairs(into *[]string) strictyaml.Reader {
	return func(n *strictyaml.Node) error {
		if n.Kind != spec.Array {
			return n.Problemf("want a list of relations, got %s", n.Kind)
		}
		*into = []string{}
		for _, item := range n.Items {
			var relation string
			if err := strictyaml.Str(&relation)(item); err != nil {
				return err
			}
			*into = append(*into, relation)
		}
		return nil
	}
}

// labelled lists the runs of a manifest, in its order.
func labelled(folder string, list []labelledRun) []unit {
	units := make([]unit, len(list))
	for i, entry := range list {
		units[i].read = func(ctx context.Context, in intake) error {
			run, err := entry.read(ctx, filepath.Join(folder, filepath.FromSlash(entry.file)), in)
			if err != nil {
				return err
			}
			run.Solved, run.Loop = entry.solved, entry.loop
			if entry.pairs != nil {
				in.fit(run, entry.pairs)
			}
			return in.each(run)
		}
	}
	return units
}

// read reads the run that an entry of a manifest names.
func (l labelledRun) read(ctx context.Context, path string, in intake) (*Run, error) {
	var found *Run
	var names []string
	sources, err := agentlogs.Sources([]string{path}, l.format)
	if err != nil {
		return nil, err
	}
	for _, source := range sources {
		err := readRuns(ctx, source, filepath.Dir(path), in, func(from *agentlogs.Run, run *Run) error {
			names = append(names, from.Name)
			if l.name == "" || l.name == from.Name {
				found = run
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	switch {
	case l.name == "" && len(names) != 1:
		return nil, l.place.Problemf("%s holds %d runs; say which, with run", l.file, len(names))
	case found == nil:
		return nil, l.place.Problemf("%s holds no run %q", l.file, l.name)
	}
	found.Name = l.file
	if l.name != "" {
		found.Name += "#" + l.name
	}
	found.Place = found.Name
	return found, nil
}
