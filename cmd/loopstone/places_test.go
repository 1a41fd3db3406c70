//go:build unix

package main

import (
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// inShell runs the tool as a shell starts it: "$0" is the tool, and the folder is the working directory.
func inShell(t *testing.T, folder, script string, env ...string) (string, conformance.Outcome) {
	t.Helper()
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here, which substitutes processes")
	}
	command := exec.Command(shell, "-c", script, builtTool)
	command.Dir, command.Env = folder, append(os.Environ(), env...)
	return ended(t, command)
}

// TestADescriptorIsWrittenTo: a report that goes to a descriptor is added to what the shell has there.
func TestADescriptorIsWrittenTo(t *testing.T) {
	long(t, "a dozen commands")
	t.Parallel()
	const selected, precious = " --case " + passingCase, "precious\n"
	const test = `"$0" test --reference` + selected
	const report = `"outcome":"conformant"`
	tests := []struct {
		reason, script string
		outcome        conformance.Outcome
		log            []string // what the log holds
		out            string   // what comes through
	}{
		{"a log is appended to", test + " --report jsonl=/dev/stdout >> log", 0, []string{precious, report}, ""},
		{"by its other name", test + " --report jsonl=/proc/self/fd/1 >> log", 0, []string{precious, report}, ""},
		{"standard error", test + " --report jsonl=/dev/stderr 2>> log", 0, []string{precious, report}, ""},
		{"a descriptor of the shell's", test + " --report jsonl=/dev/fd/3 3>> log", 0, []string{precious, report}, ""},
		{"through a link", "ln -s /dev/stdout link; " + test + " --report jsonl=link >> log", 0, []string{precious, report}, ""},
		{"a list of known failures", `"$0" test` + selected + " --report junit=/dev/null --write-known /dev/stdout -- \"$0\" serve >> log", 0, []string{precious, "known: []"}, ""},
		{"a page, beside what is printed", `"$0" replay --html /dev/stdout run.jsonl >> log`, 64, []string{precious}, "would overwrite what is printed"},
		{"two reports on standard output", test + " --report text --report jsonl=/dev/stdout >> log", 64, []string{precious}, "both are standard output"},
		{"a report over the file of standard output", test + " --report text --report jsonl=log >> log", 64, []string{precious}, "would overwrite --report text"},
		{"nothing but a report, over that file", test + " --report jsonl=log >> log", 64, []string{precious}, "would overwrite standard output"},
		{"a report over the file of standard error", test + " --report jsonl=log 2>> log", 64, []string{precious}, ""},
		{"a pipe", test + " --report jsonl=/dev/stdout | cat", 0, nil, report},
		{"the pipe of standard error", test + " --report jsonl=/dev/stderr 2>&1 | cat", 0, nil, report},
		{"a substituted process", test + " --report jsonl=>(cat); code=$?; wait; exit $code", 0, nil, report},
		{"a deleted file", "exec 3> gone; rm gone; " + test + " --report jsonl=/dev/fd/3; ls", 0, nil, "log\nrun.jsonl\n"},
		{"a descriptor that nobody opened", test + " --report jsonl=/dev/fd/57", 2, nil, "/dev/fd/57: no such descriptor"},
		{"links in a circle", "ln -s b a; ln -s a b; " + test + " --report jsonl=a || code=$?; [ -L a ] && exit $code", 2, nil, "in a circle"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			write(t, folder, "log", precious)
			write(t, folder, "run.jsonl", `{"type":"message","role":"user","text":"hello"}`+"\n")
			out, outcome := inShell(t, folder, tt.script)
			log, err := os.ReadFile(filepath.Join(folder, "log"))
			if err != nil || outcome != tt.outcome || !strings.Contains(out, tt.out) {
				t.Errorf("got %s, want %s with %q: %v\n%s", outcome, tt.outcome, tt.out, err, out)
			}
			for _, words := range tt.log {
				if !strings.Contains(string(log), words) {
					t.Errorf("the log lacks %q:\n%.200s", words, log)
				}
			}
		})
	}
}

