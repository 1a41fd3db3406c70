package spec_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// TestIDsHaveAGrammar: an id that looks like another one, or means something to whatever prints it, is none.
func TestIDsHaveAGrammar(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reason, id, want string // an empty want: it is an id
	}{
		{"a detector", "history", ""},
		{"a profile", "@gemini-cli-stream", ""},
		{"rules of one's own", "@mine_2", ""},
		{"the longest", "@" + strings.Repeat("a", spec.MostID-1), ""},
		{"one longer", "@" + strings.Repeat("a", spec.MostID), `it has 65 characters`},
		{"a Cyrillic letter", "@rоo", `"@r\u043eo" is no id of a detector: U+043E is not allowed`},
		{"a blank that nobody sees", "@roo\u200b", "U+200B is not allowed"},
		{"a right-to-left mark", "@\u202eoor", "U+202E is not allowed"},
		{"what reports call the protocol", "protocol", `"protocol" is no id of a detector: reports give it`},
		{"the same as a profile", "@protocol", `"@protocol" is no id of a detector: reports give it`},
		{"what only begins so", "protocol-2", ""},
		{"no name", "@", `"@" is no id of a detector: it is empty`},
		{"nothing", "", "it is empty"},
		{"a pattern", "@*", "'*' is not allowed"},
		{"a list", "@a,b", "',' is not allowed"},
		{"a place", "@a:code", "':' is not allowed"},
		{"a quote", `@a"b`, `'"' is not allowed`},
		{"a line end and a workflow command", "@mine\n::error::x", `"@mine\n::error::x" is no id of a detector: U+000A`},
		{"an escape of a terminal", "@a\x1b[2J", "U+001B is not allowed"},
		{"no UTF-8", "@a\xff", "U+FFFD is not allowed"},
		{"two @", "@@roo", "'@' is not allowed"},
		{"a capital looks like another letter", "@cIine", "'I' is not allowed"},
		{"a digit first", "@9roo", "it does not begin with a letter"},
		{"a flag", "-x", "it does not begin with a letter"},
		{"a very long one is cut", strings.Repeat("é", 9999), "U+00E9"},
	} {
		check(t, test.reason, test.want, spec.CheckID(spec.DetectorID(test.id)))
	}
	for _, test := range []struct{ reason, name, want string }{
		{"a setting", "fuzzy_threshold", ""},
		{"a feature", "int-float", ""},
		{"one of JavaScript", "maxRepeats", ""},
		{"an id", "@roo", `"@roo" is no name: '@' is not allowed`},
		{"a list", "a,b", "',' is not allowed"},
		{"a blank", "a b", "' ' is not allowed"},
	} {
		check(t, test.reason, test.want, spec.CheckName(test.name))
	}
}

func check(t *testing.T, reason, want string, err error) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("%s: %v", reason, err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("%s: got the error %v, want %q", reason, err, want)
	case err != nil && len(err.Error()) > 900:
		t.Errorf("%s: the message has %d bytes", reason, len(err.Error()))
	}
}

// TestOurOwnNamesKeepToTheGrammar holds the table and the profiles to what ports are held to.
func TestOurOwnNamesKeepToTheGrammar(t *testing.T) {
	t.Parallel()
	for _, d := range spec.Detectors() {
		check(t, "a detector", "", spec.CheckID(d.ID))
		for _, list := range [][]string{
			lists.Strings(d.Readings), lists.Strings(d.Features), lists.Strings(d.Kinds()), d.Members(), d.SettingNames(),
		} {
			for _, name := range list {
				check(t, "of "+string(d.ID), "", spec.CheckName(name))
			}
		}
	}
	files, err := fs.Glob(spec.ProfileFiles(), "*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("profiles: %q, %v", files, err)
	}
	for _, file := range files {
		check(t, "a profile", "", spec.CheckID(spec.DetectorID("@"+strings.TrimSuffix(file, ".yaml"))))
	}
}
