package main

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// webOf runs the tool with a program that opens no browser, and returns what it prints and its exit code.
func webOf(t *testing.T, site string, args ...string) (string, conformance.Outcome) {
	t.Helper()
	t.Setenv("BROWSER", "true")
	t.Setenv(siteEnv, site)
	var out bytes.Buffer
	outcome := dispatch(t.Context(), streams{in: strings.NewReader(""), out: &out, err: io.Discard}, args)
	return out.String(), outcome
}

func TestShowWebLeadsToThePage(t *testing.T) {
	tests := []struct{ reason, site, id, want string }{
		{"a clause", "", "HI-6", usualSite + "c/HI-6"},
		{"a case, on a site of one's own", "https://example.org/l", "history-third-identical-call", "https://example.org/l/case/history-third-identical-call"},
		{"a profile", "", "@roo", usualSite + "profile/roo"},
		{"a detector", "", "crow", usualSite + "detector/crow"},
		{"a claim", "", "D2-9", usualSite + "claims/D2#d2-9"},
		{"small letters", "", "hi-6", usualSite + "c/HI-6"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			got, outcome := webOf(t, test.site, "show", "--web", test.id)
			if outcome != conformance.Conformant || got != test.want+"\n" {
				t.Errorf("show --web %s prints %q (%s), want %s", test.id, got, outcome, test.want)
			}
		})
	}
	if out, outcome := webOf(t, "", "show", "--web", "HI-999"); outcome != conformance.Usage || out != "" {
		t.Errorf("an id that nothing has is %s, and prints %q", outcome, out)
	}
}

// TestFailuresNameTheirPage: whoever keeps the site names it once, and each failure leads there.
func TestFailuresNameTheirPage(t *testing.T) {
	args := append([]string{"test", "--case", failingCase}, portOf(t, "consecutive.py")...)
	for site, want := range map[string]bool{"https://example.org": true, "": false} {
		out, _ := webOf(t, site, args...)
		if !strings.Contains(out, "FAILED "+failingCase) || strings.Contains(out, "example.org/case/"+failingCase+"\n") != want {
			t.Errorf("with the site %q, does the failure name its page? want %v in\n%s", site, want, out)
		}
	}
}
