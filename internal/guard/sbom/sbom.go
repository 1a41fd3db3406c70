package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
)

// bom is a bill of materials in the format CycloneDX, as far as a program made by Go tells. It has no time and no
// serial number, so that the same program has the same one.
type bom struct {
	Schema       string       `json:"$schema"`
	Format       string       `json:"bomFormat"`
	SpecVersion  string       `json:"specVersion"`
	Version      int          `json:"version"`
	Metadata     metadata     `json:"metadata"`
	Components   []component  `json:"components"`
	Dependencies []dependency `json:"dependencies"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type    string `json:"type"`
	Ref     string `json:"bom-ref"`
	Name    string `json:"name"`
	Version string `json:"version"`
	URL     string `json:"purl"`
	Hashes  []hash `json:"hashes,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type dependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn"`
}

// BillOfMaterials returns which modules, in which versions, the program at the path was made of, by what Go has written
// into it. A file that Go has not made is an error.
func BillOfMaterials(path string) ([]byte, error) {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("bill of materials: %w", err)
	}
	program, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("bill of materials: %w", err)
	}
	sum := sha256.Sum256(program)
	main := componentOf("application", info.Main.Path, info.Main.Version)
	main.Hashes = []hash{{"SHA-256", hex.EncodeToString(sum[:])}}
	libraries := []component{componentOf("library", "stdlib", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, module := range info.Deps {
		used := replaced(module)
		libraries = append(libraries, componentOf("library", used.Path, used.Version))
	}
	uses := dependency{Ref: main.Ref}
	for _, library := range libraries {
		uses.DependsOn = append(uses.DependsOn, library.Ref)
	}
	text, err := json.MarshalIndent(bom{
		Schema: "http://cyclonedx.org/schema/bom-1.6.schema.json", Format: "CycloneDX", SpecVersion: "1.6", Version: 1,
		Metadata: metadata{main}, Components: libraries, Dependencies: []dependency{uses},
	}, "", "  ")
	return append(text, '\n'), err
}

func replaced(module *debug.Module) *debug.Module {
	if module.Replace != nil {
		return module.Replace
	}
	return module
}

// componentOf returns a component with its package URL, which scanners of vulnerabilities ask by.
func componentOf(kind, path, version string) component {
	url := "pkg:golang/" + path + "@" + version
	return component{Type: kind, Ref: url, Name: path, Version: version, URL: url}
}
