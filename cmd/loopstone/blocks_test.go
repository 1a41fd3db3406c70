package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/testing/golden"
)

// block is a fenced block of a page.
type block struct {
	page           string
	language, text string
	next           string // the text of the block that follows
}

// scene says how the commands of a block are run: those of a page that begin so. Of two that fit the longer one counts.
type scene struct {
	page, begins string
	in           place
	want         conformance.Outcome // of the first command that does not end with 0
	goesOn       bool                // after it; then of the last command
	says         string
	shows        bool              // the block that follows, too, with any numbers
	instead      map[string]string // what stands for what is not here
	runBy        string            // the file that runs the block instead, and so holds it
	why          string            // the block is not run at all
}

// place is the folder that a block is run in.
type place int

const (
	ofStarter place = iota // one for all blocks of a page: the port with a fault that init writes in Python
	empty
	checkout
)

var scenes = []scene{
	{page: "README.md", begins: "git clone", in: checkout, says: "HI-13", instead: map[string]string{
		"git clone https://github.com/loopstone/loopstone && cd loopstone": ":", "go run ./cmd/loopstone": "loopstone",
	}},
	{page: "README.md", begins: "make setup test", runBy: ".ci/run"},
	{page: "README.md", begins: "go run ./cmd/loopstone replay", in: checkout, says: "2 runs: ", instead: map[string]string{
		"go run ./cmd/loopstone": "loopstone",
	}},
	{page: "README.md", begins: "go install", in: checkout, want: conformance.NotConformant, instead: map[string]string{
		"python my_port": "python $HOME/my_port", "cd my_port": "cd $HOME/my_port",
	}},

	{page: "CONTRIBUTING.md", begins: "bin/loopstone", in: checkout, instead: map[string]string{"bin/loopstone": "loopstone"}},
	{page: "CONTRIBUTING.md", begins: "make accept\n", in: checkout, says: "rewritten: nothing"},
	{page: "CONTRIBUTING.md", begins: "make accept &&", in: checkout, instead: map[string]string{"make accept && ": ""}}, // as above
	{page: "CONTRIBUTING.md", begins: "go test -short ./internal/suite/profile", why: "TestAProfileIsAddedAsThePageSays runs it"},
	{page: "CONTRIBUTING.md", begins: "go test -short ./internal/lab/agentlogs", in: checkout, instead: map[string]string{" -update": ""}},
	{page: "CONTRIBUTING.md", begins: "go test -short ./conformance/adapters", in: checkout, instead: map[string]string{
		" && go test ./cmd/loopstone -run 'Init|Licence'": "", // this test's package
	}},
	{page: "CONTRIBUTING.md", begins: "go run ./cmd/loopstone lint\ngo run", why: "the toy is not here: tools/projecttests"},

	{page: "docs/choose-a-detector.md", begins: "loopstone replay", says: "@loopstone", instead: map[string]string{
		"LOGS": "$RECORDINGS/three-in-turn.jsonl",
	}},
	{page: "docs/choose-a-detector.md", begins: "tail", in: empty, says: "0 of 4 detectors", instead: map[string]string{
		"recordings/": "$RECORDINGS/",
	}},
	{page: "docs/choose-a-detector.md", begins: "loopstone score", want: conformance.NotConformant, instead: map[string]string{
		"--labels ann.jsonl CORPUS": "$RECORDINGS", "COMMAND": "loopstone serve", // which has its labels in corpus.yaml
	}},
	{page: "docs/choose-a-detector.md", begins: "loopstone export"},

	{page: "docs/ci.md", begins: "loopstone test --report text", want: conformance.NotConformant},
	{page: "docs/ci.md", begins: "loopstone test --strict", want: conformance.NotConformant},
	{page: "docs/ci.md", begins: "loopstone merge", instead: map[string]string{
		"loopstone merge": "for i in 1 2 3; do loopstone test --shard $i/3 --report jsonl=part-$i.jsonl -- loopstone serve; done; loopstone merge",
	}},
	{page: "docs/ci.md", begins: "loopstone test --write-known", goesOn: true},
	{page: "docs/ci.md", begins: "loopstone test --statement conformance", goesOn: true},

	{page: "docs/dev/field.md", begins: "loopstone replay", says: "@roo", instead: map[string]string{
		"LOGS": "$RECORDINGS/three-in-turn.jsonl",
	}},

	{page: "docs/faults.md", begins: "loopstone replay --detector @cline", in: checkout, says: "0 of 3 detectors"},
	{page: "docs/faults.md", begins: "loopstone replay --detector @opencode", in: checkout, says: "0 of 2 detectors"},
	{page: "docs/faults.md", begins: "loopstone replay --detector @crewai", in: checkout, says: "2 of 2 detectors raise an alarm"},
	{page: "docs/faults.md", begins: "loopstone show", says: "only at every other call"},
	{page: "docs/faults.md", begins: "loopstone show @forgecode", says: "has only begun counts as a"},
	{page: "docs/faults.md", begins: "loopstone replay --detector @skyvern", in: checkout, says: "same-tool, refuse: after 3 events"},

	{page: "docs/test-a-detector.md", begins: "go install", in: checkout},
	{page: "docs/test-a-detector.md", begins: "loopstone init", in: empty, want: conformance.NotConformant, says: "HI-10"},
	{page: "docs/test-a-detector.md", begins: "loopstone init --detector", in: empty, want: conformance.NotConformant},
	{page: "docs/test-a-detector.md", begins: "loopstone init --bare", in: empty},
	{page: "docs/test-a-detector.md", begins: "loopstone show"},
	{page: "docs/test-a-detector.md", begins: "loopstone test", want: conformance.NotConformant},
	{
		page: "docs/test-a-detector.md", begins: "loopstone test --no-properties -- python3 -m coverage",
		goesOn: true, says: "Missing", instead: map[string]string{"python3": "/usr/bin/python3"}, // make setup gives it the tool
	},
	{page: "docs/test-a-detector.md", begins: "NODE_V8_COVERAGE", why: "npm brings c8: make coverage PORT=node runs it"},
	{page: "docs/test-a-detector.md", begins: "loopstone fuzz", want: conformance.NotConformant, instead: map[string]string{"10m": "2s"}},

	{
		page: "docs/own-test-runner.md", begins: "loopstone export", in: empty, want: conformance.NotConformant,
		says: "call your detector in Detector", instead: map[string]string{"\npytest": "\n/usr/bin/python3 -m pytest"},
	},
	{page: "docs/own-test-runner.md", begins: "pytest my_port", why: "TestPackagesInstall runs it, with the packages"},
	{page: "docs/recipes.md", begins: "npx -p typescript", why: "npm brings tsc: TestRecipesConform compiles the port and tests it"},
	{page: "docs/recipes.md", begins: "loopstone test --laws", want: conformance.NotConformant, instead: map[string]string{
		"my_detector.py": "my_port.py", // whose laws are those of its detector
	}},
	{page: "docs/recipes.md", begins: "loopstone test --verbose", want: conformance.NotConformant},
	{page: "docs/recipes.md", begins: "loopstone test --against", instead: map[string]string{"old/my_port.py": "my_port.py"}},

	{page: "docs/dev/originals.md", begins: "git clone", why: "the originals lie elsewhere: make originals plants faults in them"},
	{page: "docs/dev/publish.md", begins: "git tag", why: "only an owner can publish"},
	{page: "docs/dev/publish.md", begins: "cd dist", why: "only an owner can publish"},
	{page: "docs/dev/publish.md", begins: "npx loopstone", why: "only an owner can publish"},
	{page: "docs/dev/study.md", begins: "git clone", why: "the runs lie elsewhere: make real-runs scores them"},

	{page: "docs/replay-your-logs.md", begins: "loopstone replay ~"},
	{page: "docs/replay-your-logs.md", begins: "loopstone replay --detector @loopstone", in: checkout, says: "3 of 3 detectors"},
	{page: "docs/replay-your-logs.md", begins: "loopstone replay --detector 'stream", in: checkout, says: "@gemini-cli-stream"},
	{page: "docs/replay-your-logs.md", begins: "loopstone import", instead: map[string]string{"chat.log": "$LOGS/openai-chat.json"}},
	{page: "docs/replay-your-logs.md", begins: "loopstone replay --follow", why: "it goes on until it is interrupted; TestFollow runs it"},

	{page: "docs/label-runs.md", begins: "loopstone label --labeller", why: "it waits for a browser; label.test.js runs it"},
	{page: "docs/label-runs.md", begins: "loopstone label --sample", why: "it waits for a browser; label.ct draws a sample"},
	{page: "docs/label-runs.md", begins: "loopstone label --agreement", instead: map[string]string{
		"ann.jsonl": "$LABELS/ann.jsonl", "ben.jsonl": "$LABELS/ben.jsonl",
	}},
	{page: "docs/label-runs.md", begins: "loopstone score --labels", instead: map[string]string{
		"ann.jsonl": "$LABELS/ann.jsonl", "decided.jsonl": "$LABELS/decided.jsonl", "drawn.jsonl": "$LABELS/drawn.jsonl",
		"my-corpus": "$LABELS/../own",
	}},
	{page: "docs/label-runs.md", begins: "loopstone tune --price-lost", says: "no detector", instead: map[string]string{
		"ann.jsonl": "$LABELS/ann.jsonl", "decided.jsonl": "$LABELS/decided.jsonl", "drawn.jsonl": "$LABELS/drawn.jsonl",
		"my-corpus": "$LABELS/../own",
	}},

	{page: starterPage, begins: "loopstone test", want: conformance.NotConformant},
	{page: starterPage, begins: "loopstone test --known"},
	{page: starterPage, begins: "loopstone check-adapter", want: conformance.NotConformant, instead: map[string]string{"10s": "2s"}},
}

