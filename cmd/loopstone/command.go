package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
)

// command is one of the tool's commands.
type command struct {
	name, args, summary string

	examples []string                          // calls, without the tool's name, each with why
	build    func(flags *pflag.FlagSet) runner // adds the flags, and returns what runs once they are read
	complete completion                        // of what comes after words; nil where nothing is known
	files    bool                              // beside what complete says, it may be a file
	startsIn bool                              // the first word begins the port's command, with or without --
	sub      []command
	run      runner // what build returns, or of a command without flags is given
}

// completion returns what may come after some words, of which a part may be typed.
type completion func(words []string, typed string) []string

// first completes the first word of a command, and none after it.
func first(names func() []string) completion {
	return func(words []string, _ string) []string {
		if len(words) > 0 {
			return nil
		}
		return names()
	}
}

// runner carries a command out, whose flags are read. Conformant beside an error counts as undecided.
type runner func(ctx context.Context, std streams, c call) (conformance.Outcome, error)

// flagged are the flags of a command that know how it is carried out.
type flagged interface {
	register(flags *pflag.FlagSet)
	run(ctx context.Context, std streams, c call) (conformance.Outcome, error)
}

// program builds a command of its flags.
func program(f flagged) func(*pflag.FlagSet) runner {
	return func(flags *pflag.FlagSet) runner {
		f.register(flags)
		return f.run
	}
}

// call is how a command was called: the words beside its flags, and those that follow the first --.
type call struct {
	words []string
	after []string
	dash  bool // there is a --
}

// command returns the words that start a port: those behind --, or all where the -- is left out.
func (c call) command() ([]string, error) {
	if i := slices.Index(c.words, "--"); i > 0 {
		return nil, usagef("%q comes before --: only flags may; write the command of the port after --", c.words[:i])
	}
	if len(c.words) > 0 && slices.Contains(detectorNames(), c.words[0]) {
		return nil, usagef("%q is a detector, not a command; did you mean --detector %s?", c.words[0], c.words[0])
	}
	return c.all(), nil
}

// all returns the words on both sides of a --.
func (c call) all() []string { return slices.Concat(c.words, c.after) }

func (c call) nothing() error {
	if words := c.all(); len(words) > 0 {
		return usagef("takes no arguments, got %q", words)
	}
	return nil
}

// commandGroup is the commands of one purpose, in the order in which one comes to need them.
type commandGroup struct {
	heading  string
	example  string // a call, without the tool's name
	commands []command
}

func groups() []commandGroup {
	return []commandGroup{
		{"Test a detector", "test -- python3 my_port.py", testingCommands()},
		{"Replay and measure runs of agents", "replay ~/.claude/projects", recordingCommands()},
		{"Read the specification, and compare detectors", "show history", readingCommands()},
		{"Other commands", "demo", toolCommands()},
	}
}

