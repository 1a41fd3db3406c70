package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestPackagesInstall builds the packages for this machine and installs them in empty folders, with an empty home and
// without Go on the path: the program, its exit codes and its answer to Ctrl-C are as they are without a package.
func TestPackagesInstall(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program anew: make long does that")
	}
	t.Chdir("..") // where the program is started
	made := t.TempDir()
	if err := run([]string{"-out", made, "-only", runtime.GOOS + "/" + runtime.GOARCH}); err != nil {
		t.Fatal(err)
	}
	checkSums(t, made)
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	clean := []string{"HOME=" + home, "PATH=" + filepath.Dir(node) + ":/usr/bin:/bin"}
	t.Run("npm", func(t *testing.T) {
		folder := t.TempDir()
		packages, _ := filepath.Glob(filepath.Join(made, "*.tgz"))
		ran(t, folder, clean, 0, append([]string{"npm", "install", "--offline", "--no-audit", "--no-fund"}, packages...)...)
		checkProgram(t, folder, clean, filepath.Join(folder, "node_modules", ".bin", "loopstone"))
		checkNode(t, folder, clean)
		checkVitest(t, folder, clean)
		if err := os.RemoveAll(filepath.Join(folder, "node_modules", "@loopstone")); err != nil {
			t.Fatal(err)
		}
		out := ran(t, folder, clean, 64, "npx", "loopstone", "--version")
		if !strings.Contains(out, "install loopstone again without --omit=optional") {
			t.Errorf("without the package of the machine:\n%s", out)
		}
	})
	t.Run("pip", func(t *testing.T) {
		if exec.Command("python3", "-m", "pip", "--version").Run() != nil {
			t.Skip("this Python has no pip")
		}
		folder := t.TempDir()
		wheels, _ := filepath.Glob(filepath.Join(made, "*.whl"))
		ran(t, folder, os.Environ(), 0, append([]string{
			"python3", "-m", "pip", "install", "-q", "--no-index", "--disable-pip-version-check", "--prefix", folder,
		}, wheels...)...)
		checkProgram(t, folder, clean, filepath.Join(folder, "bin", "loopstone"))
		checkPytest(t, folder, clean)
	})
}

// checkProgram checks what an installed program does.
func checkProgram(t *testing.T, folder string, env []string, program string) {
	t.Helper()
	if out := ran(t, folder, env, 0, program, "--version"); !strings.HasPrefix(out, "loopstone "+version) {
		t.Errorf("--version says %s", out)
	}
	ran(t, folder, env, 64, program, "tset")
	ran(t, folder, env, 0, program, "init", "python", "my_port")
	out := ran(t, filepath.Join(folder, "my_port"), env, 1, program, "test")
	if !strings.Contains(out, "history-") || !strings.Contains(out, "not conformant") {
		t.Errorf("the port with a fault:\n%s", out)
	}
	checkInterrupt(t, folder, env, program)
}

// checkInterrupt sends Ctrl-C to a long run: it ends with the program's exit code, and nothing lives on.
func checkInterrupt(t *testing.T, folder string, env []string, program string) {
	t.Helper()
	command := exec.Command(program, "fuzz", "--for", "10m", "--reference")
	command.Dir, command.Env = folder, append(env, "LOOPSTONE_PACKAGE_TEST=1")
	command.WaitDelay = time.Minute
	stderr, err := command.StderrPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(3 * time.Second) // it prints nothing before its end; a signal before it starts ends it as well
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	said, _ := io.ReadAll(stderr) // ends when nobody holds the pipe any more
	err = command.Wait()
	if code, ended := errors.AsType[*exec.ExitError](err); !ended || code.ExitCode() != 2 && !isSignalled(code) {
		t.Errorf("after Ctrl-C: %v\n%s", err, said)
	}
}

func isSignalled(e *exec.ExitError) bool {
	status, ok := e.Sys().(syscall.WaitStatus)
	return ok && status.Signaled()
}

// anyFailure stands for the exit code of a runner that fails, which each has its own of.
const anyFailure = -1

func ran(t *testing.T, folder string, env []string, want int, words ...string) string {
	t.Helper()
	command := exec.Command(words[0], words[1:]...)
	command.Dir, command.Env = folder, env
	out, err := command.CombinedOutput()
	if code := command.ProcessState.ExitCode(); code != want && (want != anyFailure || code == 0) {
		t.Fatalf("%s: %v, exit %d, want %d\n%s", words, err, code, want, out)
	}
	return string(out)
}

func checkSums(t *testing.T, folder string) {
	t.Helper()
	command := exec.Command("sha256sum", "--check", "--strict", "checksums.txt")
	command.Dir = folder
	if out, err := command.CombinedOutput(); err != nil || bytes.Count(out, []byte("OK")) != 3 {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestPackagesAreReproducible: the same content gives the same bytes, and npm finds a package for every platform.
func TestPackagesAreReproducible(t *testing.T) {
	t.Parallel()
	for _, p := range platforms() {
		for _, write := range []func(platform, []byte, []byte) (packaged, error){npmPackage, wheel} {
			first, err := write(p, []byte("program"), []byte("licence"))
			if err != nil {
				t.Fatal(err)
			}
			second, _ := write(p, []byte("program"), []byte("licence"))
			if !bytes.Equal(first.content, second.content) || first.name != second.name {
				t.Errorf("%s is not the same twice", first.name)
			}
		}
	}
	m, err := npmWrapper([]byte("licence"))
	if err != nil {
		t.Fatal(err)
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(m.content))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unzipped)
	for _, p := range platforms() {
		if !bytes.Contains(text, []byte(`"`+p.npmName()+`": "`+version+`"`)) {
			t.Errorf("the package loopstone does not name %s: %v", p.npmName(), err)
		}
	}
}
