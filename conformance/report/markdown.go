package report

import (
	"fmt"
	"strings"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
)

// maxWhole bounds how many failures of one clause are shown whole: GitHub drops a step summary above 1 MiB.
const maxWhole = 5

// markdownPage is a report in GitHub's Markdown, in the making.
type markdownPage struct {
	b       strings.Builder
	r       *conformance.Report
	options Options
}

// markdown renders the report as a page for a GitHub step summary: the outcome, a table, the failures folded up by
// the clause that they break, the known ones, and what was not checked.
func markdown(r *conformance.Report, options Options) ([]byte, error) {
	m := &markdownPage{r: r, options: options}
	m.options.Verbose = true
	m.printf("## loopstone: %s\n\n", outcomeWord(r))
	m.printf("%s: **%s**%s.\n\n", escaped(identity(r)), escaped(Summary(r)), speed(r))
	m.table()
	m.list("Own rules, not of the specification", ownRuleLines(m.r.Port, rulesInFull))
	m.failures()
	m.list("Problems with the known failures", r.Problems)
	m.list("Known failures, excused", knownLines(r, "%s %s: %s"))
	m.list("Not checked", notChecked(r))
	if command := toDecide(r, options); command != "" {
		m.printf("To decide the run:\n\n    %s\n", command)
	}
	return []byte(m.b.String()), nil
}

func (m *markdownPage) printf(format string, args ...any) { fmt.Fprintf(&m.b, format, args...) }

func (m *markdownPage) table() {
	if len(m.r.Results) == 0 {
		return
	}
	for i, row := range tableOf(m.r, groupBy(m.r.Results, partOf)) {
		m.printf("| %s |\n", strings.Join(lists.Map(row, escaped), " | "))
		if i == 0 {
			m.printf("|---|---|%s\n", strings.Repeat("--:|", len(row)-2))
		}
	}
	m.printf("\n")
}

func (m *markdownPage) failures() {
	groups := bad(m.r)
	if len(groups) == 0 {
		return
	}
	m.printf("### %s\n\n", map[bool]string{false: "Failures", true: "Differences"}[m.r.Settings.Against != nil])
	for _, g := range groups {
		m.printf("<details>\n<summary><b>%s</b>: %s</summary>\n\n", escaped(g.key), wording.Count(len(g.results), "test"))
		if c, ok := m.options.clause(g.key); ok && !g.alike {
			m.printf("> %s, %s: %s\n\n", c.Level, escaped(c.Source), escaped(c.Text))
		}
		for i, result := range g.results {
			m.failure(result, i < maxWhole)
		}
		m.printf("</details>\n\n")
	}
}

// failure shows a failure, whole or in one line.
func (m *markdownPage) failure(result conformance.Result, inFull bool) {
	if !inFull {
		m.printf("- %s: %s\n", escaped(nameOf(result)), escaped(result.Brief()))
		return
	}
	lines := strings.Join(whole(result, m.options), "\n")
	fence := fenceFor(lines)
	m.printf("%s\n%s\n%s\n\n", fence, lines, fence)
}

// fenceFor returns a fence that is longer than any run of backticks in the text.
func fenceFor(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}

func (m *markdownPage) list(headline string, lines []string) {
	if len(lines) == 0 {
		return
	}
	m.printf("### %s\n\n", headline)
	for _, line := range lines {
		m.printf("- %s\n", escaped(line))
	}
	m.printf("\n")
}

// markdownEscape guards every character that means something to Markdown or HTML, or would notify somebody.
var markdownEscape = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "|", `\|`, "~", `\~`, "#", `\#`, "!", `\!`,
	"<", "&lt;", ">", "&gt;", "&", "&amp;", "@", "&#64;",
)

// escaped returns a text in one line, as Markdown that shows it as it is.
func escaped(text string) string { return markdownEscape.Replace(wording.Line(text)) }
