package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/declared"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/lab/score"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/launch"
	"github.com/loopstone/loopstone/internal/suite/userfiles"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// scoreFlags are the flags of loopstone score.
type scoreFlags struct {
	json, markdown bool
	html, svg      string
	width          int
	choice         score.Choice
	configs        []string // detector=CONFIG
	against        []string
	labels, runs   []string
	byAgent        bool
	bars           score.Bars
	shard          score.Shard
	merge          bool
	timeouts       timeouts
}

func (f *scoreFlags) register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.json, "json", false, "print JSON")
	flags.BoolVar(&f.markdown, "markdown", false, "print Markdown")
	flags.StringVar(&f.html, "html", "", "also write the report as a web page to `file`")
	flags.StringVar(&f.svg, "svg", "", "also write a chart of --sweep to `file`")
	flags.IntVar(&f.width, "width", 0, "line width in `columns` (default: the width of the terminal)")
	flags.Func("detector",
		"only these `detectors`: each a name, name:reading or @profile; '@*' for all profiles",
		addDetectors(&f.choice.Detectors))
	flags.StringArrayVar(&f.configs, "config", nil,
		"also score a configuration: `detector=CONFIG` or detector:reading=CONFIG; CONFIG is "+configUsage)
	registerAgainst(flags, &f.against)
	f.registerLabels(flags)
	flags.BoolVar(&f.byAgent, "by-agent", false, "also say what is found in the runs of each agent")
	flags.Func("severity", "count only reports that are at least of this `severity`: notice, warning or critical",
		parsed(&f.choice.Least, score.ParseSeverity))
	flags.Func("sweep", "also score each value of a `setting`, such as threshold=2..8",
		parsed(&f.choice.Sweep, score.ParseSweep))
	flags.Func("min-recall",
		"exit with 1 if a detector finds less than this `share` of the loops (0 to 1)", parsed(&f.bars.MinRecall, parseShare))
	flags.Func("max-false-alarms",
		"exit with 1 if it raises an alarm in more than this `share` of the healthy runs (0 to 1)",
		parsed(&f.bars.MaxFalseAlarms, parseShare))
	flags.Func("shard", "score only part `i/n` of the runs, and print a result for --merge",
		parsed(&f.shard, score.ParseShard))
	flags.BoolVar(&f.merge, "merge", false,
		"print one report from the results of all shards; the arguments are their files")
	f.timeouts.register(flags)
}

// registerLabels registers the flags that say what is a loop.
func (f *scoreFlags) registerLabels(flags *pflag.FlagSet) {
	flags.StringArrayVar(&f.labels, "labels", nil,
		"take labels from a `file` that label wrote; they replace labels of the corpus and of earlier files")
	flags.StringArrayVar(&f.runs, "runs", nil,
		"only the labels of the runs in a `file` that label --sample printed; each run counts by its weight there")
}

func (f *scoreFlags) run(ctx context.Context, std streams, c call) (conformance.Outcome, error) {
	commands, err := f.ports(c)
	if err := cmp.Or(err, f.check(c.words), f.checkOutputs(c, commands), f.readConfigs(ctx)); err != nil {
		return conformance.Usage, err
	}
	if f.merge {
		return f.mergeShards(ctx, std, c.words)
	}
	corpora, err := f.open(ctx, c.words)
	if err != nil {
		return faultOf(err), err
	}
	contenders, outcome, err := f.contenders(ctx, std, commands)
	if err != nil {
		return outcome, err
	}
	if f.shard.N > 0 {
		if err := score.WriteShard(ctx, std.out, f.shard, corpora, contenders); err != nil {
			return attribute(err), err
		}
		return conformance.Conformant, nil
	}
	progress := newProgress(std.err)
	report, err := score.Score(ctx, corpora, contenders, progress.logs)
	progress.clear()
	if err != nil {
		return attribute(err), err
	}
	return f.conclude(ctx, std, report, len(commands) > 0)
}

// contenders returns the reference's detectors that are scored, and those of the ports that are given. The outcome says
// whose fault an error is.
func (f *scoreFlags) contenders(
	ctx context.Context, std streams, commands [][]string,
) ([]score.Contender, conformance.Outcome, error) {
	list, unknown := f.choice.Of(ctx, reference.Port(), "")
	if _, absent := errors.AsType[*score.AbsentError](unknown); unknown != nil && !absent {
		return nil, conformance.Usage, usageError{unknown}
	}
	unknown = f.named(unknown)
	if unknown != nil && len(commands) == 0 {
		return nil, conformance.Usage, unknown
	}
	ports, err := startAll(ctx, std, commands, f.timeouts)
	if err != nil {
		return nil, conformance.OutcomeOf(err), err
	}
	var lacks error // of the first port that has none of them
	for _, port := range ports {
		offered, err := f.choice.Of(ctx, port, port.name)
		if _, absent := errors.AsType[*score.AbsentError](err); err != nil && !absent {
			return nil, conformance.AdapterFault, err
		}
		lacks, list = cmp.Or(lacks, err), append(list, offered...)
	}
	switch {
	case len(list) == 0: // nobody has it
		return nil, conformance.Usage, unknown
	case lacks != nil:
		return nil, conformance.AdapterFault, lacks
	}
	if err := f.named(f.choice.CheckNamed(list)); err != nil {
		return nil, conformance.Usage, err
	}
	if err := f.choice.CheckUsed(list); err != nil {
		return nil, conformance.Usage, usageError{err}
	}
	return list, conformance.Conformant, nil
}

