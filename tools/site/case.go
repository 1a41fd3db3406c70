package main

import (
	"context"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// Bounds of what people read: the events of a trace, and the characters of a line of a case.
const (
	longestTrace = 40
	longestLine  = 2000
)

// traces returns a case in each reading; none where it does more than to observe, is long, or is about a refusal, which
// its text shows.
func traces(c cases.Case) (list []trace) {
	if c.Detector == cases.Protocol {
		return nil
	}
	for _, reading := range readingsOf(c) {
		t, ok := traceOf(c, reading)
		if !ok || len(t.Events) > longestTrace {
			return nil
		}
		t, err := t.judged(context.Background())
		if err != nil {
			return nil
		}
		list = append(list, t)
	}
	return list
}

// readingsOf returns the readings in which a case is run.
func readingsOf(c cases.Case) []spec.Reading {
	if len(c.Readings) > 0 {
		return c.Readings
	}
	definition, _ := spec.DefinitionOf(c.Detector)
	return definition.Readings
}

// caseText returns a case as its file has it. Lines that no person reads are cut.
func caseText(c cases.Case) string {
	lines := strings.SplitAfter(string(cases.Write(c)), "\n")
	for i, line := range lines {
		if len(line) > longestLine {
			lines[i] = wording.Cut(line, longestLine) + "\n"
		}
	}
	return strings.Join(lines, "")
}
