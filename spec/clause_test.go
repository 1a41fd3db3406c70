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
		{"no source", "**XX-1** (MUST, stated) Text.\n", "x.md:1:1: XX-1 has no source"},
		{"an unknown level", "**XX-1** (WILL, D1#a) Text.\n", "x.md:1:1: not a clause"},
		{"an id that stands twice", "**XX-1** (MUST, stated, D1#a) One.\n\n**XX-1** (MAY, silent, D1#a) Two.\n", "x.md:3:1: clause XX-1 is already at x.md:1"},
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
	if c.Literal != "**Literal** text\n\nName:\n\n\nMore" {
		t.Errorf("the literal text is %q", c.Literal)
	}
}

// TestClausesAreNumberedWithoutGaps keeps the ids of each detector without gaps, and each prefix in one file. A new
// clause has the next number and stands where it is read, so that the numbers of a file need not ascend.
func TestClausesAreNumberedWithoutGaps(t *testing.T) {
	t.Parallel()
	next, ids, file := map[string]int{}, map[string]bool{}, map[string]string{}
	for _, c := range Clauses() {
		prefix, _, _ := strings.Cut(c.ID, "-")
		next[prefix]++
		ids[c.ID] = true
		if of, known := file[prefix]; known && of != c.File {
			t.Errorf("%s:%d: %s stands among others than %s", c.File, c.Line, c.ID, of)
		}
		file[prefix] = c.File
	}
	for prefix, n := range next {
		for i := 1; i <= n; i++ {
			if id := prefix + "-" + IntValue(i).String(); !ids[id] {
				t.Errorf("there are %d clauses %s, but no %s", n, prefix, id)
			}
		}
	}
	for _, p := range Detectors() {
		if next[p.Prefix] == 0 {
			t.Errorf("%s has no clauses", p.ID)
		}
	}
}

// TestSources: a clause has the source of its label, else that of the last line about sources, else its own section. A
// clause without a mark is silent.
func TestSources(t *testing.T) {
	t.Parallel()
	const text = "**XX-1** (MUST, stated, feature evidence, D1#a) One.\n\nSource: D2#b, text reading\n\n**XX-2** (NOTE) Two.\n\n" +
		"Source: this page\n\n## Lines, and more\n\n**XX-3** (MAY) Three.\n"
	clauses, err := ReadClauses(fstest.MapFS{"x.md": {Data: []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"D1#a", "D2#b", "x#lines-and-more"} {
		if got := clauses[i]; got.Source != want {
			t.Errorf("%s has the source %q, want %q", got.ID, got.Source, want)
		}
	}
	if c := clauses[1]; c.Level != Note || c.Mark != Silent || c.Binds(Code) || clauses[0].Feature != Evidence {
		t.Errorf("got %+v", clauses)
	}
}
