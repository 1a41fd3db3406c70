//go:build unix

package main

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// TestFollowBlamesThePortThatIsGone, and not the log: with the exit code of a broken adapter, after the alarm of the
// reference was told. The port is gone after its third request, which observes the first two events.
func TestFollowBlamesThePortThatIsGone(t *testing.T) {
	t.Parallel()
	const call = `{"type":"tool_call","tool":"bash","args":{"command":"make"}}` + "\n"
	folder := t.TempDir()
	log, alarms := filepath.Join(folder, "a.jsonl"), filepath.Join(folder, "alarms")
	write(t, folder, "a.jsonl", call+call)
	command := exec.Command(builtTool, "replay", "--follow", "--detector", "history",
		"--exec", "cat >> '"+alarms+"'", log, "--", "sh", "-c", `for i in 1 2 3; do read -r line; printf '%s\n' "$line"; done | "$0" serve`, builtTool)
	var out bytes.Buffer
	command.Stdout = &out
	pipe, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	for lines := bufio.NewScanner(pipe); lines.Scan(); {
		said.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), "2 events so far") {
			appendTo(t, log, call)
		}
	}
	_ = command.Wait() // the exit code is looked at
	if code := command.ProcessState.ExitCode(); code != int(conformance.AdapterFault) {
		t.Errorf("the exit code is %d, want 3", code)
	}
	if strings.Count(said.String(), "exited") != 1 || strings.Contains(said.String(), "a.jsonl:3") {
		t.Errorf("on standard error it said %s", &said)
	}
	if !strings.Contains(out.String(), "alarm after event 3") || strings.Contains(out.String(), "disagree") {
		t.Errorf("on standard output it said %s", &out)
	}
	if text := read(t, alarms); !strings.Contains(text, `"event":3`) {
		t.Errorf("the command got %q", text)
	}
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = file.WriteString(text)
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
}
