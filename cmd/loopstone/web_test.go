package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// webOf runs the tool with a program that opens no browser, and returns what it prints.
func webOf(t *testing.T, site string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(builtTool, args...)
	cmd.Env = append(os.Environ(), "BROWSER=true", siteEnv+"="+site)
	out, err := cmd.Output()
	return string(out), err
}

func TestShowWebLeadsToThePage(t *testing.T) {
	t.Parallel()
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
			t.Parallel()
			if got, err := webOf(t, test.site, "show", "--web", test.id); err != nil || got != test.want+"\n" {
				t.Errorf("show --web %s prints %q (%v), want %s", test.id, got, err, test.want)
			}
		})
	}
	if out, err := webOf(t, "", "show", "--web", "HI-999"); err == nil || out != "" {
		t.Errorf("an id that nothing has is no error, and prints %q", out)
	}
}

// TestFailuresNameTheirPage: whoever keeps the site names it once, and each failure leads there.
func TestFailuresNameTheirPage(t *testing.T) {
	t.Parallel()
	args := append([]string{"test", "--case", failingCase}, portOf(t, "consecutive.py")...)
	for site, want := range map[string]bool{"https://example.org": true, "": false} {
		out, _ := webOf(t, site, args...)
		if !strings.Contains(out, "FAILED "+failingCase) || strings.Contains(out, "example.org/case/"+failingCase+"\n") != want {
			t.Errorf("with the site %q, does the failure name its page? want %v in\n%s", site, want, out)
		}
	}
}