// named names the flag at which an error lies, if there is one.
func (f *scoreFlags) named(err error) error {
	if err == nil {
		return nil
	}
	return usagef("--detector %q: %w", strings.Join(f.choice.Detectors, ","), err)
}

// mergeShards makes the report of the shards that other runs printed.
func (f *scoreFlags) mergeShards(ctx context.Context, std streams, paths []string) (conformance.Outcome, error) {
	var parts []score.ShardFile
	for _, path := range paths {
		text, err := userfiles.Read(ctx, path, userfiles.MostReport)
		if err != nil {
			return conformance.NotDecided, err
		}
		parts = append(parts, score.ShardFile{Name: path, Reader: bytes.NewReader(text)})
	}
	report, err := score.MergeShards(parts)
	if err != nil {
		return conformance.NotDecided, err
	}
	given := slices.ContainsFunc(report.Rows, func(row score.Row) bool { return row.Owner != "" })
	return f.conclude(ctx, std, report, given)
}

// ports returns the commands of the ports: of the one behind --against, and of the one after --.
func (f *scoreFlags) ports(c call) ([][]string, error) {
	commands := c.commands()
	if len(commands) > 1 {
		return nil, usagef("want one --, got %d; for a second port, write --against OLD… -- NEW…", len(commands))
	}
	if f.against != nil {
		commands = append([][]string{f.against}, commands...)
	}
	return commands, nil
}

// readConfigs reads the configurations of --config.
func (f *scoreFlags) readConfigs(ctx context.Context) error {
	for _, text := range f.configs {
		config, err := score.ParseConfig(ctx, text)
		if err != nil {
			return usagef("--config %q: %w", text, err)
		}
		f.choice.Configs = append(f.choice.Configs, config)
	}
	return nil
}

// commands returns the commands of a call that has several, each behind a --.
func (c call) commands() [][]string {
	if !c.dash {
		return nil
	}
	parts := [][]string{nil}
	for _, word := range c.after {
		if last := len(parts) - 1; word == "--" {
			parts = append(parts, nil)
		} else {
			parts[last] = append(parts[last], word)
		}
	}
	return parts
}

// check refuses flags that make no sense together.
func (f *scoreFlags) check(paths []string) error {
	switch {
	case len(paths) == 0:
		return usagef("say which corpus: a folder of recorded runs with labels")
	case f.merge && f.chooses():
		return usagef("--merge: the files say what was scored; " +
			"leave out --shard, --detector, --config, --severity and --sweep")
	case f.shard.N > 0 && f.reports():
		return usagef("--shard prints a part, and --merge the report; leave --json, --markdown, --html, --svg, --by-agent, " +
			"--min-recall and --max-false-alarms for --merge")
	case f.json && f.markdown:
		return usagef("--json and --markdown: both would be printed; take one")
	case f.svg != "" && f.choice.Sweep == nil && !f.merge:
		return usagef("--svg draws the curves of --sweep; add --sweep")
	}
	return nil
}

// addDetectors reads a flag that names detectors and profiles, joined by commas.
func addDetectors(names *[]string) func(string) error {
	return func(text string) error {
		for name := range strings.SplitSeq(text, ",") {
			if err := score.CheckDetector(name); err != nil {
				return err
			}
			*names = append(*names, name)
		}
		return nil
	}
}

// checkOutputs refuses a page or a picture that would overwrite what is printed or read. A manifest that is named lies
// beside the runs that it lists.
func (f *scoreFlags) checkOutputs(c call, commands [][]string) error {
	outputs := given(file{"--html", f.html}, file{"--svg", f.svg})
	if len(outputs) == 0 {
		return nil
	}
	inputs := slices.Concat(filesBelow("a file of the corpus", lists.Map(c.words, corpusFolder)),
		given(filesAt("--labels", f.labels...)...), given(filesAt("--runs", f.runs...)...))
	for _, text := range f.configs {
		_, config, _ := strings.Cut(text, "=")
		inputs = append(inputs, configFile(config)...)
	}
	for _, command := range commands {
		inputs = append(inputs, commandFiles("", command)...)
	}
	return checkOutputs(append([]file{printed}, outputs...), inputs)
}

func corpusFolder(path string) string {
	if filepath.Ext(path) == ".yaml" {
		return filepath.Dir(path)
	}
	return path
}

