package main

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/docs"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

// exportReadme says what the files of an export are, and has a runner.
//
//go:embed export.md
var exportReadme []byte

// runExport writes the specification and the suite as plain files, for those who vendor them.
func runExport(ctx context.Context, std streams, folder string) (conformance.Outcome, error) {
	switch entries, err := os.ReadDir(folder); {
	case errors.Is(err, fs.ErrPermission):
		return conformance.NotDecided, fmt.Errorf("see whether the folder is empty: %w", err)
	case len(entries) > 0:
		return conformance.Usage, usagef("%s is not empty", folder)
	}
	files, err := exported()
	if err != nil {
		return conformance.SuiteFault, err
	}
	if err := writeNew(ctx, folder, files); err != nil {
		return conformance.NotDecided, err
	}
	sayf(std.out, "%d files in %s; manifest.json has their digests\n", len(files), folder)
	return conformance.Conformant, nil
}

// exported returns all files of an export by their names.
func exported() (map[string][]byte, error) {
	files := map[string][]byte{"LICENSE": []byte(docs.License()), "README.md": exportReadme}
	for _, s := range []struct {
		folder     string
		from       fs.FS
		extensions []string
	}{
		{"clauses", spec.ClauseFiles(), []string{".md"}},
		{"claims", spec.ClaimFiles(), []string{".yaml"}},
		{"cases", cases.Files(), []string{".yaml", ".md"}},
		{"profiles", spec.ProfileFiles(), []string{".yaml"}},
		{"schema", spec.Schemas(), []string{".json"}},
	} {
		if err := copyInto(files, s.folder, s.from, s.extensions); err != nil {
			return nil, fmt.Errorf("export: %w", err)
		}
	}
	protocol, err := docs.Files.ReadFile("protocol.md")
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	files["protocol.md"] = protocol
	if err := addJSON(files); err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	manifest, err := manifestOf(files)
	if err != nil {
		return nil, err
	}
	files["manifest.json"] = manifest
	return files, nil
}

func copyInto(files map[string][]byte, folder string, from fs.FS, extensions []string) error {
	return fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !slices.Contains(extensions, path.Ext(name)) {
			return err
		}
		files[path.Join(folder, name)], err = fs.ReadFile(from, name)
		return err
	})
}

// addJSON adds a JSON file with the same content to every YAML file, and the clauses as JSON, so that nobody needs a
// reader of YAML or has to parse Markdown.
func addJSON(files map[string][]byte) error {
	for _, name := range slices.Collect(maps.Keys(files)) {
		if path.Ext(name) != ".yaml" {
			continue
		}
		node, err := strictyaml.Parse(name, files[name])
		if err != nil {
			return err
		}
		files[strings.TrimSuffix(name, ".yaml")+".json"] = append(node.Value().AppendJSON(nil), '\n')
	}
	clauses, err := json.MarshalIndent(spec.Clauses(), "", "  ")
	files["clauses/clauses.json"] = append(clauses, '\n')
	return err
}

// manifestOf lists the files with their SHA-256 digests, and the versions that they belong to.
func manifestOf(files map[string][]byte) ([]byte, error) {
	all, err := builtInSuite()
	if err != nil {
		return nil, err
	}
	digests := map[string]string{}
	for name, content := range files {
		digests[name] = fmt.Sprintf("%x", sha256.Sum256(content))
	}
	text, err := json.MarshalIndent(struct {
		Specification string            `json:"specification"`
		Protocol      int               `json:"protocol"`
		Digest        string            `json:"digest"`
		Cases         int               `json:"cases"`
		Files         map[string]string `json:"files"`
	}{spec.Version, 1, cases.Digest(all), len(all), digests}, "", "  ")
	return append(text, '\n'), err
}