func testingCommands() []command {
	return []command{
		{
			name: "init", args: "[flags] python|typescript|go|rust|java DIR | --bare DIR -- COMMAND…", build: initCommand,
			complete: first(languages),
			summary:  "write an example port, with its adapter, loopstone.yaml and a CI workflow",
			examples: []string{
				"init python my-port", "an example port with one deliberate fault",
				"init --detector swarm go my-port", "an empty port for the detector swarm",
				"init --bare my-port -- perl my_port.pl", "an adapter in pseudo-code, for a language without a kit",
			},
		}, {
			name: "test", args: "[flags] [--against COMMAND…] [--reference | -- COMMAND…]", startsIn: true,
			build:   program(&testFlags{}),
			summary: "test a port: the COMMAND after --, else the port of loopstone.yaml in this folder or above",
			examples: []string{
				"test -- python3 my_port.py", "everything that the port declares",
				"test --watch", "the port of loopstone.yaml, and again whenever a file changes",
				"test --reference", "Loopstone's own port: does the suite work on this machine?",
				"test --strict --report junit=loopstone.xml -- python3 my_port.py", "in CI: a skipped test is not a success",
				"test --case 'history-*' --verbose -- python3 my_port.py", "some cases, with every failure in full",
				"test --against python3 old.py -- python3 new.py", "show where a new version differs from the old one",
			},
		}, {
			name: "export", args: "[flags] DIR", build: exportCommand,
			summary: "write the tests of a detector for vitest, pytest and others, or the whole suite as plain files",
			examples: []string{
				"export --as vitest --detector @gemini-cli tests/loopstone", "test a detector in its project's own test runner",
				"export vendored", "put a copy of the suite into your repository, to use it without loopstone",
			},
		}, {
			name: "check-adapter", args: "[flags] [--reference | -- COMMAND…]", startsIn: true, build: checkAdapterCommand,
			summary:  "test only the adapter: whether it follows the protocol",
			examples: []string{"check-adapter -- python3 my_port.py", "the adapter of a port whose detector is not finished"},
		}, {
			name: "check-shared", args: "[flags] [--reference | -- COMMAND…]", startsIn: true, build: checkSharedCommand,
			summary: "test whether several processes of a port share the counts of one swarm (feature 'shared')",
			examples: []string{
				"check-shared -- loopstone serve --swarm redis://localhost:6379",
				"three processes that share one Redis",
			},
		}, {
			name: "fuzz", args: "[flags] [--against COMMAND…] [--reference | -- COMMAND…]", startsIn: true,
			build:   program(&fuzzFlags{}),
			summary: "generate traces for a given time and search them for faults",
			examples: []string{
				"fuzz --for 10m --out found -- python3 my_port.py", "write each fault as a case file",
				"fuzz --against python3 old.py -- python3 new.py", "show where a new version differs from the old one",
			},
		}, {
			name: "verify", args: "[flags] REPORT.jsonl [--reference | -- COMMAND…]", build: verifyCommand,
			summary: "repeat the run of a jsonl report and show what differs",
			examples: []string{
				"verify conformance.jsonl -- python3 my_port.py", "does this port give the results of a published report?",
			},
		}, {
			name: "merge", args: "[flags] REPORT.jsonl…", build: mergeCommand,
			summary: "combine the jsonl reports of a run that --shard has split, or compare two runs",
			examples: []string{
				"merge --report text --report junit=all.xml part-*.jsonl", "one report from three machines",
				"merge --trend march.jsonl april.jsonl", "what a port's changes, or a new suite, have fixed and broken",
			},
		}, {
			name: "bench", args: "[flags] [--against COMMAND…] [--reference | -- COMMAND…]", startsIn: true,
			build:   program(&benchFlags{}),
			summary: "measure the speed of a port, or of two",
			examples: []string{
				"bench -- python3 my_port.py > new.txt", "print measurements in the format of Go's benchmarks",
				"bench --gate 25% --against python3 old.py -- python3 new.py",
				"measure two ports alternately; exit with 1 if new.py is more than 25 % slower",
			},
			sub: []command{{
				name: "compare", args: "[flags] OLD NEW", build: benchCompareCommand,
				summary: "compare two files of measurements",
				examples: []string{
					"bench compare --gate 25% old.txt new.txt",
					"exit with 1 if anything in new.txt is more than 25 % worse",
				},
			}},
		},
	}
}

