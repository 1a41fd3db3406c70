package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	fenced   = regexp.MustCompile("(?ms)^```.*?^```$")
	heading  = regexp.MustCompile(`(?m)^#+ (.*)$`)
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	noInSlug = regexp.MustCompile(`[^\p{L}\p{N}\s_-]`)
)

// slugs returns the anchors of a page: its headings, as GitHub names them.
func slugs(page string) (list []string) {
	for _, m := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		text := noInSlug.ReplaceAllString(strings.ToLower(strings.TrimSpace(m[1])), "")
		list = append(list, strings.ReplaceAll(text, " ", "-"))
	}
	return list
}

// brokenLinks returns the targets of a page's links within the repository that lead nowhere.
func brokenLinks(file, page string) (broken []string) {
	for _, m := range link.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		path, anchor, _ := strings.Cut(m[1], "#")
		if strings.Contains(path, "://") {
			continue
		}
		target := page
		if path != "" {
			text, err := os.ReadFile(filepath.Join(filepath.Dir(file), path))
			if _, missing := os.Stat(filepath.Join(filepath.Dir(file), path)); missing != nil {
				broken = append(broken, m[1])
				continue
			}
			if err != nil { // a folder
				continue
			}
			target = string(text)
		}
		if anchor != "" && !slices.Contains(slugs(target), anchor) {
			broken = append(broken, m[1])
		}
	}
	return broken
}

func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	links := 0
	for _, pattern := range []string{"*.md", "dev/*.md", "*/README.md", "../*.md", "../cases/*.md", "../benchmarks/*.md", "../spec/clauses/*.md"} {
		files, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("no files %s: %v", pattern, err)
		}
		for _, file := range files {
			page := readDoc(t, file)
			links += strings.Count(page, "](")
			for _, target := range brokenLinks(file, page) {
				t.Errorf("%s has a link to %s, which leads nowhere", file, target)
			}
		}
	}
	if links < 100 {
		t.Errorf("only %d links were found", links)
	}
}

func TestABrokenLinkIsFound(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ reason, page, want string }{
		{"a page", "[a](ci.md)", ""},
		{"an anchor", "[a](ci.md#exit-codes)", ""},
		{"a heading of its own", "# Exit `codes`\n[a](#exit-codes)", ""},
		{"a folder", "[a](../recordings)", ""},
		{"another site", "[a](https://example.org/x.md)", ""},
		{"a page that does not exist", "[a](porting.md)", "porting.md"},
		{"an anchor that does not exist", "[a](ci.md#exit)", "ci.md#exit"},
		{"in a block of code", "```\n[a](porting.md)\n```\n", ""},
	} {
		if got := strings.Join(brokenLinks("ci.md", test.page), " "); got != test.want {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}
