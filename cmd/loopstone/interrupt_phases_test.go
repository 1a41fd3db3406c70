//go:build unix

package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/testing/faultyadapter"
)

// phase is something long that a command may be at when a signal comes.
type phase struct {
	name   string
	args   []string // @/ is the folder of the test
	port   string   // a script of the shell that is the port; $0 is the tool, $1 the file that says it is under way
	want   conformance.Outcome
	or     conformance.Outcome // if it had found a fault by then
	forced bool                // the phase cannot end by itself: a pipe that nobody reads does not take what is written
	steps  bool                // the phase has steps that are not interrupted, and on a busy machine one may take longer than the grace
	choke  bool                // standard output is such a pipe
	after  time.Duration
}

const (
	// diligent is the reference; deaf describes itself as it, then neither reads nor answers nor ends on SIGTERM; mute
	// never reports a loop.
	diligent = `: > "$1"; exec "$0" serve`
	deaf     = `trap "" TERM INT HUP; read -r l; printf '%s\n' "$l" | "$0" serve; : > "$1"; sleep 1000; :`
	mute     = `: > "$1"; "$0" serve | stdbuf -oL sed 's/"loop":true[^}]*/"loop":false/g'`

	study = "../../internal/lab/score/testdata/study"
)

// heavyRules is a configuration that is prepared for seconds. The port heavyDeaf declares it, and answers nothing else: a
// signal that comes late, after the preparation, finds no fault of it.
var (
	heavyRules = manyRules(500)
	heavily    = `stdbuf -oL sed '1s/"detectors":\[.*\]/"detectors":[{"id":"@mine","readings":["code"],"features":[],"config":` +
		heavyRules + `}]/'`
	heavyDeaf = `trap "" TERM INT HUP; read -r l; printf '%s\n' "$l" | "$0" serve | ` + heavily + `; : > "$1"; sleep 1000; :`
)

func phases() []phase {
	return slices.Concat(judgingPhases(), measuringPhases(), recordingPhases(), readingPhases(), writingPhases())
}

func judgingPhases() []phase {
	return []phase{
		{name: "judge", args: []string{"test", "--checks", "100000"}, port: diligent, want: 2},
		{name: "judge a port that is deaf", args: []string{"test"}, port: deaf, want: 2},
		{name: "prepare traces", args: []string{"test"}, port: heavyDeaf, want: 2},
		{name: "compare two ports", args: []string{"test", "--checks", "50000", "--against", "@/tool serve"}, port: diligent, want: 2},
		{name: "wait for a change", args: []string{"test", "--watch", "--case", passingCase}, after: 2 * time.Second},
		{name: "start", args: []string{"test"}, port: `: > "$1"; trap "" TERM; sleep 1000; :`, want: 2},
		{name: "ask the adapter", args: []string{"check-adapter"}, port: deaf, want: 2},
		{name: "ask instances", args: []string{"check-shared", "--plans", "10000000"}, port: diligent, want: 2},
		{name: "repeat a report", args: []string{"verify", "@/stated.jsonl"}, port: deaf, want: 2},
		{name: "generate", args: []string{"fuzz", "--for", "1h"}, port: diligent, want: 2},
		{name: "shrink", args: []string{"fuzz", "--for", "1h", "--detector", "history", "--jobs", "2", "--out", "@/found"}, port: mute, want: 2, or: 1, after: time.Second},
		{name: "generate for a port that is deaf", args: []string{"fuzz", "--for", "1h"}, port: deaf, want: 2},
		{name: "generate for rules", args: []string{"fuzz", "--for", "1h"}, port: heavyDeaf, want: 2},
		{name: "search a configuration", args: []string{"witness", "@/many.json"}, want: 2},
		{name: "check the suite", args: []string{"lint", "--deep"}, want: 2, steps: true},
	}
}

func measuringPhases() []phase {
	return []phase{
		{name: "measure", args: []string{"bench", "--time", "1m"}, port: diligent, want: 2},
		{name: "measure a port that is deaf", args: []string{"bench"}, port: deaf, want: 2},
		{name: "measure the reference", args: []string{"bench", "--reference", "--time", "1m"}, want: 2},
		{name: "score", args: []string{"score", "--sweep", "threshold=2..60", "@/corpus"}, want: 2},
		{name: "score a port that is deaf", args: []string{"score", "@/corpus"}, port: deaf, want: 2},
		{name: "tune", args: []string{"tune", "--rules", "@loopstone", "@/corpus"}, want: 2},
		{name: "search differences", args: []string{"differ", "--traces", "100000000", "history", "crow"}, want: 2},
		{name: "shorten differences", args: []string{"differ", "--traces", "1", "--corpus", "@/corpus", "history", "crow"}, want: 2},
		{name: "draw a sample", args: []string{"label", "--sample", "2", "--by", "history,composed,crow", "@/corpus"}, want: 2},
	}
}