func recordingCommands() []command {
	return []command{
		{
			name: "replay", args: "[flags] LOG… [-- COMMAND…]", build: program(&replayFlags{}),
			summary: "show which detectors would have raised an alarm in recorded runs, and when",
			examples: []string{
				"replay ~/.claude/projects", "all sessions of Claude Code, with the recommended detectors",
				"replay --detector '@*' --html page.html run.jsonl", "all known agents' detectors, and a page with every event",
				"replay --follow ~/.codex/sessions", "print alarms while an agent runs",
				"replay --detector history log.jsonl -- python3 my_port.py", "one detector, in the reference and in a port",
			},
		}, {
			name: "import", args: "[flags] LOG…", build: importCommand,
			summary:  "convert logs of agents to events, one per line",
			examples: []string{"import ~/.claude/projects > runs.jsonl", "all sessions of Claude Code"},
		}, {
			name: "label", args: "[flags] CORPUS", build: program(&labelFlags{}),
			summary: "mark the loops in recorded runs on a local page, and compare two people's labels",
			examples: []string{
				"label --labeller ann my-corpus", "write the labels to ann.jsonl, after each key",
				"label --sample 100 --by history,@loopstone my-corpus > drawn.jsonl",
				"sample runs, equally many from each group: which of these detectors raise an alarm",
				"label --labeller ann --runs drawn.jsonl my-corpus", "label the sample",
				"label --agreement ann.jsonl ben.jsonl", "how far two labellers agree, and where they differ",
			},
		}, {
			name: "score", args: "[flags] CORPUS… [--against COMMAND…] [-- COMMAND…]",
			build:   program(&scoreFlags{}),
			summary: "measure detectors on labelled runs: loops found, and false alarms",
			examples: []string{
				"score my-corpus -- python3 my_port.py", "the detectors of the reference, and those of a port",
				"score my-corpus --against python3 old.py -- python3 new.py",
				"the detectors of the reference, and those of two ports",
				"score --detector history,'@*' my-corpus", "one detector and all profiles",
				"score --sweep threshold=2..8 --svg curve.svg my-corpus", "thresholds from 2 to 8, with a chart",
				"score --shard 1/2 my-corpus > 1.jsonl", "half of a corpus; another machine scores 2/2",
				"score --merge 1.jsonl 2.jsonl", "the report of both halves",
			},
		}, {
			name: "tune", args: "[flags] LOGS…", build: program(&tuneFlags{}),
			summary: "propose counts for the rules of a detector, so that recorded runs have few alarms",
			examples: []string{
				"tune --budget 0.5 logs", "at most one alarm in 2,000 steps",
				"tune --rules @openclaw --labels ann.jsonl my-corpus",
				"count only alarms in healthy runs, and list the loops that would be missed",
				"tune --price-lost 10 --labels ann.jsonl my-corpus",
				"list all detectors by cost; a step that a wrong stop prevents costs ten times a step of a loop",
			},
		},
	}
}

func readingCommands() []command {
	return []command{
		{
			name: "list", args: "[flags] cases|clauses|claims|detectors|features|laws|profiles|requirements",
			build: listCommand, complete: first(listNames),
			summary: "list cases, clauses, claims, detectors, features, laws, profiles or requirements",
			examples: []string{
				"list cases --clause HI-6", "the cases that cite a clause",
				"list claims --refuted", "claims of documents that are false",
				"list profiles", "the configurations of composed and stream that restate known agents' detectors",
				"list requirements --version 0.1.0", "the clauses, cases and laws of a version",
			},
		}, {
			name: "show", args: "[flags] [ID…]", build: showCommand, complete: anyID,
			summary: "print the specification: a detector, a clause, a case, a claim, a document, a law or a @profile",
			examples: []string{
				"show", "an overview, in reading order",
				"show history", "all clauses of a detector, with its terms",
				"show HI-6", "a clause with the terms, clauses, cases and lines of the reference that it needs",
				"show --no-source HI-6", "the same without the reference, if you write a clean-room port",
				"show history-third-identical-call", "a case",
				"show @roo", "a profile: its source, what it covers and lacks, its rules",
				"show --web HI-6", "open its page on the site",
			},
		}, {
			name: "witness", args: "CONFIG|@PROFILE", run: runWitness, complete: first(profileNames), files: true,
			summary: "for each rule of a configuration of 'composed', print the shortest trace on which it reports",
			examples: []string{
				"witness @roo", "each rule of a profile, at each of its thresholds",
				"witness rules.yaml", "a configuration of your own",
			},
		}, {
			name: "differ", args: "[flags] A B [-- COMMAND…]", build: program(&differFlags{}), complete: twoDetectors,
			summary: "find the shortest traces on which two detectors or configurations disagree",
			examples: []string{
				"differ history crow", "two detectors", "differ @roo @opencode", "two profiles",
				`differ history history --config-b '{"repeat_threshold": 5}'`, "two configurations of one detector",
				"differ history history -- python3 my_port.py", "the reference and a port",
			},
		},
	}
}

