package main

import (
	"io"
	"os"
)

// streams are what a command reads and writes, and whether in colour.
type streams struct {
	in       io.Reader
	out, err io.Writer
	colour   string // auto, always or never; empty for auto
	ports    *ports // that the command has started
}

// output is standard output. It keeps its first error, so that a command need not check each line that it prints.
type output struct {
	io.Writer
	err error
}

func (o *output) Write(text []byte) (int, error) {
	n, err := o.Writer.Write(text)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// fileOf returns the file that a stream writes to, if it is one.
func fileOf(w io.Writer) (*os.File, bool) {
	if out, ok := w.(*output); ok {
		w = out.Writer
	}
	file, ok := w.(*os.File)
	return file, ok
}