func recordingPhases() []phase {
	return []phase{
		{name: "replay", args: []string{"replay", "--html", "@/page.html", "@/corpus"}, want: 2},
		{name: "replay to a port that is deaf", args: []string{"replay", "@/corpus"}, port: deaf, want: 2},
		{name: "follow", args: []string{"replay", "--follow", "@/log.jsonl"}, port: diligent},
		{name: "follow a large log", args: []string{"replay", "--follow", "@/corpus"}},
		{name: "run a command", args: []string{"replay", "--follow", "--detector", "history", "--exec", "sleep 25", "@/grows.jsonl"}},
		{name: "import", args: []string{"import", "--out", "@/out.jsonl", "@/corpus"}, want: 2},
		{name: "serve a page", args: []string{"label", "--labeller", "ann", "--labels", "@/ann.jsonl", study}},
		{name: "list runs", args: []string{"label", "--labeller", "ann", "--labels", "@/ann.jsonl", "@/corpus"}, want: 2, after: 100 * time.Millisecond},
		{name: "serve", args: []string{"serve"}, want: 2},
	}
}

func readingPhases() (list []phase) {
	for _, args := range [][]string{
		{"test", "--known", "@/pipe"},
		{"fuzz", "--reference", "--known", "@/pipe"},
		{"verify", "@/pipe"},
		{"merge", "@/pipe"},
		{"merge", "--trend", "@/pipe", "@/pipe"},
		{"bench", "compare", "@/pipe", "@/pipe"},
		{"score", "--labels", "@/pipe", study},
		{"score", "--runs", "@/pipe", study},
		{"score", "--merge", "@/pipe"},
		{"score", "@/piped"},
		{"tune", "--labels", "@/pipe", study},
		{"tune", "--rules", "@/pipe", study},
		{"replay", "--detector", "history", "--config", "@/pipe", "@/log.jsonl"},
		{"label", "--agreement", "@/pipe", "@/pipe"},
		{"label", "--labeller", "ann", "--labels", "@/ann.jsonl", "--runs", "@/pipe", study},
		{"witness", "@/pipe"},
	} {
		list = append(list, phase{name: "read a pipe: " + strings.Join(args, " "), args: args, want: 2})
	}
	return list
}

func writingPhases() (list []phase) {
	const later = 3 * time.Second // when the rest is done
	for _, args := range [][]string{
		{"test", "--case", passingCase, "--report", "jsonl=@/pipe", "--report", "junit=@/out.xml"},
		{"replay", "--html", "@/pipe", "@/log.jsonl"},
		{"score", "--html", "@/pipe", study},
		{"import", "--out", "@/pipe", "@/log.jsonl"},
	} {
		list = append(list, phase{name: "write a pipe: " + strings.Join(args, " "), args: args, want: 2, after: later})
	}
	for _, args := range [][]string{{"import", "@/corpus"}, {"list", "clauses"}, {"bench", "--reference", "--time", "1m"}} {
		list = append(list, phase{name: "print to nobody: " + strings.Join(args, " "), args: args, want: 2, choke: true, forced: args[0] != "bench"})
	}
	return list
}

// promptly is how long a command may take to end on a machine that has time. A busy one gets the processor late.
const (
	promptly = 2 * time.Second
	busily   = 10 * promptly
)

// TestASignalEndsEveryPhase sends a signal in each phase of each long command, and another at once after it in some. The
// command ends with the exit code of its documentation, leaves no process and no part of a file. With -v the test prints
// the seconds that it took.
func TestASignalEndsEveryPhase(t *testing.T) {
	long(t, "a hundred signals, each to a command of its own")
	t.Parallel()
	folder := largeCorpus(t)
	signals := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}
	for _, p := range phases() {
		for _, signal := range signals {
			t.Run(p.args[0]+": "+p.name+": "+signal.String(), func(t *testing.T) {
				t.Parallel()
				r := start(t, folder, p)
				r.end(t, p, signal)
			})
		}
	}
}

