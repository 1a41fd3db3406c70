package generate

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	module = "github.com/loopstone/loopstone"
	root   = "../../.."
)

// exemption is a statement of the reference that no generated trace executes.
type exemption struct {
	file   string // below reference
	source string // text within the statement's block
	why    string
}

var exemptions = []exemption{
	{
		"crow/repr.go", "`\\x%02x`",
		"CR-52 is a SHOULD: what is asked of crow.ai_prompt stays within printable ASCII and the escapes of CR-51",
	},
	{"crow/repr.go", "`\\u%04x`", "likewise"},
	{"crow/repr.go", "`\\U%08x`", "likewise"},
	{"guards/rules.go", "panic(err)", "the row of the guards has the settings of signatures"},
}

// TestGeneratedTracesExecuteTheReference proves what the generators reach: every statement of the reference, by
// generated subjects alone.
func TestGeneratedTracesExecuteTheReference(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs a second test binary")
	}
	unexecuted := replayCoverage(t)
	for _, e := range exemptions {
		i := slices.IndexFunc(unexecuted, e.covers)
		if i < 0 {
			t.Errorf("exemption %s %q: such a statement is executed, or there is none any more; remove the exemption", e.file, e.source)
		}
	}
	for _, b := range unexecuted {
		if b.file == "profile.go" || b.file == "reference.go" { // what a port is held to, not how
			continue
		}
		if !slices.ContainsFunc(exemptions, func(e exemption) bool { return e.covers(b) }) {
			t.Errorf("reference/%s:%d: no generated trace executes %q", b.file, b.line, strings.TrimSpace(b.source))
		}
	}
}

func (e exemption) covers(b block) bool {
	return e.file == b.file && strings.Contains(b.source, e.source)
}

// block is a piece of a file of the reference that is executed as a whole or not at all.
type block struct {
	file   string // below reference
	line   int
	source string // its lines, whole
}

// replayCoverage runs TestReplay with counters in the reference, and returns the blocks that it did not execute.
func replayCoverage(t *testing.T) []block {
	t.Helper()
	profile := filepath.Join(t.TempDir(), "cover.out")
	child := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-count=1", "-run=^TestReplay$",
		"-coverpkg="+module+"/reference/...", "-coverprofile="+profile, ".")
	child.Env = append(os.Environ(), replayVariable+"=1")
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", child, err, out)
	}
	return readProfile(t, profile)
}

// span is a block as a coverage profile names it.
type span struct {
	file       string // with the module's path
	start, end int    // lines
	column     int
}

// readProfile returns the blocks of a profile that no test executed. One block has a line for each test binary.
func readProfile(t *testing.T, path string) []block {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	executed := map[span]bool{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		name, numbers, _ := strings.Cut(lines.Text(), ":")
		var s span
		var endColumn, statements, count int
		n, _ := fmt.Sscanf(numbers, "%d.%d,%d.%d %d %d", &s.start, &s.column, &s.end, &endColumn, &statements, &count)
		if n == 6 {
			s.file = name
			executed[s] = executed[s] || count > 0
		}
	}
	if len(executed) == 0 {
		t.Fatalf("%s names no block of the reference", path)
	}
	return unexecutedBlocks(t, executed)
}

func unexecutedBlocks(t *testing.T, executed map[span]bool) []block {
	t.Helper()
	var blocks []block
	for s, done := range executed {
		if done || strings.HasPrefix(s.file, module+"/reference/source.go") { // which shows the reference to people
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, strings.TrimPrefix(s.file, module+"/")))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(text), "\n")
		blocks = append(blocks, block{
			strings.TrimPrefix(s.file, module+"/reference/"), s.start, strings.Join(lines[s.start-1:s.end], "\n"),
		})
	}
	slices.SortFunc(blocks, func(a, b block) int {
		return cmp.Or(strings.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
	})
	return blocks
}