func toolCommands() []command {
	return []command{
		{
			name: "demo", args: "[flags]", build: demoCommand,
			summary:  "show what loopstone does, on a port with a fault and a recorded agent",
			examples: []string{"demo", "a loop that the port misses, and the test that names its fault"},
		}, {
			name: "lint", args: "[flags] [DIR]", build: lintCommand,
			summary:  "check the cases or the clauses in a folder, or those of the suite, for mistakes",
			examples: []string{"lint my-cases", "your own cases, before test --cases my-cases"},
		}, {
			name: "serve", args: "[flags]", build: serveCommand,
			summary: "serve the reference over the stdio protocol",
			examples: []string{
				"serve < requests.jsonl", "answer requests of docs/protocol.md from a file",
				"serve --swarm redis://localhost:6379", "share swarms between machines",
			},
		}, {
			name: "version", run: runVersion,
			summary:  "print the version of the specification; --version prints more",
			examples: []string{"--version", "also the commit, the suite's digest and the protocol's version"},
		}, {
			name: "completion", args: "bash|zsh|fish|powershell", run: runCompletion, complete: first(shellNames),
			summary: "print a shell script that completes commands, flags and ids",
			examples: []string{
				"completion bash > ~/.local/share/bash-completion/completions/loopstone", "in bash, for new shells",
				`completion zsh > "${fpath[1]}/_loopstone"`, "in zsh",
			},
		}, {
			name: "man", args: "DIR", run: runMan,
			summary:  "write manual pages, one per command",
			examples: []string{"man ~/.local/share/man/man1", "then: man loopstone-test"},
		},
	}
}

// errNoCommand is the error of a call without a command; the help that was printed says the rest.
var errNoCommand = errors.New("no command")

func init() { cobra.EnableCommandSorting = false } // the order of the list is one to read

// newRoot returns the tree of the commands, in which those that args name have their flags, or all without args. Once
// it has run, the outcome is that of the command.
func newRoot(std *streams, args []string) (*cobra.Command, *conformance.Outcome) {
	outcome := conformance.Usage // of what does not come as far as a command
	root := &cobra.Command{
		Use: "loopstone", Short: about, Args: cobra.ArbitraryArgs, SilenceErrors: true, SilenceUsage: true,
		RunE: func(c *cobra.Command, args []string) error {
			switch versionAsked, err := c.Flags().GetBool("version"); {
			case err != nil:
				return err
			case versionAsked:
				outcome, err = tellVersion(*std)
				return err
			case len(args) > 0:
				return unknownCommand(c, args[0])
			}
			writeHelp(std.err, c, widthOf(streams{out: std.err}, usualWidth))
			return errNoCommand
		},
	}
	root.Flags().Bool("version", false,
		"print the versions of the suite and the protocol, the commit and the suite's digest")
	root.PersistentFlags().Func("color", "when to print in colour: `mode` is auto, always or never",
		parsed(&std.colour, parseColour))
	root.SetIn(std.in)
	root.SetOut(std.out)
	root.SetErr(std.err)
	root.SetFlagErrorFunc(explainFlag)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) {
		outcome = conformance.Conformant
		writeHelp(std.out, c, widthOf(*std, usualWidth))
	})
	addCommands(root, std, &outcome, args)
	root.SetHelpCommand(helpCommand(root))
	root.CompletionOptions.DisableDefaultCmd = true // ours has errors and help of the other commands' kind
	return root, &outcome
}

// addCommands adds the commands, with the flags of those that args name.
func addCommands(root *cobra.Command, std *streams, outcome *conformance.Outcome, args []string) {
	for _, g := range groups() {
		root.AddGroup(&cobra.Group{ID: g.heading, Title: g.heading})
		for i := range g.commands {
			c := &g.commands[i]
			made := c.cobra(std, outcome)
			made.GroupID = g.heading
			if args == nil || slices.Contains(args, c.name) || slices.ContainsFunc(args, asksForAll) {
				c.fill(made)
			}
			root.AddCommand(made)
		}
	}
	if slices.ContainsFunc(args, asksForWords) {
		completeFlags(root)
	}
}