// starterPage is the page that init writes beside a port.
const starterPage = "init python"

// TestTheCommandsOfPagesRun runs every block that is marked sh, of every page, one after the other as a reader does. A
// block that no scene fits fails, a scene without a block fails, and so do commands in a block that is not marked.
func TestTheCommandsOfPagesRun(t *testing.T) {
	t.Parallel()
	needs(t, "node")
	unused := map[*scene]bool{}
	for i := range scenes {
		unused[&scenes[i]] = true
	}
	folders := map[string]string{}
	for _, b := range blocksOfPages(t) {
		if b.language != "sh" {
			if typed.MatchString(b.text) && slices.Contains([]string{"", "text", "bash", "shell", "console"}, b.language) {
				t.Errorf("%s shows commands in a block that is not marked sh:\n%s", b.page, b.text)
			}
			continue
		}
		s := sceneOf(b)
		if s == nil {
			t.Errorf("nothing says how this block of %s is run:\n%s", b.page, b.text)
			continue
		}
		delete(unused, s)
		t.Run(b.page+" "+strings.Join(strings.Fields(b.text)[:2], " "), func(sub *testing.T) {
			if testing.Short() {
				sub.Skip("make long runs what pages show")
			}
			if folders[b.page] == "" {
				folders[b.page] = starterFolder(t)
			}
			s.play(sub, b, folders[b.page])
		})
	}
	for s := range unused {
		t.Errorf("%s has no block that begins with %q", s.page, s.begins)
	}
}