// TestASecondSignalEndsAtOnce: what a command would still do for its summary is not done.
func TestASecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	folder := largeCorpus(t)
	for _, p := range phases() {
		if !slices.Contains([]string{"run a command", "print to nobody: import @/corpus"}, p.name) {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			p.want, p.forced = 2, true
			r := start(t, folder, p)
			if err := r.command.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			time.Sleep(oneWish + 100*time.Millisecond)
			r.end(t, p, syscall.SIGINT)
			if !strings.Contains(r.said.String(), "a second signal") {
				t.Errorf("want a word about the second signal:\n%s", r.said.String())
			}
		})
	}
}

// TestNohupIsHeeded: whoever starts a command under nohup wants it to outlive its terminal. SIGTERM still ends it.
func TestNohupIsHeeded(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, "log.jsonl", `{"type":"message","role":"user","content":"hello"}`+"\n")
	command := exec.Command("sh", "-c", `trap "" HUP; exec "$0" replay --follow log.jsonl`, builtTool)
	command.Dir = folder
	said, err := command.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(said)
	lines.Scan() // it follows
	for _, signal := range []syscall.Signal{syscall.SIGHUP, syscall.SIGTERM} {
		if err := command.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if signal == syscall.SIGHUP {
			time.Sleep(500 * time.Millisecond)
			appendTo(t, filepath.Join(folder, "log.jsonl"), `{"type":"tool_call","tool":"bash"}`+"\n")
			time.Sleep(500 * time.Millisecond)
		}
	}
	var rest strings.Builder
	for lines.Scan() {
		rest.WriteString(lines.Text())
	}
	if err := command.Wait(); err != nil || strings.Contains(rest.String(), "ended at once") {
		t.Errorf("%v: %s", err, rest.String())
	}
}

// running is a command in one of its phases.
type running struct {
	command *exec.Cmd
	folder  string
	mark    string
	said    *bytes.Buffer
}

// start starts a command, and returns when its phase is reached.
func start(t *testing.T, corpus string, p phase) *running {
	t.Helper()
	r := &running{folder: t.TempDir(), said: &bytes.Buffer{}}
	r.mark = faultyadapter.Mark(filepath.Base(filepath.Dir(r.folder)))
	t.Cleanup(func() { faultyadapter.Kill(r.mark + "\x00") })
	prepareFolder(t, r.folder, corpus)
	started := filepath.Join(r.folder, "started")
	var args []string
	for _, arg := range p.args {
		words := []string{strings.ReplaceAll(arg, inFolder, r.folder+"/")}
		if p.args[max(0, len(args)-1)] == "--against" {
			words = strings.Fields(words[0])
		}
		args = append(args, words...)
	}
	if p.port != "" {
		args = append(args, "--", "sh", "-c", p.port, builtTool, started)
	}
	r.command = exec.Command(builtTool, args...)
	r.command.Env = append(os.Environ(), r.mark)
	r.command.Stdout, r.command.Stderr = r.said, r.said
	if p.args[0] == "test" && p.port == "" {
		r.command.Dir = r.folder
	}
	if p.choke {
		r.choke(t)
	}
	if p.args[0] == "serve" {
		if _, err := r.command.StdinPipe(); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.command.Start(); err != nil {
		t.Fatal(err)
	}
	if p.port != "" {
		waitForFile(t, started)
	}
	time.Sleep(cmp.Or(p.after, 700*time.Millisecond))
	if strings.Contains(strings.Join(args, " "), "grows.jsonl") {
		call := `{"type":"tool_call","tool":"bash","args":{"command":"make"}}` + "\n"
		appendTo(t, filepath.Join(r.folder, "grows.jsonl"), strings.Repeat(call, 8))
		time.Sleep(time.Second)
	}
	return r
}

// choke makes standard output a pipe that is full.
func (r *running) choke(t *testing.T) {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { read.Close() })
	if err := write.SetWriteDeadline(time.Now().Add(200 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = write.Write(make([]byte, 4096))
	}
	r.command.Stdout = write
	t.Cleanup(func() { write.Close() })
}

func waitForFile(t *testing.T, path string) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(path); err == nil {
			return
		}
	}
	t.Fatalf("%s was never made", path)
}

