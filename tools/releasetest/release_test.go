// Package releasetest tests a whole release, which GoReleaser has built twice: archives, packages, checksums, bills of
// materials, the program in them. See make check-dist.
package releasetest

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// goreleaserEnv names the words that run GoReleaser. It builds for minutes, so that only `make check-dist` sets it.
const goreleaserEnv = "LOOPSTONE_GORELEASER"

func goreleaser(t *testing.T) []string {
	t.Helper()
	words := strings.Fields(os.Getenv(goreleaserEnv))
	if len(words) == 0 {
		t.Skip(goreleaserEnv + " does not say how GoReleaser is run; make check-dist does")
	}
	return words
}

// TestAReleaseIsWholeAndTheSameWhenBuiltAgain builds the release of the commit that is checked out, twice, each in a
// clone of its own, and looks at it as somebody does who downloads it.
func TestAReleaseIsWholeAndTheSameWhenBuiltAgain(t *testing.T) {
	words := goreleaser(t)
	first, second := built(t, words), built(t, words)
	files := filesOf(t, first)
	t.Run("the same when built again", func(t *testing.T) {
		if again := filesOf(t, second); !slices.Equal(files, again) {
			t.Fatalf("first %q, then %q", files, again)
		}
		for _, name := range files {
			if !bytes.Equal(read(t, filepath.Join(first, name)), read(t, filepath.Join(second, name))) {
				t.Errorf("%s is another", name)
			}
		}
	})
	t.Run("vectors, six programs, packages for two systems, a bill for each program", func(t *testing.T) {
		for ending, want := range map[string]int{vectors: 1, ".tar.gz": 5, ".zip": 2, ".deb": 2, ".rpm": 2, ".sbom.json": 6, "checksums.txt": 1} {
			if got := endingWith(files, ending); len(got) != want {
				t.Errorf("%d files end with %s, want %d: %q", len(got), ending, want, got)
			}
		}
	})
	t.Run("every file has its checksum", func(t *testing.T) { checkSums(t, first, files) })
	t.Run("every archive is whole", func(t *testing.T) {
		for _, name := range slices.Concat(endingWith(files, "64.tar.gz"), endingWith(files, ".zip")) {
			checkContents(t, name, unpacked(t, filepath.Join(first, name)))
		}
	})
	t.Run("the vectors are whole", func(t *testing.T) {
		for _, name := range endingWith(files, vectors) {
			checkVectors(t, unpacked(t, filepath.Join(first, name)))
		}
	})
	t.Run("the packages put everything where a system looks for it", func(t *testing.T) { checkPackages(t, first, files) })
	t.Run("the bills name what is linked", func(t *testing.T) { checkBills(t, first, files) })
	t.Run("the program works in an empty folder", func(t *testing.T) { checkProgram(t, first, files) })
}

// built builds a release in a clone and returns the folder that holds it.
func built(t *testing.T, words []string) string {
	t.Helper()
	clone := filepath.Join(t.TempDir(), "clone")
	if out, err := exec.Command("git", "clone", "--quiet", "../..", clone).CombinedOutput(); err != nil {
		t.Fatalf("git clone: %v\n%s", err, out)
	}
	command := exec.CommandContext(t.Context(), words[0], append(words[1:], "release", "--snapshot", "--clean")...)
	command.Dir = clone
	command.Env = append(os.Environ(), "GOFLAGS=")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	return filepath.Join(clone, "dist")
}

// filesOf returns what is uploaded: the files, but for those that GoReleaser keeps for itself.
func filesOf(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		if !entry.IsDir() && !slices.Contains([]string{"artifacts.json", "metadata.json", "config.yaml"}, entry.Name()) {
			names = append(names, entry.Name())
		}
	}
	return names
}

func endingWith(names []string, ending string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !strings.HasSuffix(name, ending) })
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func checkSums(t *testing.T, folder string, files []string) {
	t.Helper()
	sums := map[string]string{}
	for line := range strings.Lines(string(read(t, filepath.Join(folder, "checksums.txt")))) {
		words := strings.Fields(line)
		sums[words[1]] = words[0]
	}
	for _, name := range files {
		if name == "checksums.txt" {
			continue
		}
		sum := sha256.Sum256(read(t, filepath.Join(folder, name)))
		if hex.EncodeToString(sum[:]) != sums[name] {
			t.Errorf("%s has another checksum than %q", name, sums[name])
		}
	}
}