// typed matches a line that somebody types.
var typed = regexp.MustCompile(`(?m)^(\$ )?(loopstone|go|make|git|python3?|node|npm|cargo|javac?|podman|docker|cd|curl|apt-get|sudo) \S`)

var fence = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")

func blocksOfPages(t *testing.T) []block {
	t.Helper()
	var blocks []block
	add := func(page, text string) {
		found := fence.FindAllStringSubmatch(text, -1)
		for i, m := range found {
			b := block{page: page, language: m[1], text: m[2]}
			if i+1 < len(found) {
				b.next = found[i+1][2]
			}
			blocks = append(blocks, b)
		}
	}
	root := filepath.Join("..", "..")
	for _, path := range pages(t) {
		name, err := filepath.Rel(root, path)
		if err != nil {
			t.Fatal(err)
		}
		add(filepath.ToSlash(name), read(t, path))
	}
	add(starterPage, read(t, filepath.Join(starterFolder(t), "README.md")))
	return blocks
}

// sceneOf returns the scene that fits a block best, nil where none does.
func sceneOf(b block) *scene {
	var best *scene
	for i, s := range scenes {
		if s.page == b.page && strings.HasPrefix(b.text, s.begins) && (best == nil || len(s.begins) > len(best.begins)) {
			best = &scenes[i]
		}
	}
	return best
}

