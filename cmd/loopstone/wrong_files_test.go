package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

// wrongFiles are what a user may name by mistake in place of a file: nothing, a folder, and a file that holds the
// beginning of a JSON object. The folder is none of an agent's logs.
var wrongFiles = map[string]func(path string) error{
	"missing": func(string) error { return nil },
	"folder":  func(path string) error { return os.Mkdir(path, 0o700) },
	"damaged": func(path string) error { return os.WriteFile(path, []byte("{\"corpus\": [\n"), 0o600) },
}

// inputs are the calls that read the file @, which is nothing but the last word of the path: commands and flags.
// STUDY is a corpus and LOG a recording.
var inputs = []struct {
	call string
	but  []string // what is not wrong there, or not the file's fault
}{
	{call: "test --reference --known @"},
	{call: "test --reference --cases @", but: []string{"folder"}},
	{call: "test --reference --list --cases @", but: []string{"folder"}},
	{call: "fuzz --reference --for 1s --known @"},
	{call: "fuzz --reference --for 1s --detector history --config @"},
	{call: "fuzz --reference --for 1s --out @/below", but: []string{"missing", "folder"}},
	{call: "verify @"},
	{call: "verify @ --reference"},
	{call: "verify @ -- true"},
	{call: "merge @"},
	{call: "merge --trend @ @"},
	{call: "bench compare @ @"},
	{call: "replay @"},
	{call: "replay LOG @"},
	{call: "replay --detector history --config @ LOG"},
	{call: "import @"},
	{call: "label --labeller ann @"},
	{call: "label --labeller ann --labels @ STUDY", but: []string{"missing"}},
	{call: "label --labeller ann --labels LABELS --runs @ STUDY"},
	{call: "label --sample 1 --by history @"},
	{call: "label --agreement @ @"},
	{call: "score @"},
	{call: "score @/corpus.yaml"},
	{call: "score --labels @ STUDY"},
	{call: "score --runs @ STUDY"},
	{call: "score --config history=@ STUDY"},
	{call: "score --merge @"},
	{call: "tune @", but: []string{"folder"}}, // it is empty, and there is no alarm to count
	{call: "tune --labels @ STUDY"},
	{call: "tune --runs @ STUDY"},
	{call: "tune --rules @ STUDY"},
	{call: "tune --price-lost 2 --labels @ STUDY"},
	{call: "witness @"},
	{call: "differ history history --config-a @"},
	{call: "differ history history --config-b @"},
	{call: "differ history history --traces 10 --corpus @"},
	{call: "lint @", but: []string{"folder"}},
	{call: "init python @/below", but: []string{"missing", "folder"}},
	{call: "export @/below", but: []string{"missing", "folder"}},
	{call: "export --as json --detector @roo @/below", but: []string{"missing", "folder"}},
	{call: "man @/below", but: []string{"missing", "folder"}},
	{call: "fuzz --reference --for 1s --out @", but: []string{"missing", "folder"}},
	{call: "import --out @/below LOG", but: []string{"folder"}},
	{call: "test --reference --no-properties --report text=@/below", but: []string{"folder"}},
}

// TestAWrongFileIsNoWrongCall: whatever names a file that is missing, cannot be read or written, or is damaged, the exit
// code is 2, and no usage is shown.
func TestAWrongFileIsNoWrongCall(t *testing.T) {
	t.Parallel()
	study := filepath.Join("..", "..", "internal", "lab", "score", "testdata", "study")
	log := write(t, t.TempDir(), "log.jsonl", `{"type":"tool_call","tool":"read","args":{"path":"a"}}`+"\n")
	for _, input := range inputs {
		for kind, make := range wrongFiles {
			if slices.Contains(input.but, kind) {
				continue
			}
			t.Run(input.call+" "+kind, func(t *testing.T) {
				t.Parallel()
				path := filepath.Join(t.TempDir(), "wrong")
				if err := make(path); err != nil {
					t.Fatal(err)
				}
				words := strings.Fields(input.call)
				for i, word := range words {
					for name, at := range map[string]string{"STUDY": study, "LOG": log, "LABELS": path + ".jsonl"} {
						word = strings.ReplaceAll(word, name, at)
					}
					if word != "@roo" {
						word = strings.Replace(word, "@", path, 1)
					}
					words[i] = word
				}
				out, outcome := run(t, "", nil, words...)
				if outcome != conformance.NotDecided || !strings.Contains(out, path) || strings.Contains(out, "usage: ") {
					t.Errorf("%s, want %s and a message about %s:\n%.1000s", outcome, conformance.NotDecided, path, out)
				}
			})
		}
	}
}

