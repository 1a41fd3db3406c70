package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lab/label"
	"github.com/loopstone/loopstone/internal/lab/score"
	"github.com/loopstone/loopstone/internal/suite/userfiles"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/reference"
)

// labelFlags are the flags of loopstone label.
type labelFlags struct {
	labels, labeller string
	seed             uint64
	agreement        bool
	sample           int
	by               []string
	runs             string
}

func (f *labelFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.labels, "labels", "",
		"write the labels to `file`, and continue it if it exists (default LABELLER.jsonl)")
	flags.StringVar(&f.labeller, "labeller", "", "the `name` of the person who labels (default: your user name)")
	flags.Uint64Var(&f.seed, "seed", 0, "draw and show the runs in the order of this `seed`")
	flags.IntVar(&f.sample, "sample", 0,
		"draw this number of `runs`, equally many from each group of --by, and print their names")
	flags.Func("by", "with --sample: group the runs by which of these `detectors` raise an alarm", addDetectors(&f.by))
	flags.StringVar(&f.runs, "runs", "", "only the runs of this `file`, which --sample printed")
	flags.BoolVar(&f.agreement, "agreement", false,
		"compare two files of labels, or a file and a corpus with labels of its own: kappa, alpha, and which runs differ")
}

func (f *labelFlags) run(ctx context.Context, std streams, c call) (conformance.Outcome, error) {
	paths := c.all()
	switch {
	case f.agreement:
		return f.compare(ctx, std, paths)
	case len(paths) != 1:
		return conformance.Usage, usagef("want one corpus, got %d", len(paths))
	case (f.sample != 0) != (len(f.by) > 0):
		return conformance.Usage, usagef("--sample and --by go together: how many runs, grouped by which detectors' alarms")
	case f.sample < 0:
		return conformance.Usage, usagef("--sample %d: want at least 1", f.sample)
	case f.sample > 0:
		return f.draw(ctx, std, paths[0])
	}
	if f.labeller = cmp.Or(f.labeller, os.Getenv("USER"), os.Getenv("USERNAME")); f.labeller == "" {
		return conformance.Usage, usagef("say who labels: --labeller NAME")
	}
	f.labels = cmp.Or(f.labels, f.labeller+".jsonl")
	return f.serve(ctx, std, paths[0])
}

// serve shows the runs of a corpus on a page until it is interrupted.
func (f *labelFlags) serve(ctx context.Context, std streams, path string) (conformance.Outcome, error) {
	inputs := append(given(file{"--runs", f.runs}), file{"the corpus", path})
	if err := checkOutputs(filesAt("--labels", f.labels), inputs); err != nil {
		return conformance.Usage, err
	}
	runs, err := readCorpus(ctx, std, path)
	if err == nil && f.runs != "" {
		err = runs.Keep(ctx, f.runs)
	}
	if err != nil {
		return conformance.Usage, err
	}
	file, err := label.Open(f.labels)
	if err != nil {
		return conformance.Usage, err
	}
	defer file.Close() // each label is saved already
	if file.Cut > 0 {
		sayf(std.err, "%s: the last line was not finished and is removed (%d bytes)\n", f.labels, file.Cut)
	}
	server := label.Server{Source: runs, File: file, Labeller: f.labeller}
	server.Shuffle(f.seed)
	return conformance.Conformant, server.Serve(ctx, func(url string) {
		fmt.Fprintf(std.out, "%d runs; labels go to %s. Open this page, and stop with Ctrl-C:\n%s\n",
			len(runs.Runs()), wording.Line(f.labels), url)
	})
}

// draw prints a sample of a corpus.
func (f *labelFlags) draw(ctx context.Context, std streams, path string) (conformance.Outcome, error) {
	choice := score.Choice{Detectors: f.by}
	contenders, err := choice.Of(ctx, reference.Port(), "")
	if err := cmp.Or(err, choice.CheckNamed(contenders)); err != nil {
		return conformance.Usage, usageError{err}
	}
	corpus, err := score.Open(ctx, path)
	if err != nil {
		return conformance.Usage, err
	}
	drawn, err := score.Sample(ctx, corpus, contenders, f.sample, f.seed)
	var small score.SmallSample
	if errors.As(err, &small) {
		return conformance.Usage, usageError{err}
	}
	if err != nil {
		return conformance.NotDecided, err
	}
	problem := corpus.Problem
	if problem != nil { // the rest is no sample of the whole
		problem = fmt.Errorf("left out: %w", problem)
	}
	return conformance.Conformant, errors.Join(score.WriteSample(std.out, drawn), problem)
}

// readCorpus reads which runs a corpus has. What cannot be read of it is told, and the rest is labelled.
func readCorpus(ctx context.Context, std streams, path string) (*score.Labelling, error) {
	corpus, err := score.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	runs, err := score.NewLabelling(ctx, corpus)
	if err == nil && corpus.Problem != nil {
		fmt.Fprintf(std.err, "left out: %s\n", wording.Line(corpus.Problem.Error()))
	}
	return runs, err
}

func (f *labelFlags) compare(ctx context.Context, std streams, paths []string) (conformance.Outcome, error) {
	if len(paths) != 2 {
		return conformance.Usage, usagef("--agreement: want two files of labels, got %d", len(paths))
	}
	var labels [2]label.Labels
	for i, path := range paths {
		var err error
		if labels[i], err = f.labelsOf(ctx, std, path); err != nil {
			return conformance.Usage, err
		}
	}
	agreement, err := label.Agree(labels[0], labels[1])
	if err != nil {
		return conformance.NotDecided, userfiles.Wrong(fmt.Errorf("%s and %s: %w", paths[0], paths[1], err))
	}
	return conformance.Conformant, agreement.WriteText(std.out)
}

// labelsOf returns the labels of a file, or what a corpus says of its runs.
func (f *labelFlags) labelsOf(ctx context.Context, std streams, path string) (label.Labels, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, userfiles.Wrong(err)
	}
	if !info.IsDir() && filepath.Ext(path) != ".yaml" {
		return label.Read(ctx, path)
	}
	runs, err := readCorpus(ctx, std, path)
	if err != nil {
		return nil, err
	}
	if len(runs.Own()) == 0 {
		return nil, userfiles.Wrong(errors.New(path + ": the corpus has no labels of its own"))
	}
	return runs.Own(), nil
}
