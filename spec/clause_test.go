package spec

import (
	"strings"
	"testing"
	"testing/fstest"
)

// TestReadClauses shows what a clause file must be, and what is said of others.
func TestReadClauses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		reason, text, problem string
	}{
		{"prose without a clause", "# Title\n\nNothing.\n", "x.md:1:1: the file has no clauses"},
		{"no level", "**XX-1** (stated, D1#a) Text.\n", "x.md:1:1: not a clause"},
		{"an unknown mark", "**XX-1** (MUST, said, D1#a) Text.\n", "x.md:1:1: not a clause"},
		{"no source", "**XX-1** (MUST, stated) Text.\n", "x.md:1:1: not a clause"},
		{"an id that stands twice", "**XX-1** (MUST, stated, D1#a) One.\n\n**XX-1** (MAY, silent, D1#a) Two.\n", "x.md:3:1: clause XX-1 stands already at x.md:1"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			_, err := ReadClauses(fstest.MapFS{"x.md": {Data: []byte(test.text)}})
			if err == nil || !strings.Contains(err.Error(), test.problem) {
				t.Errorf("the problem is %v, want %s", err, test.problem)
			}
		})
	}
	if _, err := ReadClauses(fstest.MapFS{}); err == nil {
		t.Error("a folder without clause files is no error")
	}
}

// TestClauseText shows that a clause goes on to the next empty line, and keeps its reading and its literal text.
func TestClauseText(t *testing.T) {
	t.Parallel()
	const text = "# T\n\n**XX-1** (SHOULD, contradicted, code reading, D2#b) One\ntwo.\n\n```\n**Literal** text\n```\n\nName:\n\n```\n\nMore\n```\n"
	clauses, err := ReadClauses(fstest.MapFS{"x.md": {Data: []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	c := clauses[0]
	if c.Text != "One two." || c.Level != Should || c.Mark != Contradicted || c.Source != "D2#b" || !c.Binds(Code) || c.Binds(Text) || c.Line != 3 {
		t.Errorf("got %+v", c)
	}
	if c.Literal != "**Literal** text\n\nName:\n\nMore" {
		t.Errorf("the literal text is %q", c.Literal)
	}
}

// TestClausesAreNumberedInOrder keeps the ids of each detector without gaps, and each prefix in one file.
func TestClausesAreNumberedInOrder(t *testing.T) {
	t.Parallel()
	next := map[string]int{}
	for _, c := range Clauses() {
		prefix, number, _ := strings.Cut(c.ID, "-")
		next[prefix]++
		if want := IntValue(next[prefix]).String(); number != want {
			t.Errorf("%s:%d: %s stands where %s-%s is due", c.File, c.Line, c.ID, prefix, want)
		}
	}
	for _, p := range Detectors() {
		if next[p.Prefix] == 0 {
			t.Errorf("%s has no clauses", p.ID)
		}
	}
}