// TestNoInputIsAnOutput: whatever a command reads, or writes elsewhere, is refused as its output, before anything runs.
func TestNoInputIsAnOutput(t *testing.T) {
	long(t, "a command for each input")
	t.Parallel()
	const port = ` -- "$PWD/bin/myport" serve`
	const sweep = `"$0" score --detector history --sweep repeat_threshold=2..3`
	tests := []struct{ reason, file, script, want string }{
		{"the description of the port", "loopstone.yaml", `"$0" test --report jsonl=loopstone.yaml`, ""},
		{"the same, of a port that is named", "loopstone.yaml", `"$0" test --statement loopstone.yaml` + port, ""},
		{"the same, for a picture", "loopstone.yaml", `"$0" bench --growth --svg loopstone.yaml`, ""},
		{"a log below the folder", "logs/run.jsonl", `"$0" replay --html logs/run.jsonl logs`, ""},
		{"a log below a linked folder", "logs/run.jsonl", `ln -s logs link; "$0" replay --html logs/run.jsonl link`, ""},
		{"a log that is imported", "logs/run.jsonl", `"$0" import --out logs/run.jsonl logs`, ""},
		{"a configuration", "cfg.json", `"$0" replay --detector history --config cfg.json --html cfg.json logs`, ""},
		{"the manifest of a corpus", "logs/corpus.yaml", `"$0" score --html logs/corpus.yaml logs`, ""},
		{"a run of a corpus", "logs/run.jsonl", sweep + ` --svg logs/run.jsonl logs`, ""},
		{"a run beside its manifest", "logs/run.jsonl", `"$0" score --html logs/run.jsonl logs/corpus.yaml`, ""},
		{"labels", "lab.jsonl", `"$0" score --labels lab.jsonl logs --html lab.jsonl`, ""},
		{"labels, by another name of theirs", "lab.jsonl", `"$0" score --labels "$PWD/logs/../lab.jsonl" logs --html lablink`, ""},
		{"one of two files of labels", "lab.jsonl", sweep + ` --labels cfg.json --labels lab.jsonl --svg lab.jsonl logs`, ""},
		{"a sample", "lab.jsonl", `"$0" score --runs lab.jsonl --html lablink logs`, ""},
		{"a sample that is labelled", "lab.jsonl", `"$0" label --labeller me --labels lablink --runs lab.jsonl logs`, ""},
		{"a log that is labelled", "logs/run.jsonl", `"$0" label --labeller me --labels logs/run.jsonl logs/run.jsonl`, ""},
		{"a program that an alarm starts", "bin/myport", `"$0" replay --follow --exec "bin/myport x" --html bin/myport logs`, ""},
		{"a program found by PATH", "bin/myport", `PATH="$PWD/bin:$PATH" "$0" test --report jsonl=bin/myport -- myport serve`, ""},
		{"a program found by a relative PATH", "bin/myport", `PATH="bin:$PATH" "$0" test --report jsonl=bin/myport -- myport serve`, ""},
		{"a file behind a flag of the port", "cfg.json", `"$0" test --report jsonl=cfg.json` + port + ` --config=cfg.json`, ""},
		{"the port that is compared with", "bin/myport", `"$0" test --report jsonl=bin/myport --against "$PWD/bin/myport" serve -- "$0" serve`, ""},
		{"this program", "bin/tool", `bin/tool test --report jsonl=bin/tool`, ""},
		{"two reports", "cfg.json", `"$0" test --report junit=a --report jsonl=./a`, ""},
		{"two on standard output", "cfg.json", `"$0" test --report junit --report text`, ""},
		{"a statement over a report", "cfg.json", `"$0" test --report junit=a --statement a`, ""},
		{"a statement over the written list", "cfg.json", `"$0" test --write-known a --statement a`, ""},
		{"known failures, by a link", "known.yaml", `"$0" test --known known.yaml --report junit=knownlink`, ""},
		{"known failures", "known.yaml", `"$0" test --known known.yaml --statement known.yaml`, ""},
		{"a list that is rewritten", "known.yaml", `"$0" test --known known.yaml --write-known known.yaml --report junit=knownlink`, ""},
		{"the port's program", "bin/myport", `"$0" test --write-known bin/myport` + port, ""},
		{"a case", "cases/history.yaml", `"$0" test --cases cases --report junit=cases/history.yaml`, ""},
		{"a case, by a link", "cases/history.yaml", `"$0" test --cases cases --write-known caselink`, ""},
		{"a report that is merged", "logs/run.jsonl", `"$0" merge --report junit=logs/run.jsonl logs/run.jsonl`, ""},
		{"a name that ends in a slash", "cfg.json", `"$0" test --report jsonl=newdir/ || code=$?; [ ! -e newdir ] && exit $code`, "names a folder"},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			for _, name := range []string{"logs", "bin", "cases"} {
				if err := os.Mkdir(filepath.Join(folder, name), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			write(t, folder, "loopstone.yaml", `command: ["`+builtTool+`", serve]`)
			write(t, folder, "cfg.json", "{}")
			write(t, folder, "logs/run.jsonl", `{"type":"message","role":"user","text":"hello"}`+"\n")
			write(t, folder, "logs/corpus.yaml", "runs: []\n")
			write(t, folder, "known.yaml", "known: []\n")
			write(t, folder, "lab.jsonl", `{"corpus":"logs"`) // label would take a line without an end off
			write(t, folder, "cases/history.yaml", "detector: history\ncases:\n  - {id: history-own, title: Its own, clauses: [HI-1], "+
				"source: silent, why: It is new.,\n     steps: [{reset: true}]}\n")
			for link, to := range map[string]string{"bin/tool": builtTool, "knownlink": "known.yaml", "lablink": "lab.jsonl", "caselink": "cases/history.yaml"} {
				if err := os.Symlink(to, filepath.Join(folder, link)); err != nil {
					t.Fatal(err)
				}
			}
			write(t, folder, "bin/myport", "#!/bin/sh\nexec "+builtTool+" \"$@\"\n")
			if err := os.Chmod(filepath.Join(folder, "bin/myport"), 0o700); err != nil {
				t.Fatal(err)
			}
			before := read(t, filepath.Join(folder, tt.file))
			out, outcome := inShell(t, folder, tt.script)
			if outcome != conformance.Usage || !strings.Contains(out, cmp.Or(tt.want, "would overwrite")) {
				t.Errorf("got %s, want usage with %q:\n%s", outcome, tt.want, out)
			}
			if read(t, filepath.Join(folder, tt.file)) != before {
				t.Errorf("%s was overwritten", tt.file)
			}
		})
	}
}

