package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/suite/launch"
	"github.com/loopstone/loopstone/internal/suite/portconfig"
	"github.com/loopstone/loopstone/spec"
)

// target is the port that a command judges: how to start it, and how to name it in a command that repeats the run.
type target struct {
	launch.Target

	again     string           // what follows the flags: " -- python3 port.py", " --reference", or nothing
	named     []string         // the command as a report names it; nil where it is Command
	reference bool             // it is Loopstone's own
	file      *portconfig.File // that names it; nil where the call does
}

// portFlag says with which port a command works where its call has no words: the reference if it is asked for by name,
// else the port of loopstone.yaml.
type portFlag struct{ reference bool }

func (p *portFlag) register(flags *pflag.FlagSet) {
	flags.BoolVar(&p.reference, "reference", false, "take the reference (Loopstone's own port) instead of a port of yours")
}

// target returns the port that the words start, or without words the one that the flag or loopstone.yaml names. Where
// the call names its port, the file is not read.
func (p portFlag) target(ctx context.Context, words []string, limits timeouts) (target, error) {
	switch {
	case p.reference && len(words) > 0:
		return target{}, usagef("--reference takes no command, got %q; leave out one of the two", words)
	case p.reference:
		return referenceTarget(limits)
	case len(words) > 0:
		return targetOf(words, limits)
	}
	file, err := portconfig.Open(ctx)
	if missing, ok := errors.AsType[*portconfig.MissingError](err); ok {
		return target{}, noPort(missing)
	}
	if err != nil {
		return target{}, err
	}
	t, err := targetOf(file.Command, limits)
	t.file = &file
	if file.Folder != "." {
		t.Command.Dir, t.again = file.Folder, "" // its words make sense there, and loopstone.yaml is found from here
	}
	return t, err
}

// of returns the port of a call, all of whose words are its command.
func (p portFlag) of(ctx context.Context, c call, limits timeouts) (target, error) {
	words, err := c.command()
	if err != nil {
		return target{}, err
	}
	return p.target(ctx, words, limits)
}

// noPort says how to name a port.
func noPort(missing *portconfig.MissingError) error {
	return usagef("which port? %w; do one of these:\n"+
		"  write the command that starts your port after --, as in -- python3 my_port.py\n"+
		"  write a port with its %s: loopstone init\n"+
		"  take Loopstone's own port, the reference: --reference", missing, portconfig.FileName)
}

// targetOf returns the port that the words after the flags start.
func targetOf(words []string, limits timeouts) (target, error) {
	t, err := limits.target()
	if err == nil {
		err = checkFolderNamed(words[0])
	}
	t.Command = stdio.Command{Path: words[0], Args: words[1:]}
	t.again = " -- " + t.Command.String()
	return t, err
}

// referenceTarget returns the reference, served by this very program over a real pipe.
func referenceTarget(limits timeouts) (target, error) {
	t, err := limits.target()
	if err != nil {
		return t, err
	}
	t.reference, t.again, t.named = true, " --reference", []string{"loopstone", "serve"}
	t.Command = stdio.Command{Path: self(), Args: []string{"serve"}}
	return t, nil
}

// self returns the path of this program, or its name on a system without processes: an attempt to start it says so.
func self() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}

// target returns a port without a command, which keeps the limits.
func (t timeouts) target() (target, error) {
	if t.request <= 0 || t.start <= 0 {
		return target{}, usagef("--timeout %s, --start-timeout %s: want more than 0", t.request, t.start)
	}
	limits := stdio.Options{SuiteVersion: spec.Version, RequestTimeout: t.request, StartTimeout: t.start}
	return target{Target: launch.Target{Options: limits}}, nil
}

// checkFolderNamed refuses a folder where the program of a port is wanted.
func checkFolderNamed(path string) error {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return nil
	}
	if _, err := exec.LookPath(path); err == nil { // a program of that name
		return nil
	}
	if _, err := os.Stat(filepath.Join(path, portconfig.FileName)); !errors.Is(err, fs.ErrNotExist) {
		return usagef("%s is a folder; its %s names the port: run the command in that folder", path, portconfig.FileName)
	}
	return usagef("%s is a folder without a %s; write the command that starts the port, as in -- python3 %s", path,
		portconfig.FileName, filepath.Join(path, "my_port.py"))
}

// words returns the command as a report names it.
func (t target) words() []string {
	if t.named != nil {
		return t.named
	}
	return append([]string{t.Command.Path}, t.Command.Args...)
}

// files returns the files that the command names, and loopstone.yaml if that names the command.
func (t target) files() []file {
	list := commandFiles(t.Command.Dir, t.words())
	if t.file != nil {
		list = append(list, file{"the description of a port", t.file.Path()})
	}
	return list
}