// helpCommand is loopstone help COMMAND, which says what COMMAND --help says.
func helpCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [COMMAND]", Short: "show what a command does, and its flags", DisableFlagsInUseLine: true,
		GroupID: lastGroup(),
		RunE: func(_ *cobra.Command, words []string) error {
			found, rest, err := root.Find(words)
			switch {
			case err != nil:
				return usageError{err}
			case len(rest) > 0:
				return unknownCommand(root, rest[0])
			}
			return found.Help()
		},
		ValidArgsFunction: func(_ *cobra.Command, words []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(words) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return namesOf(root), cobra.ShellCompDirectiveNoFileComp
		},
	}
}

func lastGroup() string { list := groups(); return list[len(list)-1].heading }

func namesOf(root *cobra.Command) []string { return lists.Map(root.Commands(), (*cobra.Command).Name) }

// asksForAll reports whether a word asks for what other commands have: their help, their manual pages or completion.
func asksForAll(word string) bool { return word == "help" || word == "man" || asksForWords(word) }

// asksForWords reports whether a word is what the scripts of completion call.
func asksForWords(word string) bool { return strings.HasPrefix(word, cobra.ShellCompRequestCmd) }

// cobra returns the command without its flags, which [command.fill] adds.
func (c *command) cobra(std *streams, outcome *conformance.Outcome) *cobra.Command {
	made := &cobra.Command{
		Use: strings.TrimSpace(c.name + " " + c.args), Short: c.summary, Example: c.example(), Args: cobra.ArbitraryArgs,
		DisableFlagsInUseLine: true, SilenceErrors: true, SilenceUsage: true,
	}
	made.Flags().SortFlags = false
	made.Flags().SetInterspersed(!c.startsIn)
	made.RunE = func(called *cobra.Command, args []string) (err error) {
		if err := checkFilled(called.Flags()); err != nil {
			return err
		}
		*outcome, err = c.run.runSafely(called.Context(), *std, callOf(called, args))
		return err
	}
	made.ValidArgsFunction = func(called *cobra.Command, words []string,
		typed string,
	) ([]string, cobra.ShellCompDirective) {
		if c.complete == nil {
			return nil, cobra.ShellCompDirectiveDefault
		}
		list, directive := completeList(func() []string { return c.complete(words, typed) })(called, words, typed)
		if c.files {
			directive = cobra.ShellCompDirectiveDefault
		}
		return list, directive
	}
	for i := range c.sub {
		made.AddCommand(c.sub[i].cobra(std, outcome))
	}
	return made
}

// fill adds the flags to a command and to those below it.
func (c *command) fill(made *cobra.Command) {
	if c.build != nil {
		c.run = c.build(made.Flags())
	}
	for i, sub := range made.Commands() {
		c.sub[i].fill(sub)
	}
}

// example returns the examples as a shell has them.
func (c command) example() string {
	var lines []string
	for i := 0; i+1 < len(c.examples); i += 2 {
		lines = append(lines, fmt.Sprintf("  # %s\n  loopstone %s", c.examples[i+1], c.examples[i]))
	}
	return strings.Join(lines, "\n")
}

func callOf(called *cobra.Command, args []string) call {
	i := called.ArgsLenAtDash()
	if i < 0 {
		return call{words: args}
	}
	return call{words: args[:i], after: args[i:], dash: true}
}

func unknownCommand(root *cobra.Command, name string) error {
	if meant, ok := wording.Nearest(name, namesOf(root)); ok {
		return usagef("unknown command %q; did you mean %q?", name, meant)
	}
	for _, id := range []string{name, "@" + name} {
		if anyIDNamed(id) {
			return usagef("unknown command %q; did you mean \"show %s\"?", name, id)
		}
	}
	return usagef("unknown command %q; loopstone help lists them", name)
}
