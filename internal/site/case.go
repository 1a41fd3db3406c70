package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/loopstone/loopstone/cases"
)

// longestLink bounds the address of a trace; browsers take more, people do not.
const longestLink = 12_000

// casePage shows one case: why it is there, its trace with the verdicts of the reference, its text.
func (s *site) casePage(c cases.Case) string {
	var b strings.Builder
	b.WriteString(front(c.ID))
	fmt.Fprintf(&b, "# %s\n\n%s.\n\n> %s\n\n", c.ID, prose(c.Title), prose(c.Why))
	fmt.Fprintf(&b, "- Detector: %s\n- Clauses: %s\n", detectorLink(c.Detector), list(c.Clauses, clauseLink))
	fmt.Fprintf(&b, "- Source: `%s`\n", c.Source)
	if len(c.Readings) > 0 {
		fmt.Fprintf(&b, "- Readings: %s\n", list(c.Readings, quoted))
	}
	if len(c.Needs) > 0 {
		fmt.Fprintf(&b, "- Needs: %s\n", list(c.Needs, quoted))
	}
	fmt.Fprintf(&b, "- File: %s\n\n", source("cases/"+c.Place.File, c.Place.Line))
	b.WriteString(traceSection(c))
	fmt.Fprintf(&b, "## The case\n\n%s\n", fenced("yaml", shortLines(string(cases.Write(c)))))
	fmt.Fprintf(&b, "Run it alone:\n\n%s", fenced("sh", "loopstone test --case "+c.ID+" -- YOUR PORT"))
	return b.String()
}

// traceSection shows the trace of a case that does nothing but to observe.
func traceSection(c cases.Case) string {
	if c.Detector == cases.Protocol || len(c.Steps) == 0 {
		return ""
	}
	var b strings.Builder
	for _, reading := range readingsOf(c) {
		t, ok := traceOf(c, reading)
		if !ok || len(t.events) > 40 {
			return ""
		}
		t, err := t.judged(context.Background())
		if err != nil {
			return "" // it is about a refusal, which its text shows
		}
		caption := fmt.Sprintf("Verdicts of the reference, reading %s", reading)
		fmt.Fprintf(&b, "## In the reading %s\n\n%s\n", reading, t.picture(caption))
		if link := t.link(); len(link) <= longestLink {
			fmt.Fprintf(&b, "[Change it in the playground](%s)\n\n", link)
		}
	}
	return b.String()
}

// shortLines cuts lines that no person reads.
func shortLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if len(line) > 2000 {
			line = shorten(line, 2000) + "\n"
		}
		b.WriteString(line)
	}
	return b.String()
}
