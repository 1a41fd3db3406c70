package site

import (
	"fmt"
	"strconv"
	"strings"
)

// What a bar measures, in pixels.
const (
	barWidth  = 160
	barHeight = 14
)

// part is a piece of a bar: its share of the whole, and the class that the style of the site draws it by.
type part struct {
	share float64
	class string
}

// plot is a table of a guide that gets a column with a bar for each row. A bar says nothing that its row does not.
type plot struct {
	table string                                 // how the head of the table begins
	title string                                 // of the column
	parts func(cells []string) ([]part, []error) // of the bar of a row
}

// shares draws what became of the mutants of a package.
var shares = plot{"| package | mutants |", "killed, equivalent, out of scope", func(cells []string) ([]part, []error) {
	var parts []part
	var problems []error
	all, err := strconv.ParseFloat(cells[1], 64)
	problems = append(problems, err)
	for i, class := range []string{"killed", "equivalent", "aside", "survived"} {
		n, err := strconv.ParseFloat(cells[2+i], 64)
		parts, problems = append(parts, part{n / max(all, 1), class}), append(problems, err)
	}
	return parts, problems
}}

// floors draws what share of the cases asked the best guess passes.
var floors = plot{"| detector | reading | best guess |", "0 to 100 % of the cases asked", func(cells []string) ([]part, []error) {
	percent, err := strconv.ParseFloat(strings.TrimSuffix(cells[4], " %"), 64)
	return []part{{percent / 100, "killed"}}, []error{err}
}}

// plot adds bars to the table of a page. It is an error that the page has no such table, or that a row has no numbers.
func (s *site) plot(page string, p plot) error {
	lines := strings.Split(s.pages[page], "\n")
	in, rows := false, 0
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, p.table):
			in = true
			lines[i] += " " + p.title + " |"
		case in && strings.HasPrefix(line, "|--"):
			lines[i] += "---|"
		case in && strings.HasPrefix(line, "| "):
			parts, problems := p.parts(cellsOf(line))
			for _, problem := range problems {
				if problem != nil {
					return fmt.Errorf("draw the row %q of %s: %w", line, page, problem)
				}
			}
			rows++
			lines[i] += " " + bar(parts) + " |"
		default:
			in = false
		}
	}
	if rows == 0 {
		return fmt.Errorf("%s has no table that begins with %q", page, p.table)
	}
	s.pages[page] = strings.Join(lines, "\n")
	return nil
}

// cellsOf returns the cells of a row of a table in Markdown.
func cellsOf(row string) []string {
	cells := strings.Split(strings.Trim(row, "|"), "|")
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells
}

// bar draws the parts one after the other, within a frame of the whole.
func bar(parts []part) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="bar" width="%d" height="%d" aria-hidden="true">`, barWidth, barHeight)
	at := 0.0
	for _, p := range parts {
		width := p.share * barWidth
		if width > 0 {
			fmt.Fprintf(&b, `<rect class="%s" x="%.1f" width="%.1f" height="%d"/>`, p.class, at, width, barHeight)
		}
		at += width
	}
	fmt.Fprintf(&b, `<rect class="frame" x="0.5" y="0.5" width="%d" height="%d"/>`, barWidth-1, barHeight-1)
	return b.String() + "</svg>"
}