// unpacked returns the files of an archive by their names.
func unpacked(t *testing.T, path string) map[string][]byte {
	t.Helper()
	if strings.HasSuffix(path, ".zip") {
		return unzipped(t, path)
	}
	plain, err := gzip.NewReader(bytes.NewReader(read(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	archive := tar.NewReader(plain)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[header.Name], err = io.ReadAll(archive); err != nil {
			t.Fatal(err)
		}
	}
}

func unzipped(t *testing.T, path string) map[string][]byte {
	t.Helper()
	archive, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	files := map[string][]byte{}
	for _, file := range archive.File {
		content, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[file.Name], err = io.ReadAll(content); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func checkContents(t *testing.T, name string, files map[string][]byte) {
	t.Helper()
	program := "loopstone"
	if strings.Contains(name, "windows") {
		program += ".exe"
	}
	for _, want := range []string{
		program, "LICENSE", "README.md", "CHANGELOG.md", "man/loopstone.1", "man/loopstone-test.1",
		"completion/loopstone.bash", "completion/loopstone.zsh", "completion/loopstone.fish", "completion/loopstone.ps1",
	} {
		if len(files[want]) == 0 {
			t.Errorf("%s has no %s", name, want)
		}
	}
}

// vectors ends the name of the archive that holds the export.
const vectors = "_vectors.tar.gz"

// checkVectors checks that the archive holds exactly the files that its manifest lists, each with its digest.
func checkVectors(t *testing.T, files map[string][]byte) {
	t.Helper()
	var manifest struct {
		Cases int
		Files map[string]string
	}
	if err := json.Unmarshal(files["vectors/manifest.json"], &manifest); err != nil {
		t.Fatalf("manifest.json: %v", err)
	}
	if manifest.Cases == 0 || len(files) != len(manifest.Files)+1 {
		t.Errorf("%d cases; %d files, the manifest lists %d", manifest.Cases, len(files), len(manifest.Files))
	}
	for name, want := range manifest.Files {
		if sum := sha256.Sum256(files["vectors/"+name]); hex.EncodeToString(sum[:]) != want {
			t.Errorf("%s has another digest than %q", name, want)
		}
	}
}

func checkPackages(t *testing.T, folder string, files []string) {
	t.Helper()
	for ending, list := range map[string][]string{
		".deb": {"dpkg-deb", "--contents"}, ".rpm": {"rpm", "--query", "--package", "--queryformat", "%{BUILDHOST}\n", "--list"},
	} {
		t.Run(ending, func(t *testing.T) { checkPackagesOf(t, folder, endingWith(files, ending), list) })
	}
}

func checkPackagesOf(t *testing.T, folder string, names, list []string) {
	t.Helper()
	if _, err := exec.LookPath(list[0]); err != nil {
		t.Skip(list[0] + " is not on this machine")
	}
	for _, name := range names {
		out, err := exec.Command(list[0], append(list[1:], filepath.Join(folder, name))...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		if host, err := os.Hostname(); err != nil || strings.Contains(string(out), host+"\n") {
			t.Errorf("%s names the machine %q: %v\n%s", name, host, err, out)
		}
		for _, want := range []string{
			"/usr/bin/loopstone", "/usr/share/man/man1/loopstone-test.1", "/usr/share/doc/loopstone/copyright",
			"/usr/share/bash-completion/completions/loopstone", "/usr/share/zsh/vendor-completions/_loopstone",
			"/usr/share/fish/vendor_completions.d/loopstone.fish",
		} {
			if !strings.Contains(string(out), want+"\n") {
				t.Errorf("%s has no %s:\n%s", name, want, out)
			}
		}
	}
}

// checkProgram runs the program of this machine's archive where there is nothing: no home, no path, no file.
func checkProgram(t *testing.T, folder string, files []string) {
	t.Helper()
	mine := endingWith(files, "_"+runtime.GOOS+"_"+runtime.GOARCH+".tar.gz")
	if len(mine) != 1 {
		t.Skipf("there are %d archives for this machine", len(mine))
	}
	releases := t.TempDir()
	version, _, _ := strings.Cut(strings.TrimPrefix(mine[0], "loopstone_"), "_")
	if err := os.Symlink(folder, filepath.Join(releases, "v"+version)); err != nil {
		t.Fatal(err)
	}
	empty, out, err := installed(t, releases, "v"+version)
	if err != nil {
		t.Fatalf("the action does not install it: %v\n%s", err, out)
	}
	for _, call := range []struct{ args, says string }{{"test --reference", "conformant: "}, {"--version", "commit "}} {
		command := exec.Command("./loopstone", strings.Fields(call.args)...)
		command.Dir, command.Env = empty, []string{"HOME="}
		out, err := command.CombinedOutput()
		if err != nil || !strings.Contains(string(out), call.says) {
			t.Errorf("loopstone %s: %v\n%s", call.args, err, out)
		}
	}
}