// chooses reports whether the flags say what is scored.
func (f *scoreFlags) chooses() bool {
	return f.shard.N > 0 || len(f.configs) > 0 || !reflect.ValueOf(f.choice).IsZero()
}

// reports reports whether the flags say what is made of the whole report.
func (f *scoreFlags) reports() bool {
	return f.json || f.markdown || f.html != "" || f.svg != "" || f.byAgent || f.bars != score.Bars{}
}

// open opens the corpora, with the labels and the sample that are given.
func (f *scoreFlags) open(ctx context.Context, paths []string) ([]*score.Corpus, error) {
	labels, err := score.ReadLabels(ctx, f.labels)
	if err != nil {
		return nil, err
	}
	var sample []score.Drawn
	for _, path := range f.runs {
		drawn, err := score.ReadSample(ctx, path)
		if err != nil {
			return nil, err
		}
		sample = append(sample, drawn...)
	}
	list, err := openCorpora(ctx, paths)
	if err != nil {
		return nil, err
	}
	var problems []error
	for _, corpus := range list {
		if len(labels) > 0 {
			problems = append(problems, corpus.Label(labels))
		}
		if len(sample) > 0 {
			problems = append(problems, corpus.Draw(sample))
		}
	}
	if err := errors.Join(problems...); err != nil { // a file is about another corpus, or misspells its name
		return nil, userfiles.Wrong(err)
	}
	return list, nil
}

func openCorpora(ctx context.Context, paths []string) ([]*score.Corpus, error) {
	var list []*score.Corpus
	var problems []error
	for i, path := range paths {
		same := func(other string) bool { return filepath.Clean(other) == filepath.Clean(path) }
		if slices.ContainsFunc(paths[:i], same) {
			problems = append(problems, usagef("%s is named twice", path))
			continue
		}
		corpus, err := score.Open(ctx, path)
		list, problems = append(list, corpus), append(problems, err)
	}
	return list, errors.Join(problems...)
}

// attribute says whose fault it is that a run could not be scored: a port that refuses an event or that is gone is at
// fault, and where a recording cannot be read, nobody knows.
func attribute(err error) conformance.Outcome {
	var refused *spec.Fault
	var gone *stdio.ProcessError
	if errors.As(err, &refused) || errors.As(err, &gone) {
		return conformance.AdapterFault
	}
	return conformance.NotDecided
}

// conclude writes the report, and says whether the bars are reached: by the ports that were given, else by all.
func (f *scoreFlags) conclude(
	ctx context.Context, std streams, r *score.Report, given bool,
) (conformance.Outcome, error) {
	r.ByAgent = f.byAgent
	if err := f.write(ctx, std, r); err != nil {
		return conformance.NotDecided, err
	}
	rows := r.Rows
	if given {
		rows = lists.Filter(rows, func(row score.Row) bool { return row.Owner != "" })
	}
	outcome, lines := f.bars.Check(rows)
	for _, line := range lines {
		fmt.Fprintln(std.err, "loopstone score: "+line)
	}
	if err := score.Problems(r.Corpora); err != nil {
		return conformance.NotDecided, err
	}
	return outcome, nil
}

func (f *scoreFlags) write(ctx context.Context, std streams, r *score.Report) error {
	var problem error
	switch {
	case f.json:
		problem = r.WriteJSON(std.out)
	case f.markdown:
		problem = r.WriteMarkdown(std.out)
	default:
		problem = r.WriteText(std.out, columns(f.width, std))
	}
	if f.html != "" {
		problem = errors.Join(problem, userfiles.Stream(ctx, f.html, r.WriteHTML))
	}
	if f.svg != "" {
		problem = errors.Join(problem, userfiles.Write(ctx, f.svg, []byte(r.Chart())))
	}
	return problem
}

// columns returns the width that was asked for, else that of the page.
func columns(asked int, std streams) int {
	if asked > 0 {
		return asked
	}
	return widthOf(std, usualWidth)
}

// scoredPort is a port that stands in the table beside the reference.
type scoredPort struct {
	launch.Port
	name string // unique in the table
}

// startAll starts a process for each command. A table needs a name for each, so further ports of a name are numbered.
func startAll(ctx context.Context, std streams, commands [][]string, limits timeouts) ([]scoredPort, error) {
	var list []scoredPort
	for _, command := range commands {
		if len(command) == 0 {
			return nil, usagef("-- without a command after it")
		}
		started, err := std.start(ctx, command, limits, declared.CheckNames)
		if err != nil {
			return nil, err
		}
		port := scoredPort{started, started.Description.Name}
		isOfName := func(other scoredPort) bool { return other.Description.Name == started.Description.Name }
		if same := lists.Count(list, isOfName); same > 0 {
			port.name = fmt.Sprintf("%s (%d)", port.name, same+1)
		}
		list = append(list, port)
	}
	return list, nil
}
