package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/stdio"
)

// judge starts the port, checks its adapter, and runs the cases. Without a report, the outcome says whose fault that
// is.
func judge(ctx context.Context, io streams, port target, selected []cases.Case, options conformance.Options) (*conformance.Report, conformance.Outcome, error) {
	adapter, err := port.start(ctx)
	if err != nil {
		return nil, conformance.AdapterFault, explainStart(err)
	}
	defer adapter.Close()
	description, err := adapter.Describe(ctx)
	if err != nil {
		return nil, conformance.AdapterFault, err
	}
	protocol, err := conformance.CheckAdapter(ctx, port.dial, description, selected, port.options.RequestTimeout)
	if err != nil {
		return nil, conformance.AdapterFault, err
	}
	progress := newProgress(io.err)
	options.Progress = progress.show
	r, err := conformance.Run(ctx, adapter, selected, options)
	progress.clear()
	if err != nil {
		return nil, conformance.AdapterFault, err
	}
	r.Results = append(protocol, r.Results...)
	return r, r.Outcome(), nil
}

// explainStart says why an adapter could not be started, with the last lines that it wrote.
func explainStart(err error) error {
	var gone *stdio.ProcessError
	if errors.As(err, &gone) && gone.Stderr != "" {
		err = fmt.Errorf("%w\n  its last words:\n%s", err, indent(gone.Stderr))
	}
	return fmt.Errorf("the adapter is at fault: %w", err)
}

// isTerminal reports whether w is a terminal that understands control characters.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(file.Fd()))
}

// colourful reports whether w is a terminal that wants colours.
func colourful(w io.Writer) bool { return isTerminal(w) && os.Getenv("NO_COLOR") == "" }
