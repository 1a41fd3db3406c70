package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/internal/nearest"
)

// separator joins the words of a command that is the value of one flag; no word of a command holds it.
const separator = "\x00"

// commandWords is the flag --against: a command, whose words [prepared] has joined.
type commandWords []string

// String implements [pflag.Value].
func (c *commandWords) String() string { return strings.Join(*c, " ") }

// Set implements [pflag.Value].
func (c *commandWords) Set(text string) error {
	if text == "" {
		return errors.New("say with which command the other port is started")
	}
	*c = strings.Split(text, separator)
	return nil
}

// Type implements [pflag.Value].
func (c *commandWords) Type() string { return "command" }

// colourMode is the flag --color.
type colourMode string

var colourModes = []string{"auto", "always", "never"}

// String implements [pflag.Value].
func (m *colourMode) String() string { return string(*m) }

// Set implements [pflag.Value].
func (m *colourMode) Set(text string) error {
	for _, mode := range colourModes {
		if text == mode {
			*m = colourMode(text)
			return nil
		}
	}
	return errors.New(nearest.Hint(text, colourModes))
}

// Type implements [pflag.Value].
func (m *colourMode) Type() string { return "mode" }

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
		return usagef("--%s %q: %w", wrong.GetFlag().Name, shown(wrong.GetValue()), causeOf(wrong))
	}
	return usageError{fmt.Errorf("%w; %s --help lists the flags", err, c.CommandPath())}
}

func causeOf(wrong *pflag.InvalidValueError) error {
	if text, ok := wanted[wrong.GetFlag().Value.Type()]; ok {
		return errors.New(text)
	}
	return wrong.Unwrap()
}

func shown(value string) string { return strings.ReplaceAll(value, separator, " ") }

func dashed(unknown *pflag.NotExistError) string {
	if unknown.GetSpecifiedShortnames() != "" {
		return "-" + unknown.GetSpecifiedName()
	}
	return "--" + unknown.GetSpecifiedName()
}

// meantFlag returns which flag of the command was meant, or where it is a flag of another command, which.
func meantFlag(c *cobra.Command, name string) string {
	names := flagsOf(c)
	if meant, ok := nearest.Name(name, names); ok && len(name) > 1 {
		return fmt.Sprintf("did you mean --%s?", meant)
	}
	var others []string
	for _, other := range c.Root().Commands() {
		if other.Flags().Lookup(name) != nil {
			others = append(others, other.CommandPath())
		}
	}
	if len(others) > 0 {
		return "it is one of " + strings.Join(others, ", ")
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
