package report

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// outsideFences returns the lines of a page that are no code, and fails where a fence stays open.
func outsideFences(t rapid.TB, page string) []string {
	var lines []string
	fence := ""
	for _, line := range strings.Split(page, "\n") {
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence == "" && len(ticks) >= 3:
			fence = ticks
		case fence != "" && line == fence:
			fence = ""
		case fence != "" && len(ticks) >= len(fence):
			t.Fatalf("the code closes its fence: %q", line)
		case fence == "":
			lines = append(lines, line)
		}
	}
	if fence != "" {
		t.Fatalf("a fence stays open in\n%s", page)
	}
	return lines
}

func TestMarkdownOfAnyReportKeepsItsStructure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := hostileReport().Draw(t, "report")
		content, err := markdown(r, Options{})
		if err != nil {
			t.Fatal(err)
		}
		page := strings.Join(outsideFences(t, string(content)), "\n")
		groups := len(bad(r))
		for _, tag := range []string{"<details>", "</details>", "<summary>", "</summary>"} {
			if n := strings.Count(page, tag); n != groups {
				t.Fatalf("%d times %s, want %d:\n%s", n, tag, groups, page)
			}
		}
		if n := strings.Count(page, "<"); n != 6*groups { // details, summary and b, each opened and closed
			t.Fatalf("%d tags, want %d:\n%s", n, 6*groups, page)
		}
		checkTable(t, page)
	})
}

// checkTable checks that every row of the table has as many cells as its head.
func checkTable(t rapid.TB, page string) {
	head := 0
	for _, line := range strings.Split(page, "\n") {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		bare := strings.ReplaceAll(strings.ReplaceAll(line, `\\`, ""), `\|`, "")
		n := strings.Count(bare, "|")
		if head == 0 {
			head = n
		}
		if n != head || n < 5 {
			t.Fatalf("a row with %d bars, below a head with %d: %s", n, head, line)
		}
	}
}

func TestMarkdownStaysBelowGitHubsLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("a report of 2,000 failures: make long runs it")
	}
	const limit = 1 << 20
	if n := len(rendered(t, "markdown", many(2000), sampleOptions())); n > limit {
		t.Errorf("2000 failures take %d bytes; GitHub drops a summary above %d", n, limit)
	}
}
