// Command figures measures the reference beside other programs, in one run, and writes the tables of
// benchmarks/README.md:
//
//	go run ./internal/bench/figures --write benchmarks/README.md
//
// What it compares with is left out where it is not there: Python, Node, and the source documents, whose own listings
// it runs. It measures in turns, several times, and tells the medians.
package main

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"
)

//go:embed scripts
var scripts embed.FS

// settings are the flags.
type settings struct {
	write     string
	baseline  string
	documents string
	rounds    int
	time      time.Duration
}

// bench is what the tables are measured with.
type bench struct {
	settings
	ctx    context.Context
	folder string // of the scripts, the listings and the tool, for the time of the run
	root   string // of the repository
}

// gcPercent is the tool's own: what asks a port here, asks it as the tool would.
const gcPercent = 400

func main() {
	if len(os.Args) == 2 && os.Args[1] == "echo" {
		if err := echo(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintf(os.Stderr, "echo: %v\n", err)
			os.Exit(1)
		}
		return
	}
	debug.SetGCPercent(gcPercent)
	if err := run(); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintf(os.Stderr, "figures: %v\n", err)
		os.Exit(1)
	}
}

func run() error {
	var s settings
	flags := flag.NewFlagSet("figures", flag.ContinueOnError)
	flags.StringVar(&s.write, "write", "", "replace the tables in `file`; without it they are printed")
	flags.StringVar(&s.baseline, "baseline", "", "take the baselines in `folder` again, instead of the tables")
	flags.StringVar(&s.documents, "documents", "../shared/documents", "the `folder` of the source documents")
	flags.IntVar(&s.rounds, "rounds", 5, "how often everything is measured")
	flags.DurationVar(&s.time, "time", 200*time.Millisecond, "how long each measurement takes")
	if err := flags.Parse(os.Args[1:]); err != nil {
		return err
	}
	if s.rounds < 1 || s.time <= 0 || flags.NArg() > 0 {
		return fmt.Errorf("--rounds %d, --time %s: want more than 0, and no words", s.rounds, s.time)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	b := &bench{settings: s, ctx: ctx}
	if err := b.prepare(); err != nil {
		return err
	}
	defer os.RemoveAll(b.folder)
	if s.baseline != "" {
		return b.baselines()
	}
	text, err := b.measure()
	if err != nil {
		return err
	}
	if s.write == "" {
		fmt.Print(text)
		return nil
	}
	return replaceSection(s.write, text)
}

// prepare builds the tool and unpacks the scripts.
func (b *bench) prepare() error {
	root, err := filepath.Abs(".")
	if err != nil {
		return fmt.Errorf("find the repository: %w", err)
	}
	if _, err := os.Stat(filepath.Join(root, "benchmarks", "figures")); err != nil {
		return fmt.Errorf("run figures from the root of the repository: %w", err)
	}
	b.root = root
	if b.folder, err = os.MkdirTemp("", "loopstone-figures-"); err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	if err := os.CopyFS(b.folder, scripts); err != nil {
		return fmt.Errorf("unpack the scripts: %w", err)
	}
	_, err = b.output("go", "build", "-o", b.tool(), "./cmd/loopstone")
	return err
}

func (b *bench) tool() string { return filepath.Join(b.folder, "loopstone") }

func (b *bench) script(name string) string { return filepath.Join(b.folder, "scripts", name) }

// output runs a command in the repository and returns what it printed, without white space around it.
func (b *bench) output(words ...string) (string, error) {
	cmd := exec.CommandContext(b.ctx, words[0], words[1:]...)
	cmd.Dir = b.root
	var complaint strings.Builder
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(words, " "), err, strings.TrimSpace(complaint.String()))
	}
	return strings.TrimSpace(string(out)), nil
}

// measure returns all tables.
func (b *bench) measure() (string, error) {
	text := b.head()
	for _, part := range []func() (string, error){b.listings, b.swarm, b.ports, b.floor} {
		table, err := part()
		if err != nil {
			return "", err
		}
		text += "\n" + table
	}
	return text, nil
}
