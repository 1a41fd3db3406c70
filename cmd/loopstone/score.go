package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/outfile"
	"github.com/loopstone/loopstone/internal/score"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// scoreFlags are the flags of loopstone score.
type scoreFlags struct {
	left *leftovers

	json, markdown bool
	html, svg      string
	width          int
	detectors      patterns
	configs        []string
	sweep          string
	minRecall      share
	maxFalse       share
	timeouts       timeouts
}

func (f *scoreFlags) register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.BoolVar(&f.markdown, "markdown", false, "print Markdown")
	flags.StringVar(&f.html, "html", "", "also write a page for a browser into `file`")
	flags.StringVar(&f.svg, "svg", "", "also write the curves of --sweep into `file`")
	flags.IntVar(&f.width, "width", 0, "how many `columns` a line of text has; as the terminal without it")
	flags.Var(&f.detectors, "detector", "only these `detectors`, each name, name:reading or @profile; '@*' for all profiles")
	flags.StringArrayVar(&f.configs, "config", nil, "a further row: `detector={…}` or detector:reading={…}")
	flags.StringVar(&f.sweep, "sweep", "", "a curve over the values of a `setting`, such as threshold=2..8")
	flags.Var(&f.minRecall, "min-recall", "the `share`, from 0 to 1, of the loops that must be found at least")
	flags.Var(&f.maxFalse, "max-false-alarms", "the `share` of the healthy runs that may have an alarm at most")
	f.timeouts.register(flags)
}

// scoreCommand says how good detectors are on recorded runs that people have labelled.
func scoreCommand(flags *pflag.FlagSet) runner {
	f := &scoreFlags{left: &leftovers{}}
	f.register(flags)
	return f.run
}

func (f *scoreFlags) run(ctx context.Context, io streams, c call) (conformance.Outcome, error) {
	defer f.left.tell(io.err)
	choice, err := f.choice(c.words)
	if err != nil {
		return conformance.Usage, err
	}
	corpora, err := openCorpora(c.words)
	if err != nil {
		return conformance.Usage, usageError{err}
	}
	contenders, err := choice.Of(ctx, reference.Port(), "")
	if err != nil {
		return conformance.Usage, usageError{err}
	}
	ports, err := f.startAll(ctx, c.commands())
	defer ports.close()
	if err != nil {
		return conformance.OutcomeOf(err), err
	}
	theirs, err := ports.contenders(ctx, choice)
	if err != nil {
		return conformance.AdapterFault, err
	}
	contenders = append(contenders, theirs...)
	if err := choice.CheckUsed(contenders); err != nil {
		return conformance.Usage, usageError{err}
	}
	report, err := score.Score(ctx, corpora, contenders)
	if err != nil {
		return attribute(err), err
	}
	return f.conclude(ctx, io, report, len(theirs) > 0)
}

// commands returns the commands of a call that has several, each behind a --.
func (c call) commands() [][]string {
	if !c.dash {
		return nil
	}
	parts := [][]string{nil}
	for _, word := range c.after {
		if word == "--" {
			parts = append(parts, nil)
			continue
		}
		last := len(parts) - 1
		parts[last] = append(parts[last], word)
	}
	return parts
}

func (f *scoreFlags) choice(paths []string) (score.Choice, error) {
	choice := score.Choice{Detectors: f.detectors}
	switch {
	case len(paths) == 0:
		return choice, usagef("say which corpus: a folder of recorded runs with labels")
	case f.json && f.markdown:
		return choice, usagef("--json and --markdown: both would be printed; take one")
	case f.svg != "" && f.sweep == "":
		return choice, usagef("--svg draws the curves of --sweep, which is not given")
	}
	var problems problems
	for _, name := range f.detectors {
		problems.add(score.CheckDetector(name))
	}
	for _, text := range f.configs {
		config, err := score.ParseConfig(text)
		problems.add(err)
		choice.Configs = append(choice.Configs, config)
	}
	if f.sweep != "" {
		sweep, err := score.ParseSweep(f.sweep)
		problems.add(err)
		choice.Sweep = sweep
	}
	problems.add(checkPlaces(f.files(), nil))
	if err := problems.err(); err != nil {
		return choice, usageError{err}
	}
	return choice, nil
}

func (f *scoreFlags) files() []file {
	var list []file
	for _, each := range []file{{"--html", f.html}, {"--svg", f.svg}} {
		if each.path != "" {
			list = append(list, each)
		}
	}
	return list
}

func openCorpora(paths []string) ([]*score.Corpus, error) {
	var list []*score.Corpus
	var problems problems
	for i, path := range paths {
		if slices.Contains(paths[:i], path) {
			problems.add(fmt.Errorf("%s stands there twice", path))
			continue
		}
		corpus, err := score.Open(path)
		problems.add(err)
		list = append(list, corpus)
	}
	return list, problems.err()
}

