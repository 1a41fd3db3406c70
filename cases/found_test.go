package cases_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/loopstone/loopstone/cases"
)

// TestCasesOfProfilesCanBeRead: loopstone fuzz writes them, of a profile and of a port's own rules.
func TestCasesOfProfilesCanBeRead(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ reason, detector, id, want string }{
		{"a profile", "@roo", "@roo-found-1", ""},
		{"own rules", "@my_rules-2", "@my_rules-2-found-1", ""},
		{"a detector that is specified", "guards", "guards-found-1", ""},
		{"an id of another profile", "@roo", "@cline-found-1", "want lower-case words"},
		{"an id without @", "@roo", "roo-found-1", "want lower-case words"},
		{"an id without more", "@roo", "@roo-", "want lower-case words"},
		{"a profile whose name is wrong", "@a b", "@a b-found-1", "(PR-45)"},
		{"a detector that there is not", "mine", "mine-found-1", `unknown detector "mine"; there are `},
	} {
		text := `detector: "` + tt.detector + `"
cases:
  - id: "` + tt.id + `"
    title: Found by generated traces
    clauses: [PR-14]
    source: silent
    why: A port broke this.
    steps:
      - output: {text: ""}
        expect: {loop: false}
`
		_, err := cases.Load(fstest.MapFS{"found.yaml": {Data: []byte(text)}})
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.reason, err, tt.want)
		}
	}
}
