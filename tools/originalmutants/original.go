package main

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

// original is a detector of the field, as its project has it.
type original struct {
	name       string
	repository string
	commit     string
	file       string // below the project's root
	hash       string // of this file, SHA-256
	lines      []span
	profiles   []spec.DetectorID
	tests      []string // the project's own, below its root
	survivors  []survivor
}

// survivor is a mutant that nothing kills though it differs from the original.
type survivor struct{ mutant, reason string }

//go:embed originals.yaml
var table []byte

// readOriginals reads the table. The name is used for places only.
func readOriginals(name string, text []byte) ([]original, error) {
	doc, err := strictyaml.Parse(name, text)
	if err != nil {
		return nil, err
	}
	var list []original
	err = doc.Read(map[string]strictyaml.Reader{"originals": strictyaml.Each(&list, readOriginal)}, "originals")
	return list, err
}

func readOriginal(n *strictyaml.Node) (original, error) {
	var o original
	var lines []string
	err := n.Read(map[string]strictyaml.Reader{
		"name": strictyaml.Str(&o.name), "repository": strictyaml.Str(&o.repository), "commit": strictyaml.Str(&o.commit),
		"file": strictyaml.Str(&o.file), "sha256": strictyaml.Str(&o.hash), "lines": strictyaml.Strs(&lines),
		"profiles": strictyaml.Strs(&o.profiles), "tests": strictyaml.Strs(&o.tests),
		"survivors": strictyaml.Each(&o.survivors, readSurvivor),
	}, "name", "repository", "commit", "file", "sha256", "lines", "profiles")
	for _, l := range lines {
		var s span
		if _, problem := fmt.Sscanf(l, "%d-%d", &s.first, &s.last); problem != nil && err == nil {
			err = n.Problemf("lines: %q is not such as 29-32", l)
		}
		o.lines = append(o.lines, s)
	}
	return o, err
}

func readSurvivor(n *strictyaml.Node) (survivor, error) {
	var s survivor
	err := n.Read(map[string]strictyaml.Reader{
		"mutant": strictyaml.Str(&s.mutant), "reason": strictyaml.Str(&s.reason),
	}, "mutant", "reason")
	return s, err
}

func (o original) isPython() bool { return strings.HasSuffix(o.file, ".py") }

// read returns the file of an original, in a folder that has the projects. It must be the one of the commit.
func (o original) read(from string) (string, error) {
	text, err := os.ReadFile(filepath.Join(from, o.name, o.file))
	if err != nil {
		return "", fmt.Errorf("%w; the sources are those of https://github.com/%s, commit %s", err, o.repository, o.commit)
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != o.hash {
		return "", fmt.Errorf("%s of %s is not the file of commit %s", o.file, o.name, o.commit)
	}
	return string(text), nil
}

// mutants returns the mutants of an original.
func (o original) mutants(text string) []mutant {
	if o.isPython() {
		return mutants(python, text, o.lines)
	}
	return mutants(typescript, text, o.lines)
}
