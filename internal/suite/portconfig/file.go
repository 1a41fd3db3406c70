package portconfig

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/declared"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

// FileName is the name of the description, in the folder where the tool is called or in one above.
const FileName = "loopstone.yaml"

// File is how a port is judged. Each member but the command stands for the flag of test that has its name.
type File struct {
	Command   []string        // starts the port
	Detectors []string        // patterns, as --detector takes them
	Readings  []string        // patterns, as --reading takes them
	Strict    bool            // as --strict
	Allow     []spec.Feature  // as --allow
	Known     string          // the path of the list, as --known takes it
	Reports   []report.Target // as --report takes them

	KnownAt strictyaml.Place // of the path of the list
	Folder  string           // that the command is started in, from the working directory
}

// ReadFile reads the text of the file. All that is wrong is returned, joined, one problem a line with its place.
func ReadFile(name string, text []byte) (File, error) {
	f := File{Folder: filepath.Dir(name)}
	root, err := strictyaml.Parse(name, text)
	if err != nil {
		return f, err
	}
	err = root.Read(map[string]strictyaml.Reader{
		"command":   command(&f.Command),
		"detectors": patterns(&f.Detectors, detectors()),
		"readings":  patterns(&f.Readings, []string{string(spec.Text), string(spec.Code)}),
		"strict":    strictyaml.Bool(&f.Strict),
		"allow":     features(&f.Allow),
		"known":     f.readKnown,
		"reports":   reports(&f.Reports),
	}, "command")
	return f, err
}

func (f *File) readKnown(n *strictyaml.Node) error {
	f.KnownAt = n.Place
	return strictyaml.Str(&f.Known)(n)
}

// command reads a command. It has to be a list: how a text is split into words would depend on a shell.
func command(into *[]string) strictyaml.Reader {
	return func(n *strictyaml.Node) error {
		if n.Kind == spec.String {
			return n.Problemf("want a list of words: [%s]", strings.Join(strings.Fields(n.Text), ", "))
		}
		if n.Kind != spec.Array || len(n.Items) == 0 {
			return n.Problemf("want a list of words, such as [python3, my_port.py], got %s", n.Kind)
		}
		for _, item := range n.Items {
			if item.Kind != spec.String {
				return item.Problemf("want a text; put %s between quotes", item.Text)
			}
			*into = append(*into, item.Text)
		}
		return nil
	}
}

// each reads a list of texts, each of which is taken in, or refused at its place.
func each(take func(text string) error) strictyaml.Reader {
	return func(n *strictyaml.Node) error {
		var list []string
		if err := strictyaml.Strs(&list)(n); err != nil {
			return err
		}
		var problems []error
		for i, text := range list {
			if err := take(text); err != nil {
				problems = append(problems, n.Items[i].Problemf("%v", err))
			}
		}
		return errors.Join(problems...)
	}
}

// patterns reads patterns, each of which matches one of the names.
func patterns(into *[]string, names []string) strictyaml.Reader {
	return each(func(pattern string) error {
		*into = append(*into, pattern)
		for _, name := range names {
			if ok, err := path.Match(pattern, name); ok || err != nil {
				return err
			}
		}
		return fmt.Errorf("%q matches nothing; %s", pattern, wording.Hint(pattern, names))
	})
}

func detectors() []string {
	ids := lists.Map(spec.Detectors(), func(d spec.Definition) string { return string(d.ID) })
	return append([]string{string(cases.Protocol)}, ids...)
}

func features(into *[]spec.Feature) strictyaml.Reader {
	return each(func(name string) error {
		*into = append(*into, spec.Feature(name))
		return declared.CheckFeatures([]spec.Feature{spec.Feature(name)})
	})
}

func reports(into *[]report.Target) strictyaml.Reader {
	return each(func(text string) error {
		target, err := report.ParseSpec(text)
		*into = append(*into, target)
		return err
	})
}
