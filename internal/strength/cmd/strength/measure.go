package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/strength"
)

// The files of a module that the command reads and writes.
const (
	exemptionsFile = "internal/strength/equivalent.yaml"
	killsFile      = "internal/strength/kills/kills.json"
	pageFile       = "docs/strength.md"
)

// measure judges all mutants, prints the figures, and writes or checks the files that are made of them.
func measure(ctx context.Context, root string, check bool) error {
	start := time.Now()
	exempt, err := readExemptions(root, exemptionsFile)
	if err != nil {
		return err
	}
	suite, err := cases.All()
	if err != nil {
		return err
	}
	build, err := strength.Compile(ctx, root, strength.Packages...)
	if err != nil {
		return err
	}
	defer build.Close()
	outcomes, err := build.Judge(ctx, build.Program.Mutants)
	if err != nil {
		return err
	}
	v := strength.Assess(outcomes, exempt, suite)
	for _, r := range v.ByPackage() {
		fmt.Printf("%-12s %5d mutants, %5d killed, %4d equivalent, %4d out of scope, %3d survived\n", r.Name, r.All(),
			r.Counts[strength.Killed], r.Counts[strength.Equivalent], r.Counts[strength.OutOfScope], r.Counts[strength.Survived])
	}
	list := v.Record(suite)
	fmt.Printf("%d mutants judged in %.0f s\n", len(outcomes), time.Since(start).Seconds())
	if err := build.Steps(ctx, v, list); err != nil {
		return err
	}
	fmt.Printf("the steps of %d cases in %.0f s\n", len(list.Cases), time.Since(start).Seconds())
	text, err := list.Text()
	if err != nil {
		return err
	}
	keep := write
	if check {
		keep = compare
	}
	return errors.Join(v.Err(), keep(root, killsFile, text), keep(root, pageFile, strength.Page(v, exempt, list)))
}

func readExemptions(root, name string) (*strength.Exemptions, error) {
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		return nil, fmt.Errorf("read the exemptions: %w", err)
	}
	return strength.ReadExemptions(name, text)
}

// write writes a generated file.
func write(root, name string, text []byte) error {
	if err := os.WriteFile(filepath.Join(root, name), text, 0o644); err != nil {
		return fmt.Errorf("write what was measured: %w", err)
	}
	return nil
}

// compare returns an error where a generated file is not what it would be now.
func compare(root, name string, text []byte) error {
	old, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		return fmt.Errorf("read what was measured: %w", err)
	}
	if !bytes.Equal(old, text) {
		return fmt.Errorf("%s is not up to date; run: make strength", name)
	}
	return nil
}
