package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// patterns are those of a flag that may be given several times, each time with patterns joined by commas.
type patterns []string

func (p *patterns) add(text string) error {
	*p = append(*p, strings.Split(text, ",")...)
	return nil
}

// parsed reads a flag as a parser does.
func parsed[T any](into *T, parse func(text string) (T, error)) func(string) error {
	return func(text string) (err error) {
		*into, err = parse(text)
		return err
	}
}

// addSeeds reads a flag that may be given several times, each time with numbers joined by commas. 0 stands for the
// usual one.
func addSeeds(seeds *[]int64) func(string) error {
	return func(text string) error {
		for word := range strings.SplitSeq(text, ",") {
			seed, err := strconv.ParseInt(word, 10, 64)
			if err != nil || seed < 0 {
				return fmt.Errorf("%q is no seed; want a number that is not below 0", word)
			}
			if seed > 0 && !slices.Contains(*seeds, seed) {
				*seeds = append(*seeds, seed)
			}
		}
		return nil
	}
}

// parseShare reads a number from 0 to 1.
func parseShare(text string) (*float64, error) {
	value, err := strconv.ParseFloat(text, 64)
	if err != nil || !(value >= 0 && value <= 1) {
		return nil, fmt.Errorf("%q is no share; want a number from 0 to 1", text)
	}
	return &value, nil
}

// checkFilled refuses a flag with an empty text, such as the value of a variable that a script did not set: without its
// folder, --cases would test something else. An empty --known stands for no file if loopstone.yaml names one.
func checkFilled(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(f *pflag.Flag) {
		if err == nil && f.Value.Type() == "string" && f.Value.String() == "" && f.Name != "known" {
			err = usagef("--%s is empty; give it a value, or leave it out", f.Name)
		}
	})
	return err
}

var colourModes = []string{"auto", "always", "never"}

func parseColour(text string) (string, error) {
	if !slices.Contains(colourModes, text) {
		return "", errors.New(wording.Hint(text, colourModes))
	}
	return text, nil
}

// separator joins the words of a command that is the value of one flag; no word of a command holds it.
const separator = "\x00"

// parseCommand reads a command, whose words [prepared] has joined.
func parseCommand(text string) ([]string, error) {
	if text == "" {
		return nil, errors.New("say with which command the old port is started")
	}
	return strings.Split(text, separator), nil
}

// registerAgainst registers the flag that names a second port, in each command that has one.
func registerAgainst(flags *pflag.FlagSet, command *[]string) {
	flags.Func("against", "compare two ports: this `command` starts the old one, the command after -- the new one",
		parsed(command, parseCommand))
}

// twoPorts are the commands that have --against.
var twoPorts = []string{"test", "fuzz", "score", "bench"}

// configUsage is what --config takes, in each command that has it.
const configUsage = "a file in JSON or YAML, or the JSON object itself"

// prepared returns the words of a call as the flags are read: a long flag with one dash, as -case, has two, as it had
// always been taken; and the command of --against, which ends at --, is one word.
func prepared(args []string) ([]string, error) {
	args = slices.Clone(args)
	for i, word := range args {
		if word == "--" {
			break
		}
		if len(word) > 2 && word[0] == '-' && unicode.IsLetter(rune(word[1])) {
			args[i] = "-" + word
		}
	}
	at := slices.IndexFunc(args, func(word string) bool { return slices.Contains(twoPorts, word) })
	if i := slices.Index(args, "--"); at < 0 || i >= 0 && i < at {
		return args, nil
	}
	rest, against, err := cutAgainst(args[at+1:])
	if err != nil || against == nil {
		return args, err
	}
	return slices.Concat(args[:at+1], []string{"--against=" + strings.Join(against, separator)}, rest), nil
}

// cutAgainst takes the command of another port out of the arguments: what stands between --against and the -- of the
// port itself, or, where that comes first, all that follows --against. Without --against the command is nil.
func cutAgainst(args []string) (rest, against []string, err error) {
	i, dashes := slices.Index(args, "--against"), slices.Index(args, "--")
	switch {
	case i < 0:
		return args, nil, nil
	case dashes > i:
		rest, against = slices.Concat(args[:i], args[dashes:]), args[i+1:dashes]
	default:
		rest, against = args[:i], args[i+1:]
	}
	switch {
	case len(against) == 0:
		return nil, nil, usagef("--against: say with which command the old port is started")
	case dashes < 0 || slices.Equal(rest[len(rest)-1:], []string{"--"}):
		return nil, nil, usagef("--against %s: say after -- which port is compared with it", against[0])
	default:
		return rest, against, nil
	}
}

