package main

import (
	"fmt"
	"strconv"
	"strings"
)

// What a bar measures, in pixels.
const (
	barWidth  = 72
	barHeight = 8
)

// plot is a table of a guide in which each row has a bar. A bar says nothing that its row does not.
type plot struct {
	table  string // how the head of the table begins
	column int    // which cell has the bar, below its number
	share  func(cells []string) (float64, error)
}

// kills draws which share of a package's mutants is killed.
var kills = plot{"| package | mutants |", 2, func(cells []string) (float64, error) {
	mutants, err := strconv.ParseFloat(cells[1], 64)
	if err != nil {
		return 0, err
	}
	killed, err := strconv.ParseFloat(cells[2], 64)
	return killed / max(mutants, 1), err
}}

// floors draws which share of the cases asked the best guess passes.
var floors = plot{"| detector | reading | best guess |", 4, func(cells []string) (float64, error) {
	percent, err := strconv.ParseFloat(strings.TrimSuffix(cells[4], " %"), 64)
	return percent / 100, err
}}

// plot adds bars to the table of a page. It is an error that the page has no such table, or that a row has no numbers.
func (s *site) plot(page string, p plot) error {
	lines := strings.Split(s.pages[page], "\n")
	in, rows := false, 0
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, p.table):
			in = true
		case in && strings.HasPrefix(line, "| "):
			cells := strings.Split(strings.Trim(line, "| "), " | ")
			if len(cells) <= p.column {
				return fmt.Errorf("draw the row %q of %s: it has %d cells", line, page, len(cells))
			}
			share, err := p.share(cells)
			if err != nil {
				return fmt.Errorf("draw the row %q of %s: %w", line, page, err)
			}
			rows++
			cells[p.column] += " " + bar(share)
			lines[i] = "| " + strings.Join(cells, " | ") + " |"
		case !strings.HasPrefix(line, "|"):
			in = false
		}
	}
	if rows == 0 {
		return fmt.Errorf("%s has no table that begins with %q", page, p.table)
	}
	s.pages[page] = strings.Join(lines, "\n")
	return nil
}

// bar draws a share within a frame of the whole.
func bar(share float64) string {
	return fmt.Sprintf(`<svg class="bar" width="%d" height="%d" aria-hidden="true">`+
		`<rect class="share" width="%.1f" height="%d"/>`+
		`<rect class="whole" x="0.5" y="0.5" width="%d" height="%d"/></svg>`,
		barWidth, barHeight, share*barWidth, barHeight, barWidth-1, barHeight-1)
}