// writtenStarter is the folder of the port with a fault that init writes in Python, which init judges as it writes it.
var writtenStarter = sync.OnceValues(func() (string, error) {
	folder := filepath.Join(filepath.Dir(builtTool), "starter")
	if out, outcome := dispatched(context.Background(), []string{"init", "python", folder}); outcome != conformance.Conformant {
		return "", fmt.Errorf("init python: %s:\n%s", outcome, out)
	}
	return folder, nil
})

// starterFolder returns a folder with a copy of this port.
func starterFolder(t *testing.T) string {
	t.Helper()
	written, err := writtenStarter()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(written)); err != nil {
		t.Fatal(err)
	}
	return folder
}

func (s *scene) play(t *testing.T, b block, folder string) {
	t.Helper()
	switch {
	case s.runBy != "":
		s.expectElsewhere(t, b)
		return
	case s.why != "":
		t.Skip(s.why)
	}
	switch s.in {
	case empty:
		folder = t.TempDir()
	case checkout:
		folder = filepath.Join("..", "..")
	}
	text := b.text
	for there, here := range s.instead {
		if !strings.Contains(text, there) {
			t.Fatalf("the block does not say %q:\n%s", there, text)
		}
		text = strings.ReplaceAll(text, there, here)
	}
	if !s.goesOn {
		text = "set -e\n" + text
	}
	command := exec.CommandContext(t.Context(), "sh", "-c", text)
	command.Dir, command.Env = folder, readersEnv(t)
	out, got := ended(t, command)
	if got != s.want {
		t.Errorf("%s, want %s:\n%s\n%s", got, s.want, text, out)
	}
	if !strings.Contains(out, s.says) || s.shows && !strings.Contains(countless(out), countless(b.next)) {
		t.Errorf("it does not say what the page does, %s%s:\n%s", s.says, b.next, out)
	}
}

// inCell is a command in a cell of a table.
var inCell = regexp.MustCompile("(?m)^\\|.*`(loopstone replay [^`]*)`([^|]*)")

// TestTheCommandsInTablesRaiseAlarms does so for each, but for the one that is said to report nothing.
func TestTheCommandsInTablesRaiseAlarms(t *testing.T) {
	t.Parallel()
	for page, least := range map[string]int{"faults.md": 7, "choose-a-detector.md": 11} {
		found := inCell.FindAllStringSubmatch(read(t, filepath.Join("..", "..", "docs", page)), -1)
		if len(found) < least {
			t.Fatalf("found %d commands in the tables of %s, want %d or more", len(found), page, least)
		}
		for _, cell := range found {
			want := regexp.MustCompile(`(?m)^[1-9]\d* of \d+ detectors? raises? an alarm`)
			if strings.Contains(cell[2], "reports nothing") {
				want = regexp.MustCompile(`(?m)^0 of 1 detector raises an alarm`)
			}
			command := exec.CommandContext(t.Context(), "sh", "-c", cell[1])
			command.Dir, command.Env = filepath.Join("..", ".."), readersEnv(t)
			if out, _ := ended(t, command); !want.MatchString(out) {
				t.Errorf("%s: %s does not say %s:\n%s", page, cell[1], want, out)
			}
		}
	}
}

