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

// tapPoint is a test point as a consumer reads it.
type tapPoint struct {
	ok        bool
	directive string // SKIP or TODO
	yaml      map[string]any
}

// failing reports whether a consumer counts the point against the run.
func (p tapPoint) failing() bool { return !p.ok && p.directive != "TODO" }

var (
	tapPlan = regexp.MustCompile(`^1\.\.(\d+)$`)
	tapTest = regexp.MustCompile(`^(not )?ok (\d+) - (?:[^#\\]|\\[#\\])*?(?: # (SKIP|TODO) (?:[^#\\]|\\[#\\])*)?$`)
)

// parseTAP is a strict consumer of the part of TAP 13 that the reports use.
func parseTAP(text string) ([]tapPoint, error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) < 2 || lines[0] != "TAP version 13" || !tapPlan.MatchString(lines[1]) {
		return nil, fmt.Errorf("no version and plan in %q", lines[0])
	}
	var points []tapPoint
	var block []string
	inBlock := false
	for _, line := range lines[2:] {
		switch {
		case inBlock && line == "  ...":
			inBlock = false
			if err := yaml.Unmarshal([]byte(strings.Join(block, "\n")), &points[len(points)-1].yaml); err != nil {
				return nil, err
			}
		case inBlock:
			block = append(block, line)
		case line == "  ---" && len(points) > 0:
			inBlock, block = true, nil
		case strings.HasPrefix(line, "# "):
		default:
			m := tapTest.FindStringSubmatch(line)
			if m == nil || m[2] != fmt.Sprint(len(points)+1) {
				return nil, fmt.Errorf("not the test point %d: %q", len(points)+1, line)
			}
			points = append(points, tapPoint{ok: m[1] == "", directive: m[3]})
		}
	}
	if inBlock || lines[1] != fmt.Sprintf("1..%d", len(points)) {
		return nil, fmt.Errorf("%d points, plan %s, within a block: %t", len(points), lines[1], inBlock)
	}
	return points, nil
}

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
		points, err := parseTAP(string(content))
		if err != nil {
			t.Fatalf("%v in\n%s", err, content)
		}
		checkTAP(t, r, points)
	})
}

// checkTAP checks test points against the results that they are made of.
func checkTAP(t rapid.TB, r *conformance.Report, points []tapPoint) {
	directives := map[conformance.Status]string{conformance.Skipped: "SKIP", conformance.Known: "TODO"}
	for i, result := range r.Results {
		p := points[i]
		if p.directive != directives[result.Status] {
			t.Fatalf("result %d is %s, its directive is %q", i+1, result.Status, p.directive)
		}
		if diagnosed := p.yaml != nil; diagnosed == p.ok {
			t.Fatalf("point %d: ok %t, diagnosed %t", i+1, p.ok, diagnosed)
		}
		if p.yaml != nil && p.yaml["why"] != words.Visible(result.Why) {
			t.Fatalf("point %d: why is %q, want %q", i+1, p.yaml["why"], words.Visible(result.Why))
		}
	}
	failing := false
	for _, p := range points {
		failing = failing || p.failing()
	}
	if failing == (r.Outcome() == conformance.Conformant) {
		t.Fatalf("some point fails: %t, but the run is %s", failing, r.Outcome())
	}
}
