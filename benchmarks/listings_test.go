package benchmarks_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/internal/suite/bench"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// listing is a document's own code of a detector.
type listing struct {
	detector  spec.DetectorID
	document  string   // file
	contains  string   // of all code blocks, this one
	command   []string // that times it
	workloads []string
}

var listings = []listing{
	{
		spec.History, "D3-history-pattern.md", "class ToolLoopDetector",
		[]string{"python3", "testdata/listing.py"},
		[]string{"healthy", "tight-loop", "args-200", "window-boundary"},
	},
	{
		spec.Crow, "D5-crow.md", "class LoopDetector:",
		[]string{"python3", "testdata/listing.py"},
		[]string{"healthy", "tight-loop", "args-200", "window-boundary"},
	},
	{
		spec.Signature, "D2-signature.md", "function extractSignature",
		[]string{"node", "testdata/listing.mjs"},
		[]string{"short", "near-repeat", "log-like", "log-100k"},
	},
}

// BenchmarkListing puts the reference beside the source documents' own listings, with decoded events and without a
// pipe. The documents are no part of this repository: LOOPSTONE_DOCUMENTS names their folder.
func BenchmarkListing(b *testing.B) {
	documents := os.Getenv("LOOPSTONE_DOCUMENTS")
	if documents == "" {
		b.Skip("LOOPSTONE_DOCUMENTS does not name the folder of the source documents")
	}
	for _, l := range listings {
		code := l.extract(b, documents)
		for _, name := range l.workloads {
			w := workload(b, l.detector, name)
			prefix := "detector=" + string(l.detector) + "/workload=" + name
			b.Run(prefix+"/by=listing", func(b *testing.B) { l.time(b, code, w) })
			b.Run(prefix+"/by=reference", func(b *testing.B) { observe(b, reference.Implementation(l.detector), spec.Code, w) })
		}
	}
}

// extract writes the listing to a file and returns its name.
func (l listing) extract(b *testing.B, documents string) string {
	b.Helper()
	text, err := os.ReadFile(filepath.Join(documents, l.document))
	if err != nil {
		b.Fatal(err)
	}
	for _, block := range regexp.MustCompile("(?s)```[a-z]+\n(.*?)```").FindAllSubmatch(text, -1) {
		if strings.Contains(string(block[1]), l.contains) {
			return file(b, block[1])
		}
	}
	b.Fatalf("no block of %s contains %q", l.document, l.contains)
	return ""
}

// time lets the listing's own language measure as many events as there are to be measured.
func (l listing) time(b *testing.B, code string, w bench.Workload) {
	var lines []byte
	for _, e := range w.Ring() {
		lines = append(e.AppendJSON(lines), '\n')
	}
	args := append(l.command[1:len(l.command):len(l.command)], string(l.detector), code, file(b, lines), strconv.Itoa(b.N))
	out, err := exec.Command(l.command[0], args...).Output()
	if err != nil {
		b.Fatal(err)
	}
	ns, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(ns, "ns/op")
}

func file(b *testing.B, content []byte) string {
	b.Helper()
	name := filepath.Join(b.TempDir(), "file")
	if err := os.WriteFile(name, content, 0o644); err != nil {
		b.Fatal(err)
	}
	return name
}
