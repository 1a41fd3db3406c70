package playground

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/loopstone/loopstone/spec"
)

// Case returns a run as a case file for a lane, with the verdicts that the port gives. Its id, title, clauses and
// reason are left to whoever keeps it. JSON is part of YAML, so each value stands as JSON.
func (p *Playground) Case(ctx context.Context, number int, lane spec.Value) (string, error) {
	if number < 0 || number >= len(p.runs) {
		return "", fmt.Errorf("there is no run %d", number+1)
	}
	events := p.runs[number].events
	if len(events) > MostShown {
		return "", fmt.Errorf("the trace has %d events; a case that people read has at most %d", len(events), MostShown)
	}
	verdicts, err := p.observe(ctx, lane, events)
	if err != nil {
		return "", err
	}
	detector, _ := lane.Get("detector").Str()
	reading, _ := lane.Get("reading").Str()
	definition, _ := spec.DefinitionOf(spec.DetectorID(detector))
	var b strings.Builder
	fmt.Fprintf(&b, "detector: %s\ncases:\n", detector)
	fmt.Fprintf(&b, "  - id: %s-from-the-playground\n    title: A trace from the playground\n", detector)
	fmt.Fprintf(&b, "    clauses: [%s-1]\n    source: silent\n    readings: [%s]\n", definition.Prefix, reading)
	b.WriteString("    why: Say here what goes wrong for users of a port that fails it.\n")
	if config := lane.Get("config"); !config.IsAbsent() {
		fmt.Fprintf(&b, "    config: %s\n", escaped(config))
	}
	b.WriteString("    steps:\n")
	for i, e := range events {
		fmt.Fprintf(&b, "      - event: %s\n        expect: %s\n", escaped(e), escaped(verdicts[i]))
	}
	return b.String(), nil
}

// escaped returns a value as JSON that YAML takes, too, and whose every character is seen: JSON leaves characters as
// they are that YAML forbids in a text, such as U+FFFF, or takes for the end of a line, such as U+2028.
func escaped(v spec.Value) string {
	var b strings.Builder
	for _, r := range v.String() {
		if unicode.IsPrint(r) || r > 0xFFFF {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "\\u%04x", r)
		}
	}
	return b.String()
}
