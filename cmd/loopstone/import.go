package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lab/agentlogs"
	"github.com/loopstone/loopstone/internal/suite/userfiles"
	"github.com/loopstone/loopstone/internal/wording"
)

// importCommand writes the runs of logs as Loopstone's own events. What it could not read, left out or does not know it
// tells on standard error; what it could read is written all the same.
func importCommand(flags *pflag.FlagSet) runner {
	var format string
	registerFormat(flags, &format)
	out := flags.String("out", "", "write to this `file` instead of standard output")
	return func(ctx context.Context, std streams, c call) (conformance.Outcome, error) {
		logs := c.all()
		if len(logs) == 0 {
			return conformance.Usage, usagef("say which logs: files, or folders of them")
		}
		if *out != "" {
			if err := checkOutputs(filesAt("--out", *out), filesBelow("a log", logs)); err != nil {
				return conformance.Usage, err
			}
		}
		i := &imported{told: std.err, runs: map[*agentlogs.Run]bool{}}
		give := func(w io.Writer) error { return i.read(ctx, w, logs, format) }
		var err error
		if *out == "" {
			err = give(std.out)
		} else {
			err = userfiles.Stream(ctx, *out, give)
		}
		if err != nil {
			return conformance.NotDecided, err
		}
		fmt.Fprintf(std.err, "events: %d, runs: %d\n", i.events, len(i.runs))
		switch {
		case i.broken > 0:
			return conformance.NotDecided, fmt.Errorf("not all could be read; problems: %d", i.broken)
		case i.events == 0:
			return conformance.NotDecided, errors.New("the logs hold no event")
		}
		return conformance.Conformant, nil
	}
}

// registerFormat adds the flag --format of commands that read logs.
func registerFormat(flags *pflag.FlagSet, format *string) {
	usage := "the `format` of the logs, if it is not recognised: " + strings.Join(agentlogs.Formats(), ", ")
	flags.Func("format", usage, func(name string) error {
		*format = name
		return agentlogs.CheckName(name)
	})
}

// imported is what was written, and what was told.
type imported struct {
	told   io.Writer
	events int
	runs   map[*agentlogs.Run]bool
	broken int
}

// read writes what the logs hold. Its error is one of writing, or of the context; what is wrong with logs it tells.
func (i *imported) read(ctx context.Context, w io.Writer, logs []string, format string) error {
	buffered := bufio.NewWriter(w)
	to := agentlogs.NewWriter(buffered)
	var refused error
	err := agentlogs.Walk(ctx, logs, format, agentlogs.Sink{
		Event: func(e agentlogs.Event) error {
			i.events++
			i.runs[e.Run] = true
			refused = to.Event(e)
			return refused
		},
		Note: func(n agentlogs.Note) {
			fmt.Fprintf(i.told, "note: %s\n", wording.Line(n.String()))
			if refused == nil {
				refused = to.Note(n)
			}
		},
	})
	if err := errors.Join(context.Cause(ctx), refused, buffered.Flush()); err != nil {
		return err
	}
	for _, problem := range problemsOf(err) {
		i.broken++
		fmt.Fprintf(i.told, "error: %s\n", wording.Line(problem.Error()))
	}
	return nil
}

// problemsOf takes joined errors apart.
func problemsOf(err error) []error {
	joined, several := err.(interface{ Unwrap() []error })
	switch {
	case err == nil:
		return nil
	case !several:
		return []error{err}
	}
	var all []error
	for _, problem := range joined.Unwrap() {
		all = append(all, problemsOf(problem)...)
	}
	return all
}
