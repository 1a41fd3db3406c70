// Package adapters holds, for each language, the kit (one file that speaks the protocol, so that a port has only its
// detector) and the files of the first port that loopstone init writes, in templates. Beside the kit lie composed.*, a
// detector for agents, and our own ports with their tests, in ports and tests; no program embeds these.
//
// In templates, detector.* is the port of any detector, my_port and main the one with a fault to be found. A file that
// ends in .txt is written without this ending, which keeps tools from reading it here.
package adapters

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

//go:embed python/loopstone.py typescript/loopstone.js typescript/loopstone.d.ts rust/src/loopstone.rs java/Loopstone.java
//go:embed templates
var files embed.FS

// Starter is a first port in a language: a detector that passes some cases and fails others.
type Starter struct {
	Language string   // empty for one without a kit
	Main     string   // the file with the detector
	Command  string   // starts the port, in its folder
	Prepare  []string // has to be run once before, in its folder; nil where nothing has to

	Install string // what the workflow installs: a version, a commit or a branch; that of the specification if it is empty

	Setup string   // the GitHub action that installs the language; empty where the workflow has it anyway
	Needs []string // what has to be run in a fresh checkout before the port starts
	Lacks *Library // what Prepare may lack; nil where it needs no library that people install

	copies   map[string]string // files of this package by their names in the port's folder
	template string            // of a port of any detector
	readme   string            // its template, if it is not that of the languages
	words    []string          // of the command; those between blanks where it is nil

	mapping *mapping // of the detector that the port is of; nil for the one with a fault
}

// Library is one that Prepare needs, and that people install.
type Library struct {
	Name   string // with its version
	Absent string // what Prepare prints where it is not installed
	Remedy string // how to install it
}

// Starters lists the languages.
func Starters() []Starter {
	return []Starter{
		{
			Language: "python", Main: "my_port.py", Command: "python3 my_port.py", Setup: "actions/setup-python@v5",
			copies:   map[string]string{"loopstone.py": "python/loopstone.py", "my_port.py": "templates/python/my_port.py"},
			template: "templates/python/detector.py.txt",
		},
		{
			Language: "typescript", Main: "my_port.mjs", Command: "node my_port.mjs", Setup: "actions/setup-node@v4",
			copies: map[string]string{
				"loopstone.mjs": "typescript/loopstone.js", "loopstone.d.mts": "typescript/loopstone.d.ts",
				"my_port.mjs": "templates/typescript/my_port.mjs",
			},
			template: "templates/typescript/detector.mjs.txt",
		},
		{
			Language: "go", Main: "main.go", Command: "go run .", Prepare: []string{"go", "mod", "tidy"},
			Setup:    "actions/setup-go@v5",
			copies:   map[string]string{"main.go": "templates/go/main.go.txt"},
			template: "templates/go/detector.go.txt",
		},
		{
			Language: "rust", Main: "src/main.rs", Command: "cargo run --quiet --release",
			Prepare: []string{"cargo", "build", "--quiet", "--release"},
			copies: map[string]string{
				"Cargo.toml": "templates/rust/Cargo.toml.txt", ".gitignore": "templates/rust/gitignore.txt",
				"src/loopstone.rs": "rust/src/loopstone.rs", "src/main.rs": "templates/rust/main.rs.txt",
			},
			template: "templates/rust/detector.rs.txt",
		},
		{
			// The port itself is compiled whenever it starts; only the kit, which does not change, is compiled before.
			Language: "java", Main: "MyPort.java", Command: "java @java.args MyPort.java",
			Prepare: []string{"javac", "@java.args", "-d", "classes", "Loopstone.java"},
			Needs:   []string{"sudo apt-get install -y libgoogle-gson-java", "javac @java.args -d classes Loopstone.java"},
			Lacks: &Library{
				Name: "Gson 2.10 or later", Absent: "package com.google.gson does not exist",
				Remedy: "sudo apt-get install -y libgoogle-gson-java, or save its jar as lib/gson.jar",
			},
			copies: map[string]string{
				"java.args": "templates/java/java.args.txt", ".gitignore": "templates/java/gitignore.txt",
				"Loopstone.java": "java/Loopstone.java", "MyPort.java": "templates/java/MyPort.java.txt",
			},
			template: "templates/java/detector.java.txt",
		},
	}
}

// Of returns the starter of a port of the detector, whose events are mapped and whose rules are still to come.
func (s Starter) Of(detector spec.Definition) Starter {
	m := mappingOf(detector)
	s.mapping = &m
	return s
}

// OfProfile is [Starter.Of] for a profile, which needs some features, and looks at these types of events.
func (s Starter) OfProfile(detector spec.Definition, needs []spec.Feature, events []Mapped) Starter {
	m := mappingOfProfile(detector, needs, events)
	s.mapping = &m
	return s
}

// Detector names the detector that the port is of; empty for the port with a fault.
func (s Starter) Detector() string {
	if s.mapping == nil {
		return ""
	}
	return s.mapping.Detector
}

// Version is what the workflow installs.
func (s Starter) Version() string { return cmp.Or(s.Install, "v"+spec.Version) }

// Released reports whether the workflow installs a release.
func (s Starter) Released() bool { return strings.HasPrefix(s.Version(), "v") }

// CommandList returns the command as a list in YAML. A word is quoted unless every reader takes it for a text.
func (s Starter) CommandList() string {
	list := slices.Clone(s.words)
	if list == nil {
		list = strings.Fields(s.Command)
	}
	for i, word := range list {
		if !fileName.MatchString(word) {
			list[i] = strictyaml.Quoted(word)
		}
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// fileName matches names with an ending, which every reader of YAML takes for texts.
var fileName = regexp.MustCompile(`^[a-z][a-z0-9_]+\.[a-z]+$`)

// Files returns the files of a first port by their names in its folder, where folders are separated by slashes.
func (s Starter) Files() (map[string][]byte, error) {
	content := map[string][]byte{}
	for name, source := range s.copies {
		text, err := fs.ReadFile(files, source)
		if err != nil {
			return nil, fmt.Errorf("starter files: %w", err)
		}
		content[name] = text
	}
	for name, source := range map[string]string{
		"README.md":                         cmp.Or(s.readme, "templates/README.md.txt"),
		".github/workflows/conformance.yml": "templates/conformance.yml.txt",
		"loopstone.yaml":                    "templates/loopstone.yaml.txt",
	} {
		text, err := fill(source, s)
		if err != nil {
			return nil, err
		}
		content[name] = text
	}
	if s.mapping == nil {
		return content, nil
	}
	text, err := fill(s.template, s.mapping)
	content[s.Main] = text
	return content, err
}

func fill(source string, with any) ([]byte, error) {
	text, err := fs.ReadFile(files, source)
	if err != nil {
		return nil, fmt.Errorf("starter files: %w", err)
	}
	t, err := template.New(path.Base(source)).Funcs(functions).Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("starter files: %w", err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, with); err != nil {
		return nil, fmt.Errorf("starter files: %w", err)
	}
	return b.Bytes(), nil
}
