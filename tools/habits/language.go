package habits

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/conformance/stdio"
)

// language says how the ports of a folder of conformance/adapters are copied, built and started, within their folder.
type language struct {
	name   string   // as the page has it
	folder string   // below conformance/adapters
	copied []string // files and folders of it
	build  []string // the command; none where there is nothing to build
	run    []string
}

const gson = "/usr/share/java/gson.jar" // Debian's, as in the Makefile

// A process that lives for seconds does not pay for the second compiler, nor for a collector with threads of its own.
var languages = []language{
	{name: "Python", folder: "python", copied: []string{"."}, run: []string{"python3", "ports/all.py"}},
	{name: "JavaScript", folder: "typescript", copied: []string{"."}, run: []string{"node", "ports/all.js"}},
	{
		name: "Rust", folder: "rust", copied: []string{"Cargo.toml", "Cargo.lock", "src"},
		build: []string{"cargo", "build", "--offline", "--quiet", "--target-dir", "target"},
		run:   []string{"target/debug/all"},
	},
	{
		name: "Java", folder: "java", copied: []string{"."},
		build: []string{
			"javac", "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC", "--release", "17", "-encoding", "UTF-8",
			"-proc:none", "-cp", gson, "-sourcepath", ".:ports", "-d", "classes", "ports/All.java",
		},
		run: []string{"java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", "classes:" + gson, "All"},
	},
}

// languageOf returns the language of a file below conformance/adapters.
func languageOf(file string) (language, bool) {
	folder, _, _ := strings.Cut(file, "/")
	i := slices.IndexFunc(languages, func(l language) bool { return l.folder == folder })
	if i < 0 {
		return language{}, false
	}
	return languages[i], true
}

// isInstalled reports whether this machine can build and start the ports.
func (l language) isInstalled() bool {
	return !slices.ContainsFunc([][]string{l.build, l.run}, func(command []string) bool {
		if len(command) == 0 || strings.Contains(command[0], "/") {
			return false
		}
		_, err := exec.LookPath(command[0])
		return err != nil
	})
}

// copyTo copies the ports from one folder of all languages to another.
func (l language) copyTo(from, to string) error {
	for _, name := range l.copied {
		source, target := filepath.Join(from, l.folder, name), filepath.Join(to, l.folder, name)
		info, err := os.Stat(source)
		if err != nil {
			return fmt.Errorf("copy the ports: %w", err)
		}
		if info.IsDir() {
			err = os.CopyFS(target, os.DirFS(source))
		} else {
			err = copyFile(source, target)
		}
		if err != nil {
			return fmt.Errorf("copy the ports: %w", err)
		}
	}
	return nil
}

func copyFile(source, target string) error {
	text, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	return os.WriteFile(target, text, 0o600)
}

// command builds the ports in the copy and returns how they are started.
func (l language) command(ctx context.Context, adapters string) (stdio.Command, error) {
	folder := filepath.Join(adapters, l.folder)
	if len(l.build) > 0 {
		build := exec.CommandContext(ctx, l.build[0], l.build[1:]...)
		build.Dir = folder
		if output, err := build.CombinedOutput(); err != nil {
			return stdio.Command{}, fmt.Errorf("build the ports in %s: %w\n%s", l.name, err, output)
		}
	}
	return stdio.Command{Path: l.run[0], Args: l.run[1:], Dir: folder}, nil
}