// TestFourProfilesReportTheCallAfterAStop holds choose-a-detector.md to it: the call whose loop the user has stopped passes
// in event 25, and four profiles report it all the same.
func TestFourProfilesReportTheCallAfterAStop(t *testing.T) {
	t.Parallel()
	out, _ := tool(t, "", "replay", "--detector", "@*", filepath.Join(inModule(t, "recordings"), "after-a-stop.jsonl"))
	var reports []string
	for _, row := range regexp.MustCompile(`(?m)^(@\S+) +([·▲█]{28})$`).FindAllStringSubmatch(out, -1) {
		if verdicts := []rune(row[2]); slices.Contains(verdicts[24:], '█') {
			reports = append(reports, row[1])
		}
	}
	if want := []string{"@attocode", "@browser-use", "@deer-flow", "@obsidian-gemini"}; !slices.Equal(reports, want) {
		t.Errorf("%v report the call after the stop, want %v", reports, want)
	}
}

// outputs says which command, in the folder of a port that init writes, prints a block that a page shows: one that begins
// so.
var outputs = []struct{ page, begins, command string }{
	{"docs/faults.md", "ping-pong.jsonl", "loopstone replay --detector @cline,@qwen-code,@roo $RECORDINGS/ping-pong.jsonl"},
	{"docs/faults.md", "failing-build.jsonl", "loopstone replay --detector @opencode,@kilo-code $RECORDINGS/failing-build.jsonl"},
	{
		"docs/replay-your-logs.md", "failing-build.jsonl",
		"loopstone replay --detector @loopstone,@gemini-cli,@roo $RECORDINGS/failing-build.jsonl",
	},
	{"docs/test-a-detector.md", "FAILED history-", "loopstone test"},
	{"docs/test-a-detector.md", "detector  reading", "loopstone test"},
}

// elsewhere are pages whose blocks another test compares with what is printed.
var elsewhere = []string{"docs/protocol.md", "docs/choose-a-detector.md", "docs/own-test-runner.md"}

// TestPagesShowWhatIsPrinted runs the command of each block in which a guide shows an output, and compares them.
func TestPagesShowWhatIsPrinted(t *testing.T) {
	t.Parallel()
	folder, unused, printed := starterFolder(t), len(outputs), map[string]string{}
	for _, b := range blocksOfPages(t) {
		isGuide := b.page == "README.md" || filepath.ToSlash(filepath.Dir(b.page)) == "docs"
		if b.language != "" && b.language != "text" || !isGuide || slices.Contains(elsewhere, b.page) {
			continue
		}
		i := slices.IndexFunc(outputs, func(o struct{ page, begins, command string }) bool {
			return o.page == b.page && strings.HasPrefix(b.text, o.begins)
		})
		if i < 0 {
			t.Errorf("nothing says which command prints this block of %s:\n%s", b.page, b.text)
			continue
		}
		unused--
		out, isKnown := printed[outputs[i].command]
		if !isKnown {
			command := exec.CommandContext(t.Context(), "sh", "-c", outputs[i].command)
			command.Dir, command.Env = folder, readersEnv(t)
			out, _ = ended(t, command)
			printed[outputs[i].command] = out
		}
		if path := filepath.Join("..", "..", b.page); golden.Updating() && !prints(out, b.text) {
			fresh := paragraphOf(out, outputs[i].begins)
			golden.Write(t, path, []byte(strings.Replace(read(t, path), b.text, fresh, 1)))
			b.text = fresh
		}
		if !prints(out, b.text) {
			t.Errorf("%s is stale: run the test with -update; %s prints otherwise than\n%s\nbut\n%s", b.page, outputs[i].command, b.text, out)
		}
	}
	if unused > 0 {
		t.Errorf("%d outputs are on no page", unused)
	}
}

// paragraphOf returns the paragraph of an output that begins so.
func paragraphOf(output, begins string) string {
	_, rest, _ := strings.Cut("\n"+output, "\n"+begins)
	paragraph, _, _ := strings.Cut(begins+rest, "\n\n")
	return paragraph + "\n"
}

