package score

import (
	"fmt"
	"html"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
)

// The chart's sides in its own units. The plot lies within the margins.
const (
	chartWidth, chartHeight = 480, 360
	left, right             = 52, 24
	top, bottom             = 16, 48
	legendLine              = 18
)

// Chart draws the sweeps as an SVG: what is found over what is alarmed at in vain, a line for each detector.
func (r *Report) Chart() string {
	var b strings.Builder
	height := chartHeight + legendLine*(len(r.Curves)+1)
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" class="curves" viewBox="0 0 %d %d" `+
		`role="img" aria-label="%s" font-family="sans-serif" font-size="12">`+"\n%s\n", chartWidth, height,
		"share of the loops found, over the share of healthy runs with a false alarm", chartStyle)
	drawAxes(&b)
	for i, c := range r.Curves {
		c.draw(&b, colours[i%len(colours)], i)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// chartStyle makes the texts readable on white and on black, be the SVG a file of its own or a part of a page.
const chartStyle = `<style>.curves text { fill: #57606a } ` +
	`@media (prefers-color-scheme: dark) { .curves text { fill: #a3adb8 } }</style>`

// colours are told apart on white and on black, and by people who are colour-blind (Okabe and Ito).
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00"}

func drawAxes(b *strings.Builder) {
	for i := 0; i <= 4; i++ {
		share := float64(i) / 4
		at := place(share, share)
		fmt.Fprintf(b, `<path d="M%.1f %d V%d M%d %.1f H%d" stroke="#777" stroke-opacity="0.3"/>`+"\n",
			at.x, top, chartHeight-bottom, left, at.y, chartWidth-right)
		fmt.Fprintf(b, `<text x="%.1f" y="%d" text-anchor="middle">%d %%</text>`+"\n", at.x, chartHeight-bottom+16, i*25)
		fmt.Fprintf(b, `<text x="%d" y="%.1f" text-anchor="end">%d %%</text>`+"\n", left-6, at.y+4, i*25)
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">healthy runs with a false alarm</text>`+"\n",
		(left+chartWidth-right)/2, chartHeight-10)
	fmt.Fprintf(b, `<text transform="translate(12 %d) rotate(-90)" text-anchor="middle">loops found</text>`+"\n",
		(top+chartHeight-bottom)/2)
}

// point is a place in the plot.
type point struct{ x, y float64 }

// place returns where two shares lie in the plot.
func place(falseAlarms, recall float64) point {
	return point{left + falseAlarms*(chartWidth-left-right), chartHeight - bottom - recall*(chartHeight-top-bottom)}
}

func (r Row) place() point {
	falseAlarms, _ := r.FalseAlarms.Rate()
	recall, _ := r.Recall.Rate()
	return place(falseAlarms, recall)
}

// draw draws one curve and its line of the legend.
func (c Curve) draw(b *strings.Builder, colour string, line int) {
	var path, marks strings.Builder
	for i, p := range c.Points {
		fmt.Fprintf(&path, "%s%.1f %.1f", [2]string{"L", "M"}[count(i == 0)], p.place().x, p.place().y)
	}
	for i, points := range lists.Grouped(c.Points, Row.place) { // points that fall together share a label
		at := points[0].place()
		y := at.y - 6 - float64(line%3)*9
		if i%2 == 1 { // below, where the neighbour's is above
			y = at.y + 15 + float64(line%3)*9
		}
		fmt.Fprintf(&marks, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/><text x="%.1f" y="%.1f">%s</text>`+"\n",
			at.x, at.y, colour, at.x+6, y, stretches(lists.Map(points, func(p Row) int { return p.Sweep.Value })))
	}
	fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n%s", path.String(), colour, marks.String())
	y := chartHeight + legendLine*line + legendLine/2
	fmt.Fprintf(b, `<path d="M%d %d h24" stroke="%s" stroke-width="2"/><text x="%d" y="%d">%s, %s</text>`+"\n",
		left, y, colour, left+32, y+4, html.EscapeString(wording.Line(c.Name)), html.EscapeString(c.Setting))
}

// stretches writes ascending numbers, those that follow on one another as a stretch.
func stretches(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		end := i
		for end+1 < len(numbers) && numbers[end+1] == numbers[end]+1 {
			end++
		}
		part := strconv.Itoa(numbers[i])
		if end > i {
			part += "–" + strconv.Itoa(numbers[end])
		}
		parts, i = append(parts, part), end+1
	}
	return strings.Join(parts, ", ")
}