// timeouts are the flags that bound how long an adapter may take.
type timeouts struct{ start, request time.Duration }

// usualTimeouts are those of a call that has none of these flags.
var usualTimeouts = timeouts{start: stdio.DefaultStartTimeout, request: stdio.DefaultRequestTimeout}

func (t *timeouts) register(flags *pflag.FlagSet) {
	flags.DurationVar(&t.request, "timeout", usualTimeouts.request, "time limit for each answer of the port")
	flags.DurationVar(&t.start, "start-timeout", usualTimeouts.start, "time limit for its first answer")
}

// note writes what is not usual into the settings.
func (t *timeouts) note(s *conformance.Settings) {
	if t.request != usualTimeouts.request {
		s.Timeout = t.request.String()
	}
	if t.start != usualTimeouts.start {
		s.StartTimeout = t.start.String()
	}
}

// orStated takes over the timeouts that a report says, where no flag says otherwise.
func orStated(flags *pflag.FlagSet, s conformance.Settings) error {
	for flag, text := range map[string]string{"timeout": s.Timeout, "start-timeout": s.StartTimeout} {
		if text != "" && !flags.Changed(flag) {
			if err := flags.Set(flag, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// groupKey is the annotation of a flag that names the heading under which it stands.
const groupKey = "group"

// group adds flags that stand together in the help, below a heading.
func group(flags *pflag.FlagSet, heading string, register func(*pflag.FlagSet)) {
	part := pflag.NewFlagSet(heading, pflag.ContinueOnError)
	part.SortFlags = false
	register(part)
	part.VisitAll(func(f *pflag.Flag) {
		f.Annotations = map[string][]string{groupKey: {heading}}
	})
	flags.AddFlagSet(part)
}

// versionFlag registers a flag whose value names a version.
func versionFlag(flags *pflag.FlagSet, version *string, name, usage string) {
	flags.Func(name, usage, func(text string) error {
		if text == "" {
			return errors.New("want a version such as " + spec.Version + ", or a digest")
		}
		*version = strings.TrimPrefix(text, "v") // as in go install …@v0.2.0
		return nil
	})
}

// wanted says what a value of a type looks like, where the library would answer with the words of its parser.
var wanted = map[string]string{
	"duration": "want a duration such as 5s, 500ms or 2m",
	"int":      "want a whole number",
	"uint64":   "want a whole number that is not below 0",
	"bool":     "want no value, or =true or =false",
}

// explainFlag says what is wrong with a flag: which one was meant, or what its value looks like.
func explainFlag(c *cobra.Command, err error) error {
	if errors.Is(err, pflag.ErrHelp) {
		return err
	}
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		return usagef("there is no flag %s; %s", dashed(unknown), meantFlag(c, unknown.GetSpecifiedName()))
	}
	if empty, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		name, usage := pflag.UnquoteUsage(empty.GetFlag())
		return usagef("--%s wants a value, %s: %s", empty.GetFlag().Name, name, usage)
	}
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		value := strings.ReplaceAll(wrong.GetValue(), separator, " ")
		return usagef("--%s %q: %w", wrong.GetFlag().Name, value, causeOf(wrong))
	}
	return usageError{fmt.Errorf("%w; %s --help lists the flags", err, c.CommandPath())}
}

func causeOf(wrong *pflag.InvalidValueError) error {
	if text, ok := wanted[wrong.GetFlag().Value.Type()]; ok {
		return errors.New(text)
	}
	return wrong.Unwrap()
}

func dashed(unknown *pflag.NotExistError) string {
	if unknown.GetSpecifiedShortnames() != "" {
		return "-" + unknown.GetSpecifiedName()
	}
	return "--" + unknown.GetSpecifiedName()
}

// meantFlag returns which flag of the command was meant, or where it is a flag of another command, which.
func meantFlag(c *cobra.Command, name string) string {
	if meant, ok := wording.Nearest(name, flagsOf(c)); ok && len(name) > 1 {
		return fmt.Sprintf("did you mean --%s?", meant)
	}
	all, _ := newRoot(&streams{}, nil)
	others := lists.Filter(all.Commands(), func(c *cobra.Command) bool { return c.Flags().Lookup(name) != nil })
	if len(others) > 0 {
		return "it is one of " + strings.Join(lists.Map(others, (*cobra.Command).CommandPath), ", ")
	}
	return c.CommandPath() + " --help lists the flags"
}

func flagsOf(c *cobra.Command) []string {
	var names []string
	for _, set := range []*pflag.FlagSet{c.Flags(), c.InheritedFlags()} {
		set.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	}
	return names
}