// TestThePrintedCommandRunsAsItStands: a shell reads the line below "again" as the words of the call, and runs none of them.
func TestThePrintedCommandRunsAsItStands(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "q d"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, folder, "q d/p $(touch pwned).py", read(t, filepath.Join("testdata", "ports", "consecutive.py")))
	kitPath := "PYTHONPATH=" + kit(t)
	first, outcome := inShell(t, folder, `"$0" test --case `+failingCase+` -- python3 'q d/p $(touch pwned).py'`, kitPath)
	_, line, found := strings.Cut(first, "\n  again    loopstone ")
	if outcome != conformance.NotConformant || !found {
		t.Fatalf("got %s, and no command:\n%s", outcome, first)
	}
	line, _, _ = strings.Cut(line, "\n")
	out, outcome := inShell(t, folder, `"$0" `+line, kitPath)
	if outcome != conformance.NotConformant || !strings.Contains(out, "FAILED "+failingCase) {
		t.Errorf("%s: got %s:\n%s", line, outcome, out)
	}
	if _, err := os.Lstat(filepath.Join(folder, "pwned")); err == nil {
		t.Errorf("%s: the shell ran a word of the call", line)
	}
}

// TestWhatAUserHasIsKept: a run that writes beside somebody's files leaves them as they are.
func TestWhatAUserHasIsKept(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	status := write(t, folder, "status", "precious")
	out, outcome := inShell(t, folder, `"$0" test --reference --no-properties --case 'history-*'`,
		"TEST_TOTAL_SHARDS=2", "TEST_SHARD_INDEX=0", "TEST_SHARD_STATUS_FILE="+status)
	if outcome != conformance.Conformant || read(t, status) != "precious" {
		t.Errorf("a status file: got %s, %q:\n%s", outcome, read(t, status), out)
	}
	f := &fuzzFlags{out: folder}
	notes := write(t, folder, "found.yaml", "notes")
	var said strings.Builder
	if err := f.keep(&said, "found.yaml", []byte("case")); err != nil || read(t, notes) != "notes" || !strings.Contains(said.String(), "case") {
		t.Errorf("a counterexample over notes: %v, %q, said %q", err, read(t, notes), said.String())
	}
}
