package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// TestPagesFitTheTerminal: prose is wrapped at every width; tables and other literal blocks stay as they are.
func TestPagesFitTheTerminal(t *testing.T) {
	t.Parallel()
	literal := map[string]bool{}
	id := func(d spec.Definition) spec.DetectorID { return d.ID }
	for _, name := range append(lists.Map(spec.Detectors(), id), cases.Protocol) {
		page, _ := spec.PageOf(string(name)) // each has one
		for _, b := range page.Blocks {
			if b.Kind == spec.Literal {
				for line := range strings.Lines(b.Text) {
					literal[strings.TrimSpace(line)] = true
				}
			}
		}
	}
	for _, width := range []int{narrowestProse, 60, 80, widestProse} {
		var out bytes.Buffer
		s := sheet{&out, width, false}
		showContents(s)
		showProtocol(s)
		for _, d := range spec.Detectors() {
			showDetector(s, d)
		}
		for line := range strings.Lines(out.String()) {
			line = strings.TrimRight(line, "\n")
			if utf8.RuneCountInString(line) > width && !literal[strings.TrimSpace(line)] {
				t.Errorf("at a width of %d: %q", width, line)
			}
			if strings.Contains(line, glue) {
				t.Errorf("glue is left: %q", line)
			}
		}
	}
}

func TestAFormulaIsNotBroken(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := sheet{&out, narrowestProse, false}
	s.text("- ", "The *count* is `floor(a / b) + 1 - c`, as the [guide](../x.md) has it; `"+strings.Repeat("ab ", 30)+"` is too long.")
	if got := out.String(); !strings.HasPrefix(got, "- The count is `floor(a / b) + 1 - c`,\n  as the guide has it;") {
		t.Errorf("got\n%s", got)
	}
	for line := range strings.Lines(out.String()) {
		if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > narrowestProse {
			t.Errorf("%q is longer than %d", line, narrowestProse)
		}
	}
}

func TestHeadingsStandOutWhereThereAreColours(t *testing.T) {
	t.Parallel()
	for _, colour := range []bool{false, true} {
		var out bytes.Buffer
		sheet{&out, 80, colour}.heading("Terms")
		if got := strings.Contains(out.String(), "\x1b[1mTerms\x1b[0m"); got != colour {
			t.Errorf("with colours %t: %q", colour, out.String())
		}
	}
}

// TestTheDecidingCaseIsTheSimplest: the one that cites the clause first, with the defaults, and the fewest steps.
func TestTheDecidingCaseIsTheSimplest(t *testing.T) {
	t.Parallel()
	all, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	for clause, want := range map[string]string{
		"HI-13": "history-third-identical-call",
		"CO-20": "composed-refuses-tool-without-name",
	} {
		of := cases.OfClause(all, clause)
		if len(of) < 2 || of[0].ID != want {
			t.Errorf("%s is decided by %v, want %s", clause, fmt.Sprint(of[0].ID), want)
		}
	}
}
