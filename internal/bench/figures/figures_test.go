package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTablesReplaceWhatStandsBetweenTheMarks(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "README.md")
	if err := os.WriteFile(file, []byte("# Title\n\n"+begin+"\nold\n"+end+"\n\nafter\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the marks must survive
		if err := replaceSection(file, "new"); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if want := "# Title\n\n" + begin + "\n\nnew\n" + end + "\n\nafter\n"; err != nil || string(got) != want {
		t.Errorf("%v, got\n%s\nwant\n%s", err, got, want)
	}
}

func TestDocumentWithoutMarksIsLeftAlone(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "README.md")
	if err := os.WriteFile(file, []byte("no marks"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := replaceSection(file, "new"); err == nil {
		t.Error("wrote tables where no marks are")
	}
}

func TestReadmeHasTheMarks(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil || !strings.Contains(string(text), begin) || !strings.Contains(string(text), end) {
		t.Errorf("benchmarks/README.md has no place for the tables: %v", err)
	}
}

func TestListingIsTakenFromItsDocument(t *testing.T) {
	t.Parallel()
	documents := t.TempDir()
	text := "# D\n\n```python\nother = 1\n```\n\n```python\nclass ToolLoopDetector:\n    pass\n```\n"
	if err := os.WriteFile(filepath.Join(documents, "D3-history-pattern.md"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	b := &bench{settings: settings{documents: documents}, folder: t.TempDir()}
	file, err := b.extract(documentListings[0])
	if err != nil {
		t.Fatal(err)
	}
	if code, err := os.ReadFile(file); err != nil || string(code) != "class ToolLoopDetector:\n    pass\n" {
		t.Errorf("extracted %q, %v", code, err)
	}
	if _, err := b.extract(documentListings[1]); err == nil {
		t.Error("extracted a listing of a document that is not there")
	}
}

func TestMedian(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		numbers []float64
		want    float64
	}{{[]float64{3}, 3}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 1, 3, 100}, 3.5}} {
		if got := median(tt.numbers); got != tt.want {
			t.Errorf("median(%v) = %v, want %v", tt.numbers, got, tt.want)
		}
	}
}

func TestTableWithoutRowsSaysSo(t *testing.T) {
	t.Parallel()
	if text := (&table{head: []string{"a"}}).markdown(); strings.Contains(text, "|") {
		t.Errorf("an empty table: %s", text)
	}
}
