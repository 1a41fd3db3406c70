package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// TestNoEscapeOfALogGetsThrough lets every command that reads logs show one whose names, texts and file name hold all that a
// terminal or a browser would obey.
func TestNoEscapeOfALogGetsThrough(t *testing.T) {
	t.Parallel()
	const harm = "\x1b]0;owned\x07\u009b31m\u202egnp\u2028\x7f<script>alert(1)</script>"
	folder := t.TempDir()
	var log strings.Builder
	add := func(format string, args ...any) { fmt.Fprintf(&log, format+"\n", args...) }
	harmful := jsonText(harm)
	add(`{"run":{"name":%s,"agent":%s}}`, harmful, harmful)
	for i := range 6 {
		add(`{"type":"tool_call","tool":%s,"args":{%s:%s},"thought":%s,"id":"c%d"}`, harmful, harmful, harmful, harmful, i)
		add(`{"type":"tool_result","content":%s,"call":"c%d"}`, harmful, i)
	}
	add(`{"note":%s}`, harmful)
	name := "\x1b[31mlog\u202e.jsonl"
	write(t, folder, name, log.String())
	write(t, folder, "corpus.yaml", fmt.Sprintf("source: x\nlicence: z\nruns:\n  - {file: %s, loop: true}\n", strconv.Quote(name)))
	page := filepath.Join(folder, "page.html")
	for _, args := range [][]string{
		{"replay"},
		{"replay", "--json"},
		{"replay", "--case", "x"},
		{"replay", "--html", page},
		{"import"},
		{"score"},
		{"score", "--json"},
		{"score", "--markdown"},
		{"score", "--html", page},
		{"differ", "history", "crow:text", "--corpus"},
		{"differ", "history", "crow:text", "--json", "--corpus"},
	} {
		t.Run(strings.Join(args[:min(len(args), 2)], " "), func(t *testing.T) {
			out, outcome := run(t, "", nil, append(args, folder)...)
			if len(out) < 100 {
				t.Errorf("it is %s, and says little: %s", outcome, out)
			}
			if args[len(args)-1] == page {
				shown := read(t, page)
				if out += shown; strings.Contains(shown, "<script") {
					t.Error("a script gets into the page")
				}
			}
			for i, line := range strings.Split(out, "\n") {
				if strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
					t.Errorf("line %d holds something that nobody sees: %+q", i+1, line)
				}
			}
		})
	}
}

// TestNoEscapeOfANameGetsThrough: a shell may have put the name of a file into the call, and a message repeats it. Of a
// configuration, it repeats what there is not.
func TestNoEscapeOfANameGetsThrough(t *testing.T) {
	long(t, "it runs the suite for each format")
	t.Parallel()
	const harm = "\x1b]0;owned\x07\u202egnp\x7f"
	folder := t.TempDir()
	path := filepath.Join(folder, harm)
	wrong := write(t, folder, "wrong.json", `{`+jsonText(harm)+`:3}`)
	rules := write(t, folder, "rules.json", strings.ReplaceAll(
		`{"rules":[{"name":"@","tools":{"only":["@"]},"rungs":[{"name":"@","at":3}]}]}`, `"@"`, jsonText(harm)))
	recorded := filepath.Join("..", "..", "recordings")
	for _, args := range [][]string{
		{"verify", path},
		{"merge", path},
		{"merge", "--trend", path, path},
		{"bench", "compare", path, path},
		{"lint", path},
		{"test", "--reference", "--cases", path},
		{"test", "--reference", "--known", path},
		{"fuzz", "--reference", "--config", path},
		{"fuzz", "--reference", "--config", wrong},
		{"differ", "--corpus", path, "history", "history"},
		{"differ", "--config-a", wrong, "history", "history"},
		{"score", path},
		{"tune", path},
		{"tune", "--rules", wrong, recorded},
		{"tune", "--rules", rules, recorded},
		{"witness", path},
		{"witness", wrong},
		{"witness", rules},
		{"replay", "--detector", "history", "--config", wrong, recorded},
		{"label", "--agreement", path, path},
		{"export", path},
		{"export", "--as", "json", "--detector", "@roo", path + "s"},
		{"init", "--bare", path + "port", "--", "true"},
	} {
		t.Run(strings.Join(args[:2], " "), func(t *testing.T) {
			out, _ := run(t, "", nil, args...)
			if !strings.Contains(out, "owned") {
				t.Errorf("it does not repeat the name: %q", out)
			}
			for i, line := range strings.Split(out, "\n") {
				if strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) }) {
					t.Errorf("line %d holds something that nobody sees: %+q", i+1, line)
				}
			}
		})
	}
}

// TestNoEscapeOfAPortGetsThrough: a port calls itself, and the rules in its verdicts, as it likes.
func TestNoEscapeOfAPortGetsThrough(t *testing.T) {
	long(t, "it starts a port for each command")
	t.Parallel()
	folder := t.TempDir()
	page := filepath.Join(folder, "page.html")
	harm := strings.NewReplacer("@", `\\u001b]0;owned\\u0007\\u009b31m\\u202e\\r\\n`)
	edit := write(t, folder, "edit.sed", harm.Replace(`1s/"name":"[^"]*"/"name":"@"/; 1s/"version":"[^"]*"/"version":"@"/
1s/"language":"[^"]*"/"language":"@"/; s/"kind":"repeat"/"kind":"@"/`))
	port := []string{"--", "sh", "-c", `"$0" serve | stdbuf -oL sed -f "$1"`, builtTool, edit}
	recorded := filepath.Join("..", "..", "recordings")
	log := filepath.Join(recorded, "failing-build.jsonl")
	sweep := []string{"score", "--detector", "history", "--sweep", "repeat_threshold=2..3"}
	for _, args := range [][]string{
		{"replay", log},
		{"replay", "--json", log},
		{"replay", "--html", page, "--all", recorded},
		with(sweep, recorded),
		with(sweep, "--markdown", recorded),
		with(sweep, "--json", recorded),
		with(sweep, "--html", page, recorded),
		with(sweep, "--svg", page, recorded),
		{"differ", "--traces", "20", "history", "history"},
		{"test", "--case", "history-*"},
		{"test", "--case", "history-*", "--report", "markdown"},
		{"test", "--case", "history-*", "--report", "junit"},
		{"check-adapter"},
		{"bench", "--run", "history.*tight-loop", "--count", "1", "--time", "1ms"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			out, outcome := run(t, "", port, args...)
			if slices.Contains(args, page) {
				out += read(t, page)
			}
			if len(out) < 100 {
				t.Errorf("it is %s, and says little: %s", outcome, out)
			}
			for i, line := range strings.Split(out, "\n") {
				if strings.ContainsFunc(line, func(r rune) bool { return r != '\t' && !unicode.IsPrint(r) }) {
					t.Errorf("line %d holds something that nobody sees: %+q", i+1, line)
				}
			}
		})
	}
}

// jsonText writes a text as JSON that escapes what it must and no more.
func jsonText(text string) string {
	return `"` + strings.NewReplacer("\x1b", `\u001b`, "\x07", `\u0007`).Replace(text) + `"`
}
