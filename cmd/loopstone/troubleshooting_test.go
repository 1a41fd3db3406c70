package main

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// provoked are the messages that docs/troubleshooting.md quotes, each with a call that prints it: in a folder with the log
// of an agent and an empty folder.
var provoked = map[string][]string{
	"no answer within …":                      {"check-adapter", "--start-timeout", "100ms", "--", "sleep", "5"},
	"standard output is for answers alone":    {"check-adapter", "--", "echo", "hello"},
	"a line longer than …":                    {"check-adapter", "--", "sh", "-c", "head -c 17000000 /dev/zero | tr '\\0' x"},
	"exceeded max depth":                      {"check-adapter", "--", "sh", "-c", "printf '%20000s\\n' | tr ' ' '['"},
	"which port?":                             {"test"},
	"no file below it is a recording":         {"replay", "empty"},
	`a tool_call has no member "arguments"`:   {"replay", "log.jsonl"},
	"--seed with 101 seeds: want at most 100": {"test", "--reference", "--seed", seedsTo(101)},
}

func seedsTo(n int) string {
	var seeds []string
	for seed := range n {
		seeds = append(seeds, strconv.Itoa(seed+1))
	}
	return strings.Join(seeds, ",")
}

// namedOnly is what symptoms name in quotes that no message is.
var namedOnly = []string{"id", "--strict", "score", "count", "requires go >= 1.26", "make setup"}

// TestSymptomsAreWhatIsPrinted provokes each message that docs/troubleshooting.md quotes.
func TestSymptomsAreWhatIsPrinted(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write(t, folder, "log.jsonl", `{"type":"tool_call","tool":"ls","arguments":{}}`+"\n")
	quoted := 0
	for line := range strings.Lines(read(t, filepath.Join("..", "..", "docs", "troubleshooting.md"))) {
		symptom, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		if !strings.HasPrefix(line, "| ") {
			continue
		}
		for i, message := range strings.Split(symptom, "`") {
			args, isMessage := provoked[message]
			switch {
			case i%2 == 0 || slices.Contains(namedOnly, message):
			case !isMessage:
				t.Errorf("nothing provokes the symptom %q", message)
			default:
				quoted++
				if args[0] == "replay" && args[1] == "empty" {
					args = []string{"replay", t.TempDir()}
				}
				if out, _ := tool(t, folder, args...); !strings.Contains(out, strings.TrimSuffix(message, " …")) {
					t.Errorf("loopstone %s does not print %q:\n%s", strings.Join(args, " "), message, out)
				}
			}
		}
	}
	if quoted != len(provoked) {
		t.Errorf("the page quotes %d messages, want %d", quoted, len(provoked))
	}
}
