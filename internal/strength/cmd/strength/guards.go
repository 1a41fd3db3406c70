package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/loopstone/loopstone/internal/strength"
)

// The files of a module that the command reads and writes for the guards.
const (
	guardsFile     = "internal/strength/guards.yaml"
	guardsPageFile = "docs/guards.md"
)

// guards judges all mutants of the code that decides, prints the figures and writes the page.
func guards(ctx context.Context, root string) error {
	start := time.Now()
	exempt, err := readExemptions(root, guardsFile)
	if err != nil {
		return err
	}
	build, err := strength.CompileGuards(ctx, root, strength.Guards)
	if err != nil {
		return err
	}
	defer build.Close()
	outcomes, err := build.Judge(ctx, root)
	if err != nil {
		return err
	}
	v := strength.Assess(outcomes, exempt, nil)
	for _, r := range v.ByFile() {
		fmt.Printf("%-34s %4d mutants, %4d killed, %3d equivalent, %3d out of scope, %3d survived\n", r.Name, r.All(),
			r.Counts[strength.Killed], r.Counts[strength.Equivalent], r.Counts[strength.OutOfScope], r.Counts[strength.Survived])
	}
	fmt.Printf("%d mutants in %.0f s\n", len(outcomes), time.Since(start).Seconds())
	return errors.Join(v.Err(), write(root, guardsPageFile, strength.GuardPage(v, exempt)))
}
