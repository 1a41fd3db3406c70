package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lab/score"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// differFlags are the flags of loopstone differ.
type differFlags struct {
	json    bool
	configs [2]string
	corpora []string
	traces  int
	seed    uint64
	width   int
	limits  timeouts
}

func (f *differFlags) register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.json, "json", false, "print JSON, with all traces in full")
	flags.StringVar(&f.configs[0], "config-a", "", "the configuration of A: `CONFIG` is "+configUsage)
	flags.StringVar(&f.configs[1], "config-b", "", "the configuration of B: `CONFIG` is as for --config-a")
	flags.StringArrayVar(&f.corpora, "corpus", nil, "also compare on the recorded runs below `folder`; may be repeated")
	flags.IntVar(&f.traces, "traces", 5000, "how many traces to generate")
	flags.Uint64Var(&f.seed, "seed", 1, "first `seed` of the generated traces")
	flags.IntVar(&f.width, "width", 0, "line width in `columns` (default: the width of the terminal)")
	f.limits.register(flags)
}

func (f *differFlags) run(ctx context.Context, std streams, c call) (conformance.Outcome, error) {
	names, commands := c.words, c.commands()
	switch {
	case len(names) != 2:
		return conformance.Usage, usagef("say which two: each detector, detector:reading or @profile, got %q", names)
	case len(commands) > 1:
		return conformance.Usage, usagef("want at most one command, which answers for B")
	case f.traces < 0 || f.traces == 0 && len(f.corpora) == 0:
		return conformance.Usage, usagef("--traces %d: want at least 1, or 0 with --corpus", f.traces)
	}
	port, owner := spec.Port(reference.Port()), "" // of B
	if len(commands) == 1 {
		started, err := startAll(ctx, std, commands, f.limits)
		if err != nil {
			return conformance.OutcomeOf(err), err
		}
		port, owner = started[0], strings.Join(commands[0], " ")
	}
	a, err := f.side(ctx, reference.Port(), names[0], "", 0)
	if err != nil {
		return conformance.Usage, usageError{err}
	}
	b, err := f.side(ctx, port, names[1], owner, 1)
	if err != nil {
		return conformance.Usage, usageError{err}
	}
	return f.search(ctx, std, score.NewDiffer(a, b))
}

// side reads what the words say of one side. Where no reading is named, the first one is meant that the port has.
func (f *differFlags) side(
	ctx context.Context, port spec.Port, name, owner string, which int,
) (score.Contender, error) {
	contenders, err := score.Choice{Detectors: []string{name}}.Of(ctx, port, owner)
	if err != nil {
		return score.Contender{}, err
	}
	first := contenders[0]
	switch {
	case first.Profile != "" && len(contenders) > 1:
		return score.Contender{}, fmt.Errorf("%s names %d profiles; say which one", name, len(contenders))
	case first.Profile != "" && f.configs[which] != "":
		return score.Contender{}, fmt.Errorf("--config-%c: %s is a configuration already", 'a'+which, name)
	}
	if text := f.configs[which]; text != "" {
		config, err := score.ParseConfig(ctx, name+"="+text)
		if err != nil {
			return first, fmt.Errorf("--config-%c: %w", 'a'+which, err)
		}
		first.Shown, first.Config = config.Value, config.Value
	}
	session, err := port.Open(ctx, first.Detector, first.Reading, first.Config)
	if err != nil {
		text, what := f.configs[which], "open "+first.Name()
		if text != "" {
			what = fmt.Sprintf("--config-%c %s", 'a'+which, text)
		}
		return first, ofConfig(text, fmt.Errorf("%s: %w", what, err))
	}
	return first, session.Close(ctx)
}

// search looks for differences in generated traces and in recordings, and tells them.
func (f *differFlags) search(ctx context.Context, std streams, s *score.Differ) (conformance.Outcome, error) {
	if err := s.Generated(ctx, f.traces, f.seed); err != nil {
		return conformance.OutcomeOf(err), err
	}
	corpora, err := openCorpora(ctx, f.corpora)
	if err != nil {
		return faultOf(err), err
	}
	for _, corpus := range corpora {
		err := corpus.Each(ctx, func(run *score.Run) error { return s.Run(ctx, run.Name, run.Events) })
		if err != nil {
			return conformance.NotDecided, err
		}
	}
	list, err := s.Differences(ctx)
	if err != nil {
		return conformance.NotDecided, err
	}
	write := func() error { return s.WriteText(std.out, list, columns(f.width, std)) }
	if f.json {
		write = func() error { return s.WriteJSON(std.out, list) }
	}
	if err := write(); err != nil {
		return conformance.NotDecided, err
	}
	problem := score.Problems(corpora)
	switch {
	case len(list) > 0:
		return conformance.NotConformant, problem
	case s.Traces == 0:
		return conformance.NotDecided, errors.Join(errors.New("one of the two refuses every trace"), problem)
	default:
		return conformance.Conformant, problem
	}
}
