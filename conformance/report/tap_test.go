package report

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec/words"
)

var (
	tapTest = regexp.MustCompile(`^(not )?ok (\d+) - (?:[^#\\]|\\[#\\])*?(?: # (SKIP|TODO) (?:[^#\\]|\\[#\\])*)?$`)
	tapYAML = regexp.MustCompile(`(?ms)^  ---\n(.*?)^  \.\.\.\n`)
)

func TestTAPParsesForAnyReport(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := hostileReport().Draw(t, "report")
		if rapid.Bool().Draw(t, "no problems") {
			r.Problems = nil
		}
		content, err := tap(r, Options{Again: "loopstone test%s"})
		if err != nil {
			t.Fatal(err)
		}
		checkTAP(t, r, string(content))
	})
}

// checkTAP reads a file as a strict consumer does: after version and plan there are comments, test points in turn, and
// below each that fails a block of YAML. Some point fails, and is no TODO, where the run is not conformant.
func checkTAP(t *rapid.T, r *conformance.Report, text string) {
	var points [][]string
	for _, line := range strings.Split(strings.TrimSuffix(tapYAML.ReplaceAllString(text, ""), "\n"), "\n")[2:] {
		if m := tapTest.FindStringSubmatch(line); m != nil {
			points = append(points, m)
		} else if !strings.HasPrefix(line, "# ") {
			t.Fatalf("not a test point: %q", line)
		}
	}
	if plan := fmt.Sprintf("TAP version 13\n1..%d\n", len(points)); !strings.HasPrefix(text, plan) {
		t.Fatalf("%d points in\n%s", len(points), text)
	}
	failed, failing := 0, false
	directives := map[conformance.Status]string{conformance.Skipped: "SKIP", conformance.Known: "TODO"}
	for i, m := range points {
		if m[2] != fmt.Sprint(i+1) {
			t.Fatalf("not the test point %d: %q", i+1, m[0])
		}
		if i < len(r.Results) && m[3] != directives[r.Results[i].Status] {
			t.Fatalf("%s, and the directive is %q: %q", r.Results[i].Status, m[3], m[0])
		}
		if m[1] != "" {
			failed++
			failing = failing || m[3] != "TODO"
		}
	}
	if failing == (r.Outcome() == conformance.Conformant) {
		t.Fatalf("some point fails: %t, but the run is %s", failing, r.Outcome())
	}
	checkBlocks(t, r, tapYAML.FindAllStringSubmatch(text, -1), failed)
}

// checkBlocks reads the blocks of a file, of which there must be so many.
func checkBlocks(t *rapid.T, r *conformance.Report, blocks [][]string, want int) {
	if len(blocks) != want {
		t.Fatalf("%d points fail, and there are %d blocks", want, len(blocks))
	}
	diagnosed := words.Among(r.Results, func(r conformance.Result) bool {
		return r.Status != conformance.Passed && r.Status != conformance.Skipped
	})
	for i, block := range blocks {
		var members map[string]any
		if err := yaml.Unmarshal([]byte(block[1]), &members); err != nil {
			t.Fatalf("%v in\n%s", err, block[1])
		}
		if i < len(diagnosed) && members["why"] != words.Visible(diagnosed[i].Why) {
			t.Fatalf("why is %q, want %q", members["why"], words.Visible(diagnosed[i].Why))
		}
	}
}