// goWords are words of Go, and of its libraries, that no user knows.
var goWords = []string{
	"Go struct", "Go value", "into Go", "map[", "%!", "json: ", "jsontext", "yaml: ", "unmarshal", "strconv", "<nil>",
	"portconfig.", "conformance.", "label.", "score.",
}

// wrongTypes are JSON values, of which each is wrong at most places.
var wrongTypes = []string{"null", "true", "-1", "1.5", `"x"`, "[1]", `{"a":{}}`}

// TestNoMessageNamesATypeOfGo puts a wrong value at every place of the files that machines write: whatever is wrong, the
// message is in words for a user.
func TestNoMessageNamesATypeOfGo(t *testing.T) {
	long(t, "hundreds of wrong files")
	t.Parallel()
	own := filepath.Join("..", "..", "internal", "lab", "score", "testdata", "own")
	folder := t.TempDir()
	report := filepath.Join(folder, "report.jsonl")
	if out, outcome := run(t, "", nil, "test", "--reference", "--no-properties", "--case", passingCase, "--report", "jsonl="+report); outcome != conformance.Conformant {
		t.Fatalf("%s: %s", outcome, out)
	}
	sample, _ := run(t, "", nil, "label", "--sample", "2", "--by", "history", own)
	shard, _ := run(t, "", nil, "score", "--shard", "1/1", "--detector", "history", own)
	labels := `{"corpus":"own","run":"poll.jsonl","labeller":"ann","steps":9,"spans":[{"first":1,"last":4}],"unsure":false,"finished":true}`
	for _, input := range []struct {
		name, text string
		calls      []string
	}{
		{"report", read(t, report), []string{"merge @", "merge --trend @ @"}},
		{"labels", labels + "\n", []string{"score --labels @ " + own, "label --agreement @ @"}},
		{"sample", sample, []string{"score --runs @ " + own}},
		{"shard", shard, []string{"score --merge @"}},
	} {
		t.Run(input.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "file.jsonl")
			for _, text := range withWrongTypes(t, input.text) {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				for _, call := range input.calls {
					out, outcome := run(t, "", nil, strings.Fields(strings.ReplaceAll(call, "@", path))...)
					for _, word := range goWords {
						if strings.Contains(strings.ReplaceAll(out, path, ""), word) {
							t.Errorf("%s says %q (%s):\n%.600s\n%.600s", call, word, outcome, out, text)
						}
					}
				}
			}
		})
	}
}

// withWrongTypes returns the lines of a file, each time with one value of the first, second or last line exchanged.
func withWrongTypes(t *testing.T, text string) []string {
	t.Helper()
	isMessage := func(line string) bool { return !strings.HasPrefix(line, "{") }
	lines := slices.DeleteFunc(strings.Split(text, "\n"), isMessage)
	var all []string
	for _, i := range slices.Compact([]int{0, min(1, len(lines)-1), len(lines) - 1}) {
		for _, line := range exchanged(spec.MustParse(lines[i])) {
			changed := slices.Clone(lines)
			changed[i] = line
			all = append(all, strings.Join(changed, "\n")+"\n")
		}
	}
	return all
}

// exchanged returns a value with each of the values in it, and itself, exchanged for each of the wrong types.
func exchanged(v spec.Value) []string {
	list := slices.Clone(wrongTypes)
	for i, item := range v.Items() {
		for _, text := range exchanged(item) {
			items := slices.Clone(v.Items())
			items[i] = spec.MustParse(text)
			list = append(list, spec.ArrayValue(items...).String())
		}
	}
	for i, member := range v.Members() {
		for _, text := range exchanged(member.Value) {
			members := slices.Clone(v.Members())
			members[i].Value = spec.MustParse(text)
			list = append(list, spec.ObjectValue(members...).String())
		}
	}
	return list
}