// attribute says whose fault it is that a run could not be scored: a port that refuses an event or that is gone is at fault,
// and where a recording cannot be read, nobody knows.
func attribute(err error) conformance.Outcome {
	var refused *spec.Fault
	var gone *stdio.ProcessError
	if errors.As(err, &refused) || errors.As(err, &gone) {
		return conformance.AdapterFault
	}
	return conformance.NotDecided
}

// conclude writes the report, and says whether the bars are reached: by the ports that were given, else by all.
func (f *scoreFlags) conclude(ctx context.Context, io streams, r *score.Report, given bool) (conformance.Outcome, error) {
	if err := f.write(ctx, io, r); err != nil {
		return conformance.NotDecided, err
	}
	rows := r.Rows
	if given {
		rows = slices.DeleteFunc(slices.Clone(rows), func(row score.Row) bool { return row.Owner == "" })
	}
	bars := score.Bars{MinRecall: f.minRecall.value, MaxFalseAlarms: f.maxFalse.value}
	outcome, lines := bars.Check(rows)
	for _, line := range lines {
		fmt.Fprintln(io.err, "loopstone score: "+line)
	}
	var problems problems
	for _, corpus := range r.Corpora {
		problems.add(corpus.Problem)
	}
	if err := problems.err(); err != nil { // of what could not be read, nobody knows
		return conformance.NotDecided, err
	}
	return outcome, nil
}

func (f *scoreFlags) write(ctx context.Context, io streams, r *score.Report) error {
	var problems problems
	switch {
	case f.json:
		problems.add(r.WriteJSON(io.out))
	case f.markdown:
		problems.add(r.WriteMarkdown(io.out))
	default:
		problems.add(r.WriteText(io.out, columns(f.width, io)))
	}
	if f.html != "" {
		problems.add(writeFile(ctx, f.html, func(b *buffer) error { return r.WriteHTML(b) }))
	}
	if f.svg != "" {
		problems.add(outfile.Write(ctx, f.svg, []byte(r.Chart())))
	}
	return problems.err()
}

// columns returns the width that was asked for, else that of the page.
func columns(asked int, io streams) int {
	if asked > 0 {
		return asked
	}
	return widthOf(io, usualWidth)
}

// scoredPort is a port that stands in the table beside the reference.
type scoredPort struct {
	*conformance.Adapter

	plain string // as it names itself
	name  string // unique in the table
}

type scoredPorts []scoredPort

// startAll starts a process for each command. Those that run are returned with the error of one that does not.
func (f *scoreFlags) startAll(ctx context.Context, commands [][]string) (scoredPorts, error) {
	var ports scoredPorts
	for _, words := range commands {
		if len(words) == 0 {
			return ports, usagef("-- without a command after it")
		}
		target, err := targetOf(words, f.timeouts)
		if err != nil {
			return ports, err
		}
		adapter, err := target.start(ctx, f.left)
		if err != nil {
			return ports, err
		}
		ports = append(ports, scoredPort{Adapter: adapter})
		if err := ports.name(ctx); err != nil {
			return ports, fmt.Errorf("the adapter is at fault: %w", err)
		}
	}
	return ports, nil
}

// name asks the last port for its name. A table needs one for each, so further ports of a name are numbered.
func (p scoredPorts) name(ctx context.Context) error {
	last := &p[len(p)-1]
	description, err := last.Describe(ctx)
	if err != nil {
		return err
	}
	same := 1
	for _, other := range p[:len(p)-1] {
		if other.plain == description.Name {
			same++
		}
	}
	last.plain, last.name = description.Name, description.Name
	if same > 1 {
		last.name = fmt.Sprintf("%s (%d)", description.Name, same)
	}
	return conformance.CheckNames(description)
}

func (p scoredPorts) close() {
	for _, port := range p {
		port.Close()
	}
}

func (p scoredPorts) contenders(ctx context.Context, choice score.Choice) ([]score.Contender, error) {
	var list []score.Contender
	for _, port := range p {
		theirs, err := choice.Of(ctx, port, port.name)
		if err != nil {
			return nil, err
		}
		list = append(list, theirs...)
	}
	return list, nil
}

// share is a flag from 0 to 1 that may be absent.
type share struct{ value *float64 }

// Type implements [pflag.Value].
func (s *share) Type() string { return "share" }

// String implements [pflag.Value].
func (s *share) String() string {
	if s.value == nil {
		return ""
	}
	return strconv.FormatFloat(*s.value, 'g', -1, 64)
}

// Set implements [pflag.Value].
func (s *share) Set(text string) error {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || !(value >= 0 && value <= 1) {
		return fmt.Errorf("%q is no share; want a number from 0 to 1", text)
	}
	s.value = &value
	return nil
}
