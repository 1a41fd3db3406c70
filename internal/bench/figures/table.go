package main

import (
	"fmt"
	"slices"
	"strings"
)

// table is a table in Markdown.
type table struct {
	head []string
	rows [][]string
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) markdown() string {
	if len(t.rows) == 0 {
		return "Nothing to compare with was there.\n"
	}
	var text strings.Builder
	line := func(cells []string) { fmt.Fprintf(&text, "| %s |\n", strings.Join(cells, " | ")) }
	line(t.head)
	text.WriteString("|" + strings.Repeat(" --- |", len(t.head)) + "\n")
	for _, row := range t.rows {
		line(row)
	}
	return text.String()
}

// median returns the middle of at least one number, of an even count the mean of the two in the middle.
func median(numbers []float64) float64 {
	sorted := slices.Sorted(slices.Values(numbers))
	n := len(sorted)
	return (sorted[n/2] + sorted[(n-1)/2]) / 2
}

func times(ratio float64) string { return fmt.Sprintf("%.3g ×", ratio) }

// nanoseconds writes a time with three digits, in the unit in which it reads best.
func nanoseconds(ns float64) string {
	switch {
	case ns >= 1e6:
		return fmt.Sprintf("%.3g ms", ns/1e6)
	case ns >= 1e3:
		return fmt.Sprintf("%.3g µs", ns/1e3)
	default:
		return fmt.Sprintf("%.3g ns", ns)
	}
}

// perSecond writes a rate in thousands.
func perSecond(rate float64) string {
	if rate < 10_000 {
		return fmt.Sprintf("%.0f", rate)
	}
	return fmt.Sprintf("%.0f k", rate/1e3)
}
