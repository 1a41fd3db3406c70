package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

//go:embed npm python/loopstone_pytest.py
var sources embed.FS

//go:embed readme.md
var readme []byte

// source returns one of our files as an entry of a package.
func source(folder, name string, mode int64) (entry, error) {
	content, err := sources.ReadFile(folder + "/" + name)
	return entry{name, content, mode}, err
}

// manifest is the file package.json.
type manifest struct {
	Name                 string            `json:"name"`
	Version              string            `json:"version"`
	Description          string            `json:"description"`
	License              string            `json:"license"`
	Repository           string            `json:"repository"`
	Bin                  map[string]string `json:"bin,omitempty"`
	Exports              map[string]string `json:"exports,omitempty"`
	OS                   []string          `json:"os,omitempty"`
	CPU                  []string          `json:"cpu,omitempty"`
	Engines              map[string]string `json:"engines,omitempty"`
	OptionalDependencies map[string]string `json:"optionalDependencies,omitempty"`
}

func newManifest(name, description string) manifest {
	return manifest{
		Name: name, Version: version, Description: description, License: "MIT",
		Repository: "github:loopstone/loopstone",
	}
}

// npmWrapper returns the package loopstone. It has the program of no platform: npm installs the machine's package
// beside it.
func npmWrapper(licence []byte) (packaged, error) {
	m := newManifest("loopstone", "Conformance suite for agent loop detectors")
	m.Bin = map[string]string{"loopstone": "loopstone.cjs"}
	m.Exports = map[string]string{"./suite": "./suite.mjs", "./package.json": "./package.json"}
	m.Engines = map[string]string{"node": ">=18"}
	m.OptionalDependencies = map[string]string{}
	for _, p := range platforms() {
		m.OptionalDependencies[p.npmName()] = version
	}
	wrapper, err := source("npm", "loopstone.cjs", 0o755)
	suite, errSuite := source("npm", "suite.mjs", 0o644)
	types, errTypes := source("npm", "suite.d.mts", 0o644)
	if err := errors.Join(err, errSuite, errTypes); err != nil {
		return packaged{}, err
	}
	return m.pack(wrapper, suite, types, entry{"README.md", readme, 0o644}, entry{"LICENSE", licence, 0o644})
}

// npmPackage returns the package with the program of a platform.
func npmPackage(p platform, binary, licence []byte) (packaged, error) {
	m := newManifest(p.npmName(), fmt.Sprintf("The program of the package loopstone for %s on %s", p.npm, p.npmC))
	m.OS, m.CPU = []string{p.npm}, []string{p.npmC}
	return m.pack(entry{"bin/" + p.program(), binary, 0o755}, entry{"LICENSE", licence, 0o644})
}

// entry is a file of an archive.
type entry struct {
	name    string
	content []byte
	mode    int64
}

// epoch is when all files of packages were changed, so that equal content gives equal bytes; zip knows no earlier day.
var epoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// pack returns the package as npm pack writes it.
func (m manifest) pack(files ...entry) (packaged, error) {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return packaged{}, err
	}
	files = append([]entry{{"package.json", append(text, '\n'), 0o644}}, files...)
	var b bytes.Buffer
	compressed, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return packaged{}, err
	}
	archive := tar.NewWriter(compressed)
	for _, f := range files {
		head := tar.Header{Name: "package/" + f.name, Mode: f.mode, Size: int64(len(f.content)), ModTime: epoch}
		if err := archive.WriteHeader(&head); err != nil {
			return packaged{}, err
		}
		if _, err := archive.Write(f.content); err != nil {
			return packaged{}, err
		}
	}
	if err := errors.Join(archive.Close(), compressed.Close()); err != nil {
		return packaged{}, err
	}
	name := strings.NewReplacer("@", "", "/", "-").Replace(m.Name)
	return packaged{fmt.Sprintf("%s-%s.tgz", name, m.Version), b.Bytes()}, nil
}
