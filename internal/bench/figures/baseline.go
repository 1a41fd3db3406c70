package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/loopstone/loopstone/internal/bench/pipe"
)

// baselineCount is how many samples a baseline has of each benchmark: as many as a confidence interval needs.
const baselineCount = 6

// baselines takes the results again that the folder holds: of the Go benchmarks, and of each port through the pipe.
func (b *bench) baselines() error {
	text, err := b.output("go", "test", "./benchmarks", "-run", "^$", "-bench", ".", "-benchtime", b.time.String(),
		"-count", fmt.Sprint(baselineCount), "-timeout", "2h")
	if err != nil {
		return err
	}
	if err := b.writeBaseline("go.txt", []byte(text+"\n")); err != nil {
		return err
	}
	var files []string
	var ports []pipe.Port
	var results []*bytes.Buffer
	common, err := pipe.Describe(b.ctx, b.contestants()[0].command)
	if err != nil {
		return err
	}
	for _, c := range b.contestants() {
		offered, err := pipe.Describe(b.ctx, c.command)
		if err != nil {
			return err
		}
		common = pipe.Common(common, offered)
		out := &bytes.Buffer{}
		files, results = append(files, "pipe-"+offered.Language+".txt"), append(results, out)
		ports = append(ports, pipe.Port{Command: c.command, Results: pipe.NewResults(out, c.name)})
	}
	targets, err := pipe.Targets(common, "")
	if err != nil {
		return err
	}
	if err := pipe.Run(b.ctx, ports, pipe.Plan{Targets: targets, Count: baselineCount, Time: b.time}); err != nil {
		return err
	}
	for i, file := range files {
		if err := b.writeBaseline(file, results[i].Bytes()); err != nil {
			return err
		}
	}
	return nil
}

func (b *bench) writeBaseline(name string, text []byte) error {
	if err := os.WriteFile(filepath.Join(b.baseline, name), text, 0o644); err != nil {
		return fmt.Errorf("write a baseline: %w", err)
	}
	return nil
}