// prints reports whether an output has a block, with any numbers.
func prints(output, block string) bool { return strings.Contains(countless(output), countless(block)) }

func TestAStaleOutputIsFound(t *testing.T) {
	t.Parallel()
	block := "FAILED history-a (code)\n  clause   HI-10 MUST: A call is in the window.\n  - count: 2\n"
	for _, test := range []struct {
		reason, printed string
		found           bool
	}{
		{"the same among others", "1 failed\n" + block + "again\n", true},
		{"another number", strings.Replace(block, "count: 2", "count: 3", 1), true},
		{"another clause text", strings.Replace(block, "in the", "outside the", 1), false},
		{"another level", strings.Replace(block, "MUST", "NOTE", 1), false},
	} {
		if found := prints(test.printed, block); found != test.found {
			t.Errorf("%s: got %v, want %v", test.reason, found, test.found)
		}
	}
}

// counts matches the numbers and the gaps of a table: a new case changes both.
var counts = regexp.MustCompile(`\d+| {2,}`)

// countless returns the text with every number and gap replaced, so that a page holds whatever the suite's size is.
func countless(text string) string {
	return counts.ReplaceAllStringFunc(text, func(found string) string {
		if found[0] == ' ' {
			return "  "
		}
		return "N"
	})
}

func TestATableOfAnotherSizeIsThePages(t *testing.T) {
	t.Parallel()
	page := "history   code     64      12      100          81 %   31 %\nothers    -        0       0       2213         -      -\n"
	for _, test := range []struct {
		reason, printed string
		same            bool
	}{
		{"more cases", "history  code  1064  12  100  99 %  3 %\nothers  -  0  0  22130  -  -\n", true},
		{"another detector", "crow  code  64  12  100  81 %  31 %\nothers  -  0  0  2213  -  -\n", false},
		{"no score", "history  code  64  12  100  -  -\nothers  -  0  0  2213  -  -\n", false},
	} {
		if same := countless(page) == countless(test.printed); same != test.same {
			t.Errorf("%s: got %v, want %v", test.reason, same, test.same)
		}
	}
}

// expectElsewhere demands that a block that is not run here is where the scene says.
func (s *scene) expectElsewhere(t *testing.T, b block) {
	t.Helper()
	file := read(t, filepath.Join("..", "..", filepath.FromSlash(s.runBy)))
	if !strings.Contains(file, "\n"+strings.TrimSpace(b.text)+"\n") {
		t.Errorf("%s does not run it:\n%s", s.runBy, b.text)
	}
}

// readersEnv returns the environment of somebody who has installed the tool and whose home has a log of an agent. What Go
// and rustup keep stays where it is.
func readersEnv(t *testing.T) []string {
	t.Helper()
	home := t.TempDir()
	logs := inModule(t, "internal", "lab", "agentlogs", "testdata")
	project := filepath.Join(home, ".claude", "projects", "my-project")
	if err := os.MkdirAll(project, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, project, "session.jsonl", read(t, filepath.Join(logs, "claude-code.jsonl")))
	out, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	kept := strings.Fields(string(out))
	toolchains := os.Getenv("RUSTUP_HOME")
	if toolchains == "" {
		own, err := os.UserHomeDir()
		if err != nil {
			t.Fatal(err)
		}
		toolchains = filepath.Join(own, ".rustup")
	}
	return append(os.Environ(), "HOME="+home, "GOBIN="+home, "LOGS="+logs, "COLUMNS=200", "RUSTUP_HOME="+toolchains,
		"RECORDINGS="+inModule(t, "recordings"),
		"LABELS="+inModule(t, "internal", "lab", "score", "testdata", "labels"),
		"GOCACHE="+kept[0], "GOMODCACHE="+kept[1], "PATH="+filepath.Dir(builtTool)+string(os.PathListSeparator)+os.Getenv("PATH"))
}
