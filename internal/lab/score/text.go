package score

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
)

// leastWidth is the narrowest page: below it, names would not fit into a line.
const leastWidth = 40

// WriteText writes the report for a terminal of that many columns. A table that is wider is written as a list.
func (r *Report) WriteText(w io.Writer, width int) error { return writeText(w, width, r.sections()...) }

func writeText(w io.Writer, width int, sections ...section) error {
	p := &page{width: max(width, leastWidth)}
	for _, s := range sections {
		p.section(s)
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// page is a text of a bounded width.
type page struct {
	strings.Builder
	width int
}

func (p *page) section(s section) {
	if p.Len() > 0 {
		p.WriteByte('\n')
	}
	p.hang("", strings.ToUpper(s.Title))
	for _, line := range s.Lines {
		p.hang("  ", line)
	}
	if len(s.Head) == 0 {
		return
	}
	lines := s.table()
	if slices.ContainsFunc(lines, func(line string) bool { return utf8.RuneCountInString(line) > p.width }) {
		p.list(s)
		return
	}
	fmt.Fprintln(p, strings.Join(lines, "\n"))
}

// table returns the rows in columns, a line for each.
func (s section) table() []string {
	var b strings.Builder
	columns := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{s.Head}, s.Rows...) {
		fmt.Fprintln(columns, "  "+strings.Join(row, "\t"))
	}
	_ = columns.Flush() // a Builder takes everything
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	return lists.Map(lines, func(line string) string { return strings.TrimRight(line, " ") })
}

// list writes each row as a heading and a line for each of the other cells.
func (p *page) list(s section) {
	indent := 0
	for _, name := range s.Head[1:] {
		indent = max(indent, utf8.RuneCountInString(name))
	}
	for _, row := range s.Rows {
		p.hang("  ", row[0])
		for i, cell := range row[1:] {
			if cell != "" {
				p.hang(fmt.Sprintf("    %-*s  ", indent, s.Head[i+1]), cell)
			}
		}
	}
}

// hang writes a text after its first words, and further lines of it below where it began.
func (p *page) hang(first, text string) {
	room := max(1, p.width-utf8.RuneCountInString(first))
	for _, line := range wording.Wrap(text, room) {
		fmt.Fprintln(p, strings.TrimRight(first+line, " "))
		first = strings.Repeat(" ", utf8.RuneCountInString(first))
	}
}

// WriteMarkdown writes the report as Markdown, with tables.
func (r *Report) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	for i, s := range r.sections() {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "## %s\n", markdown(s.Title))
		for _, line := range s.Lines {
			fmt.Fprintf(&b, "\n%s\n", markdown(line))
		}
		if len(s.Head) == 0 {
			continue
		}
		b.WriteByte('\n')
		s.writeMarkdown(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (s section) writeMarkdown(b *strings.Builder) {
	writeMarkdownRow(b, s.Head)
	b.WriteString("|" + strings.Repeat("---|", len(s.Head)) + "\n")
	for _, row := range s.Rows {
		writeMarkdownRow(b, row)
	}
}

// ScoresMarkdown returns the table of scores alone.
func (r *Report) ScoresMarkdown() string {
	var b strings.Builder
	r.scores().writeMarkdown(&b)
	return b.String()
}

func writeMarkdownRow(b *strings.Builder, cells []string) {
	b.WriteByte('|')
	for _, cell := range cells {
		b.WriteString(" " + markdown(cell) + " |")
	}
	b.WriteByte('\n')
}

// markdown takes the meaning from the signs that a name may hold.
func markdown(text string) string {
	return strings.NewReplacer(
		`\`, `\\`, "|", `\|`, "<", "&lt;", "&", "&amp;", "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "#", `\#`,
	).Replace(text)
}
