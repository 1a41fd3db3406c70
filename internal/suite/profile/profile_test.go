package profile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

const small = `profile: x
title: t
source: {repository: a/b, commit: c, path: d}
licence: none
covers: [all]
rules: [{rungs: [{at: 2}]}]
events: {tool_call: a call}
lacks: [some]
`

func TestProblemsOfAProfileHaveTheirPlace(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ reason, from, to, want string }{
		{"rules that the detector refuses", "at: 2", "at: 0", "x.yaml:6:8: invalid_config rules: rules/0/rungs/0/at"},
		{"a name that is not the file's", "profile: x", "profile: y", "x.yaml:1:10"},
		{
			"an effect that there is not", "rules:", "effects: {a: some}\nrules:",
			`x.yaml:6:10: effects: a: want "none" or "hint first"`,
		},
		{"an effect of no rule", "rules:", "effects: {a: none}\nrules:", "effects: no rule is named a"},
		{"an event that no rule looks at", "a call}", "a call, reply: a step}", "x.yaml:7:9: events: want tool_call"},
		{"an event that is missing", "rules: [{", "rules: [{fresh: [user], ", "events: want tool_call, message, in this order"},
		{"a type of event that there is not", "tool_call: a", "tool_cal: a", `did you mean "tool_call"?`},
		{"an event without a word", "a call}", `""}`, "x.yaml:7:21: want a text that is not empty"},
		{
			"a trait that there is not", "[some]", "[{what: some, not_asked: arguments with 1}]",
			`x.yaml:8:33: not_asked: no trait "arguments with 1"; did you mean "arguments with 1.0"?`,
		},
		{"a gap without its trait", "[some]", "[{what: some}]", `member "not_asked" is missing`},
		{"no source", "source: {repository: a/b, commit: c, path: d}\n", "", "source"},
	} {
		_, err := Parse("x.yaml", []byte(strings.Replace(small, tt.from, tt.to, 1)))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.reason, err, tt.want)
		}
	}
	if _, err := ReadAll(fstest.MapFS{}); err == nil {
		t.Error("no profiles are no problem")
	}
}

func TestConfigurationsAreNamedByProfileOrFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"c.yaml": "rules: [{name: a}]\n", "c.json": `{"rules":[{"name":"a"}]}`} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if v, err := Config(t.Context(), path); err != nil || v.String() != `{"rules":[{"name":"a"}]}` {
			t.Errorf("%s: %s, %v", name, v, err)
		}
	}
	if v, err := Config(t.Context(), "@roo"); err != nil || len(v.Get("rules").Items()) != 1 {
		t.Errorf("@roo: %s, %v", v, err)
	}
	if _, err := Config(t.Context(), "@rooo"); err == nil || !strings.Contains(err.Error(), `did you mean "@roo"?`) {
		t.Errorf("@rooo: %v", err)
	}
	if _, err := Config(t.Context(), filepath.Join(dir, "none.yaml")); err == nil {
		t.Error("a file that is not there is no problem")
	}
}

func TestWordsNameProfiles(t *testing.T) {
	t.Parallel()
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		words []string
		want  int
	}{
		{nil, 0},
		{[]string{"history", "crow:text"}, 0},
		{[]string{"@roo", "history", "@cline", "@roo"}, 2},
		{[]string{"@opencl*", "@openh*"}, 2},
		{[]string{"@*", "@roo"}, len(all)},
	} {
		if list, err := Named(tt.words); err != nil || len(list) != tt.want {
			t.Errorf("%v: %d profiles, want %d, %v", tt.words, len(list), tt.want, err)
		}
	}
	for _, word := range []string{"@rooo", "@", "@[", "@zz*"} {
		if list, err := Named([]string{word}); err == nil {
			t.Errorf("%s: want an error, got %v", word, list)
		}
	}
}

// TestTheFileOfAProfileIsItsConfiguration, so that what loopstone export writes can be given to witness, replay and tune.
func TestTheFileOfAProfileIsItsConfiguration(t *testing.T) {
	t.Parallel()
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, p := range all {
		path := filepath.Join(folder, p.Name+".yaml")
		if err := os.WriteFile(path, []byte(p.Text), 0o600); err != nil {
			t.Fatal(err)
		}
		config, err := Config(t.Context(), path)
		if err != nil || !config.Equal(p.Config()) {
			t.Errorf("%s configures %v, %v, want %v", path, config, err, p.Config())
		}
	}
}
