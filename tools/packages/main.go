// Command packages writes a release for npm and for Python's installers: for each platform a package with the program,
// stripped, so that whoever installs it needs no Go. Built twice from one commit, every file is the same.
// docs/dev/publish.md says how an owner publishes them. The folders npm and python have what users import: plug-ins for
// vitest and pytest, whose names are public.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// platform is one for which the program is built, by the names that Go, npm and Python give it.
type platform struct {
	os, arch  string
	npm, npmC string   // npm's names of the system and of the processor
	wheel     []string // the tags that a wheel may be installed for
}

func platforms() []platform {
	return []platform{
		{"linux", "amd64", "linux", "x64", []string{
			"manylinux_2_17_x86_64", "manylinux2014_x86_64", "musllinux_1_1_x86_64",
		}},
		{"linux", "arm64", "linux", "arm64", []string{
			"manylinux_2_17_aarch64", "manylinux2014_aarch64", "musllinux_1_1_aarch64",
		}},
		{"darwin", "amd64", "darwin", "x64", []string{"macosx_11_0_x86_64"}},
		{"darwin", "arm64", "darwin", "arm64", []string{"macosx_11_0_arm64"}},
		{"windows", "amd64", "win32", "x64", []string{"win_amd64"}},
		{"windows", "arm64", "win32", "arm64", []string{"win_arm64"}},
	}
}

// program is the name of the program's file.
func (p platform) program() string {
	if p.os == "windows" {
		return "loopstone.exe"
	}
	return "loopstone"
}

// npmName is the name of the platform's npm package.
func (p platform) npmName() string { return "@loopstone/" + p.npm + "-" + p.npmC }

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "packages:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("packages", flag.ContinueOnError)
	out := flags.String("out", "../dist/packages", "the `folder` that the packages are written into")
	only := flags.String("only", "", "build for this `platform` alone, such as linux/amd64")
	if err := flags.Parse(args); err != nil {
		return err
	}
	list := platforms()
	if *only != "" {
		list = slices.DeleteFunc(list, func(p platform) bool { return p.os+"/"+p.arch != *only })
	}
	if len(list) == 0 {
		return fmt.Errorf("there is no platform %s", *only)
	}
	if err := os.MkdirAll(*out, 0o755); err != nil {
		return err
	}
	files, err := writeAll(*out, list)
	if err != nil {
		return err
	}
	return writeSums(*out, files)
}

// writeAll writes the packages of some platforms, and the npm package that chooses among all. It returns their names.
func writeAll(out string, list []platform) ([]string, error) {
	licence, err := os.ReadFile("../LICENSE")
	if err != nil {
		return nil, err
	}
	wrapper, err := npmWrapper(licence)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{wrapper.name: wrapper.content}
	for _, p := range list {
		binary, err := build(p)
		if err != nil {
			return nil, err
		}
		for _, write := range []func(platform, []byte, []byte) (packaged, error){npmPackage, wheel} {
			made, err := write(p, binary, licence)
			if err != nil {
				return nil, err
			}
			files[made.name] = made.content
		}
	}
	var names []string
	for name, content := range files {
		names = append(names, name)
		if err := os.WriteFile(filepath.Join(out, name), content, 0o644); err != nil {
			return nil, err
		}
	}
	slices.Sort(names)
	return names, nil
}

// packaged is the file of a package.
type packaged struct {
	name    string
	content []byte
}

// build builds the program for a platform.
func build(p platform) ([]byte, error) {
	folder, err := os.MkdirTemp("", "packages")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, p.program())
	command := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, "./cmd/loopstone")
	command.Dir = ".."
	command.Env = append(os.Environ(), "GOOS="+p.os, "GOARCH="+p.arch, "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build for %s/%s: %w\n%s", p.os, p.arch, err, out)
	}
	return os.ReadFile(path)
}

// writeSums writes the checksums of files in the format of sha256sum.
func writeSums(out string, files []string) error {
	var b strings.Builder
	for _, name := range files {
		content, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(content), name)
	}
	return os.WriteFile(filepath.Join(out, "checksums.txt"), []byte(b.String()), 0o644)
}

// version is that of the packages.
const version = spec.Version
