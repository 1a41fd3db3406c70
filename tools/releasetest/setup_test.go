package releasetest

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// installed runs what the action setup runs, on releases in a folder, and returns the folder that it has filled.
func installed(t *testing.T, releases, version string) (folder, out string, err error) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "loopstone")
	command := exec.Command("bash", "../../.github/actions/setup/install.sh", version, folder)
	command.Env = append(os.Environ(), "LOOPSTONE_RELEASES=file://"+releases)
	text, err := command.CombinedOutput()
	return folder, string(text), err
}

// TestTheActionInstallsARelease whose checksum is right, and no other.
func TestTheActionInstallsARelease(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the archive of the test is made for Linux")
	}
	releases := t.TempDir()
	for version, tamper := range map[string]string{"v1.2.3": "", "v1.2.4": "tampered"} {
		folder := filepath.Join(releases, version)
		archive := fmt.Sprintf("loopstone_%s_%s_%s.tar.gz", version[1:], runtime.GOOS, runtime.GOARCH)
		write(t, filepath.Join(folder, "loopstone"), "#!/bin/sh\necho loopstone "+version+"\n")
		command := exec.Command("tar", "-czf", archive, "loopstone")
		command.Dir = folder
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		sum := sha256.Sum256(append(read(t, filepath.Join(folder, archive)), tamper...))
		write(t, filepath.Join(folder, "checksums.txt"), fmt.Sprintf("%x  %s\n%x  x%s\n", sum, archive, sum, archive))
		into, out, err := installed(t, releases, version)
		program := filepath.Join(into, "loopstone")
		switch _, absent := os.Stat(program); {
		case tamper != "" && (err == nil || absent == nil):
			t.Errorf("an archive with another checksum is installed:\n%s", out)
		case tamper == "" && err != nil:
			t.Errorf("%v\n%s", err, out)
		case tamper == "":
			said, err := exec.Command(program).Output()
			if err != nil || string(said) != "loopstone "+version+"\n" {
				t.Errorf("%v: %s", err, said)
			}
		}
	}
	if _, out, err := installed(t, releases, "v9.9.9"); err == nil {
		t.Errorf("a release that there is not is installed:\n%s", out)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		mode := os.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		err = os.WriteFile(path, []byte(text), mode)
	}
	if err != nil {
		t.Fatal(err)
	}
}