// end sends the signal, and checks how the command ends.
func (r *running) end(t *testing.T, p phase, signal syscall.Signal) {
	t.Helper()
	if err := r.command.Process.Signal(signal); err != nil {
		t.Fatalf("it ended before the signal: %v\n%s", err, r.said.String())
	}
	sent := time.Now()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = r.command.Wait() // its exit code is looked at
	}()
	select {
	case <-ended:
	case <-time.After(busily):
		_ = r.command.Process.Kill()
		<-ended
		t.Fatalf("it did not end within %s", busily)
	}
	took := time.Since(sent)
	said := r.said.String()
	t.Logf("%.2f s, exit code %d, %s: %s", took.Seconds(), r.command.ProcessState.ExitCode(), signal, strings.Join(p.args, " "))
	if code := r.command.ProcessState.ExitCode(); code != int(p.want) && (p.or == 0 || code != int(p.or)) {
		t.Errorf("exit code %d, want %d:\n%s", code, p.want, said)
	}
	if forced := strings.Contains(said, "ended at once"); forced != p.forced && !p.steps {
		t.Errorf("ended by force: %t, want %t:\n%s", forced, p.forced, said)
	}
	if strings.Contains(said, "panic") || strings.Contains(said, "goroutine ") {
		t.Errorf("it panicked:\n%s", said)
	}
	r.expectNothingLeft(t)
}

// expectNothingLeft looks for processes and for parts of files.
func (r *running) expectNothingLeft(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(busily); len(faultyadapter.Processes(r.mark+"\x00")) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("processes are left: %v", faultyadapter.Processes(r.mark+"\x00"))
			break
		}
	}
	parts, err := filepath.Glob(filepath.Join(r.folder, ".*.tmp"))
	if err != nil || len(parts) > 0 {
		t.Errorf("left behind: %v, %v", parts, err)
	}
	for name, end := range map[string]string{"out.xml": "</testsuites>", "page.html": "</html>", "out.jsonl": "none is written"} {
		text, err := os.ReadFile(filepath.Join(r.folder, name))
		if err == nil && !strings.HasSuffix(strings.TrimSpace(string(text)), end) {
			t.Errorf("%s is written in part: %d bytes", name, len(text))
		}
	}
}

// prepareFolder writes what the commands of the phases read.
func prepareFolder(t *testing.T, folder, corpus string) {
	t.Helper()
	pipe := filepath.Join(folder, "pipe")
	piped := filepath.Join(folder, "piped")
	for _, err := range []error{
		syscall.Mkfifo(pipe, 0o600), os.Mkdir(piped, 0o700), os.Symlink(pipe, filepath.Join(piped, "corpus.yaml")),
		os.Symlink(filepath.Join(corpus, "corpus"), filepath.Join(folder, "corpus")),
		os.Symlink(filepath.Join(corpus, "stated.jsonl"), filepath.Join(folder, "stated.jsonl")),
		os.Symlink(builtTool, filepath.Join(folder, "tool")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	event := `{"type":"message","role":"user","content":"hello"}` + "\n"
	write(t, folder, "log.jsonl", event)
	write(t, folder, "grows.jsonl", event)
	write(t, folder, "many.json", heavyRules)
	write(t, folder, "loopstone.yaml", fmt.Sprintf("command: [%q, serve]\n", builtTool))
}

// largeCorpus returns the folder of a corpus that takes every command a long time, and of a report for verify.
func largeCorpus(t *testing.T) string {
	t.Helper()
	folder, err := writtenCorpus()
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// writtenCorpus writes them once, beside the tool: no phase changes them.
var writtenCorpus = sync.OnceValues(func() (string, error) {
	folder := filepath.Join(filepath.Dir(builtTool), "large")
	if err := os.MkdirAll(filepath.Join(folder, "corpus"), 0o700); err != nil {
		return "", err
	}
	words := []string{
		"test", "--reference", "--no-properties", "--detector", "guards", "--statement", filepath.Join(folder, "stated.jsonl"),
	}
	if out, outcome := dispatched(context.Background(), words); outcome != conformance.Conformant {
		return "", fmt.Errorf("%q: %s:\n%s", words, outcome, out)
	}
	const runs, events = 40, 20_000
	for i := range runs {
		text := fmt.Appendf(nil, `{"run":{"name":"run %d","solved":true}}`+"\n", i)
		for k := range events {
			text = fmt.Appendf(text, `{"type":"tool_call","tool":"bash","args":{"m":%d,"n":%d}}`+"\n", k/100, k%(i+2))
		}
		if err := os.WriteFile(filepath.Join(folder, "corpus", fmt.Sprintf("%d.jsonl", i)), text, 0o600); err != nil {
			return "", err
		}
	}
	return folder, nil
})
