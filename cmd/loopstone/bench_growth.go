package main

import (
	"context"
	"fmt"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/bench/growth"
)

// benchGrowth measures how a port's cost grows with the events that it has observed, prints a table and draws it. A
// detector whose cost grows breaks a clause that is a SHOULD; the exit code says so.
func benchGrowth(ctx context.Context, io streams, command stdio.Command, f benchFlags) (conformance.Outcome, error) {
	port, err := describeBench(ctx, command)
	if err != nil {
		return conformance.AdapterFault, err
	}
	if len(port.description.Detectors) == 0 {
		return conformance.NotDecided, fmt.Errorf("%s offers no detector", port.label)
	}
	curves, err := growth.Measure(ctx, command, port.description, f.events)
	if err != nil {
		return conformance.AdapterFault, err
	}
	if err := growth.WriteTable(io.out, curves); err != nil {
		return conformance.NotDecided, err
	}
	if f.svg != "" {
		draw := func(b *buffer) error { return growth.WriteSVG(b, port.label, curves) }
		if err := writeFile(ctx, f.svg, draw); err != nil {
			return conformance.NotDecided, err
		}
	}
	outcome := conformance.Conformant
	for _, c := range curves {
		if grows := c.Grows(); grows != "" {
			fmt.Fprintf(io.out, "PR-36 (SHOULD): %s: %s of the session grows with the events observed\n", c.Name(), grows)
			outcome = conformance.NotConformant
		}
	}
	return outcome, nil
}
