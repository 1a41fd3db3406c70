package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/internal/bench/workload"
	"github.com/loopstone/loopstone/spec"
)

// listing is a document's own code of a detector.
type listing struct {
	detector  spec.DetectorID
	document  string // file
	language  string // of the code block
	contains  string // of all blocks in that language, this one
	command   []string
	workloads []string
	aim       float64 // how many times as fast the reference is to be, as a median over the workloads
}

var documentListings = []listing{
	{
		spec.History, "D3-history-pattern.md", "python", "class ToolLoopDetector",
		[]string{"python3", "listing.py"},
		[]string{"healthy", "tight-loop", "args-200", "window-boundary"},
		8,
	},
	{
		spec.Crow, "D5-crow.md", "python", "class LoopDetector:",
		[]string{"python3", "listing.py"},
		[]string{"healthy", "tight-loop", "args-200", "window-boundary"},
		50,
	},
	{
		spec.Signature, "D2-signature.md", "typescript", "function extractSignature",
		[]string{"node", "listing.mjs"},
		[]string{"short", "near-repeat", "log-like", "log-100k"},
		0.5,
	},
}

// listings compares the reference with the listings, event by event and without a pipe: both get decoded events.
func (b *bench) listings() (string, error) {
	t := table{head: []string{"detector", "workload", "reference", "the document's listing", "times as fast", "aim"}}
	for _, l := range documentListings {
		code, err := b.extract(l)
		if errors.Is(err, fs.ErrNotExist) || !installed(l.command[0]) {
			continue
		}
		if err != nil {
			return "", err
		}
		if err := b.compareListing(&t, l, code); err != nil {
			return "", err
		}
	}
	return "### Beside the documents' listings\n\nTime per event, in one process each, decoded events, no pipe.\n\n" + t.markdown(), nil
}

func (b *bench) compareListing(t *table, l listing, code string) error {
	var ratios []float64
	for _, name := range l.workloads {
		w, err := workload.Find(l.detector, name)
		if err != nil {
			return err
		}
		mine, theirs, err := b.raceListing(l, code, w)
		if err != nil {
			return err
		}
		ratios = append(ratios, theirs/mine)
		t.row(string(l.detector)+" (code)", name, nanoseconds(mine), nanoseconds(theirs)+" ("+l.command[0]+")", times(theirs/mine), "")
	}
	t.row(string(l.detector)+" (code)", "median", "", "", times(median(ratios)), "≥ "+times(l.aim))
	return nil
}

// raceListing returns nanoseconds per event, the medians of all rounds.
func (b *bench) raceListing(l listing, code string, w workload.Workload) (mine, theirs float64, err error) {
	o, err := openObserved(l.detector, spec.Code, w)
	if err != nil {
		return 0, 0, err
	}
	events := filepath.Join(b.folder, "events.jsonl")
	if err := writeLines(events, w.Ring()); err != nil {
		return 0, 0, err
	}
	command := []string{
		l.command[0], b.script(l.command[1]), string(l.detector), code, events, strconv.FormatInt(b.time.Milliseconds(), 10),
	}
	var a, z []float64
	for range b.rounds {
		a = append(a, o.perEvent(b.time))
		text, err := b.output(command...)
		if err != nil {
			return 0, 0, err
		}
		ns, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return 0, 0, fmt.Errorf("read what the listing took: %w", err)
		}
		z = append(z, ns)
	}
	return median(a), median(z), nil
}

// extract writes the listing to a file for the time of the run and returns its name.
func (b *bench) extract(l listing) (string, error) {
	text, err := os.ReadFile(filepath.Join(b.documents, l.document))
	if err != nil {
		return "", fmt.Errorf("read a document: %w", err)
	}
	blocks := regexp.MustCompile("(?s)```"+l.language+"\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	for _, block := range blocks {
		if strings.Contains(block[1], l.contains) {
			file := filepath.Join(b.folder, l.document+".code")
			return file, os.WriteFile(file, []byte(block[1]), 0o644)
		}
	}
	return "", fmt.Errorf("find the listing of %s: no %s block of %s contains %q", l.detector, l.language, l.document, l.contains)
}

func writeLines(file string, events []spec.Value) error {
	var lines []byte
	for _, e := range events {
		lines = append(e.AppendJSON(lines), '\n')
	}
	if err := os.WriteFile(file, lines, 0o644); err != nil {
		return fmt.Errorf("write events: %w", err)
	}
	return nil
}
