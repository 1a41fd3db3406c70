package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/loopstone/loopstone/internal/bench/pipe"
)

// What stands around the tables in the document.
const (
	begin = "<!-- figures: written by go run ./internal/bench/figures -->"
	end   = "<!-- end of figures -->"
)

// head tells when, where and with what the figures were taken.
func (b *bench) head() string {
	var machine []string
	for line := range strings.Lines(pipe.Machine()) {
		_, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		machine = append(machine, value)
	}
	with := []string{runtime.Version()}
	for _, program := range []string{"python3", "node"} {
		if version, err := b.output(program, "--version"); err == nil {
			with = append(with, strings.ToLower(program)+" "+strings.TrimPrefix(version, "Python "))
		}
	}
	return fmt.Sprintf("Taken on %s, on %s processors (%s), with %s. Medians of %d rounds.%s\n",
		time.Now().UTC().Format("2 January 2006"), machine[len(machine)-1], strings.Join(machine[:len(machine)-1], ", "),
		strings.Join(with, ", "), b.rounds, load())
}

// load warns of figures that were taken while the machine had other work to do.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	var before float64
	if _, err := fmt.Sscan(string(text), &before); err != nil || before < 1 {
		return ""
	}
	return fmt.Sprintf(" **Preliminary**: the machine was busy (load %.1f before the first round).", before)
}

// replaceSection puts the text in the place of what stands between the marks of a document.
func replaceSection(file, text string) error {
	document, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("write the tables: %w", err)
	}
	before, rest, opened := strings.Cut(string(document), begin)
	_, after, closed := strings.Cut(rest, end)
	if !opened || !closed {
		return fmt.Errorf("write the tables: %s lacks the line %q or %q", file, begin, end)
	}
	whole := before + begin + "\n\n" + text + "\n" + end + after
	if err := os.WriteFile(file, []byte(whole), 0o644); err != nil {
		return fmt.Errorf("write the tables: %w", err)
	}
	return nil
}
