package main

import (
	"context"
	"fmt"
	"io"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/internal/suite/rulecases"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// runWitness shows what makes each rung of a composed configuration speak.
func runWitness(ctx context.Context, std streams, c call) (conformance.Outcome, error) {
	names := c.all()
	if len(names) != 1 {
		return conformance.Usage, usagef("say which configuration: a file, or @profile")
	}
	config, err := profile.Config(ctx, names[0])
	if err != nil {
		err = ofConfig(names[0], err)
		return faultOf(err), err
	}
	id := spec.Composed // which files configure
	if profile.IsName(names[0]) {
		id = spec.DetectorID(names[0])
	}
	answers, err := rulecases.Witnesses(ctx, id, config)
	if err != nil {
		if ctx.Err() != nil {
			return conformance.NotDecided, err
		}
		err = ofConfig(names[0], fmt.Errorf("%s: %w", names[0], err))
		return faultOf(err), err
	}
	outcome := conformance.Conformant
	for _, a := range answers {
		printAnswer(std.out, a)
		switch {
		case a.Never != "":
			outcome = conformance.NotConformant
		case len(a.Trace) == 0 && outcome == conformance.Conformant:
			outcome = conformance.NotDecided
		}
	}
	return outcome, nil
}

// printAnswer prints what makes a rung speak: events that are alike and follow one another stand once.
func printAnswer(w io.Writer, a rulecases.Witness) {
	name := a.Rule
	if a.Rung != "" {
		name += ", " + a.Rung
	}
	fmt.Fprintf(w, "%s: ", wording.Line(name))
	switch {
	case a.Never != "":
		fmt.Fprintf(w, "never; %s\n", a.Never)
		return
	case a.Beyond != "":
		fmt.Fprintf(w, "undecided: %s\n", a.Beyond)
		return
	case len(a.Trace) == 0:
		fmt.Fprintln(w, "undecided: found neither a trace nor a proof that there is none")
		return
	case a.Shortest:
		fmt.Fprintf(w, "after %d events, and never earlier\n", len(a.Trace))
	default:
		fmt.Fprintf(w, "after %d events\n", len(a.Trace))
	}
	for i := 0; i < len(a.Trace); {
		line, n := rulecases.EventLine(a.Trace[i]), 1
		for i+n < len(a.Trace) && rulecases.EventLine(a.Trace[i+n]) == line {
			n++
		}
		line = wording.Line(line)
		if n > 1 {
			line += fmt.Sprintf("  (%d times)", n)
		}
		fmt.Fprintf(w, "  %s\n", line)
		i += n
	}
}
