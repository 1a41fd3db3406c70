package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// echo is what a program in Go can reach that reads every line as JSON, writes it again, and that is all: the
// counterpart of scripts/echo.py and scripts/echo.mjs. It is the child of this very program.
func echo(in io.Reader, out io.Writer) error {
	lines, answers := bufio.NewReaderSize(in, 64<<10), bufio.NewWriterSize(out, 64<<10)
	for {
		line, err := lines.ReadSlice('\n')
		if err == io.EOF {
			return answers.Flush()
		}
		if err != nil {
			return fmt.Errorf("read a line: %w", err)
		}
		var message any
		if err := json.Unmarshal(line, &message); err != nil {
			return fmt.Errorf("read a line: %w", err)
		}
		answer, err := json.Marshal(message)
		if err != nil {
			return fmt.Errorf("write a line: %w", err)
		}
		if _, err := answers.Write(append(answer, '\n')); err != nil {
			return fmt.Errorf("write a line: %w", err)
		}
		if lines.Buffered() == 0 {
			if err := answers.Flush(); err != nil {
				return fmt.Errorf("write a line: %w", err)
			}
		}
	}
}
