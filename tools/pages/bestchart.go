package pages

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/internal/lab/score"
)

// The measures of the picture, in pixels. Its axes end where few detectors lie beyond.
const (
	pictureWidth, pictureHeight = 720, 460
	pictureLeft, pictureBottom  = 60, 400
	pictureRight, pictureTop    = 690, 20
	mostAlarms                  = 0.30 // of the healthy runs, at the right end of the axis
)

// Chart draws the loops of the same that are found over the false alarms: of @loopstone, with its thresholds moved, and
// of the detectors of the field.
func (b *Best) Chart(dark bool) string {
	ink, paper, grid, ours := "#24292f", "#ffffff", "#d0d7de", "#0969da"
	if dark {
		ink, paper, grid, ours = "#e6edf3", "#0d1117", "#30363d", "#58a6ff"
	}
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" font-family="sans-serif" font-size="12" fill="%s">`+"\n",
		pictureWidth, pictureHeight, ink)
	fmt.Fprintf(&out, `<title>Loops of the same that are found, over healthy runs with a false alarm</title>`+"\n")
	fmt.Fprintf(&out, `<rect width="%d" height="%d" fill="%s"/>`+"\n", pictureWidth, pictureHeight, paper)
	for i := 0; i <= 10; i += 2 {
		_, y := pictured(0, float64(i)/10)
		fmt.Fprintf(&out, `<path d="M%d %.1f H%d" stroke="%s"/><text x="%d" y="%.1f" text-anchor="end">%d %%</text>`+"\n",
			pictureLeft, y, pictureRight, grid, pictureLeft-8, y+4, 10*i)
	}
	for i := 0; i <= 30; i += 5 {
		x, _ := pictured(float64(i)/100, 0)
		fmt.Fprintf(&out, `<path d="M%.1f %d V%d" stroke="%s"/><text x="%.1f" y="%d" text-anchor="middle">%d %%</text>`+"\n",
			x, pictureBottom, pictureTop, grid, x, pictureBottom+18, i)
	}
	fmt.Fprintf(&out, `<text x="%d" y="%d" text-anchor="middle">healthy runs with a false alarm</text>`+"\n",
		(pictureLeft+pictureRight)/2, pictureBottom+40)
	fmt.Fprintf(&out, `<text transform="translate(16 %d) rotate(-90)" text-anchor="middle">loops of the same that are found</text>`+"\n",
		(pictureTop+pictureBottom)/2)
	for _, v := range b.Variants {
		if shareOf(v.Stops.FalseAlarms) > mostAlarms {
			continue
		}
		dot(&out, v.Stops, ours, 2.5)
	}
	names := &captions{}
	names.write(&out, dot(&out, b.Whole.Stops, ours, 6), "@loopstone, stops", ours)
	names.write(&out, dot(&out, b.Whole.All, ours, 6), "@loopstone, with warnings", ours)
	for _, g := range b.together() {
		names.write(&out, dot(&out, g[0], ink, 3), namesOf(g), ink)
	}
	out.WriteString("</svg>\n")
	return out.String()
}

// leastNamed is the share of the loops from which on a detector of the field is named.
const leastNamed = 0.15

// together returns the detectors of the field that the picture has room for, the best first; those whose dots touch are
// one group.
func (b *Best) together() (groups [][]score.Row) {
	rows := slices.DeleteFunc(slices.Clone(b.field), func(row score.Row) bool {
		return row.Profile == "@loopstone" || shareOf(row.FalseAlarms) > mostAlarms
	})
	slices.SortStableFunc(rows, func(x, y score.Row) int { return int(1e6 * (shareOf(y.Same) - shareOf(x.Same))) })
	for _, row := range rows {
		x, y := pictured(shareOf(row.FalseAlarms), shareOf(row.Same))
		i := slices.IndexFunc(groups, func(g []score.Row) bool {
			gx, gy := pictured(shareOf(g[0].FalseAlarms), shareOf(g[0].Same))
			return math.Abs(x-gx) < 7 && math.Abs(y-gy) < 7
		})
		if i < 0 {
			groups = append(groups, []score.Row{row})
		} else {
			groups[i] = append(groups[i], row)
		}
	}
	return groups
}

// namesOf returns the names of detectors that find enough to be named.
func namesOf(rows []score.Row) string {
	if shareOf(rows[0].Same) < leastNamed {
		return ""
	}
	var names []string
	for _, row := range rows {
		names = append(names, row.Name())
	}
	return strings.Join(names, ", ")
}

func shareOf(s score.Share) float64 {
	rate, _ := s.Rate()
	return rate
}

// pictured returns where two shares lie.
func pictured(alarms, found float64) (x, y float64) {
	return pictureLeft + alarms/mostAlarms*(pictureRight-pictureLeft), pictureBottom - found*(pictureBottom-pictureTop)
}

// dot draws a detector, and returns where its name begins.
func dot(out *strings.Builder, row score.Row, colour string, radius float64) (at [2]float64) {
	x, y := pictured(shareOf(row.FalseAlarms), shareOf(row.Same))
	fmt.Fprintf(out, `<circle cx="%.1f" cy="%.1f" r="%.1f" fill="%s"/>`+"\n", x, y, radius, colour)
	return [2]float64{x + radius + 4, y + 4}
}

// captions are the places of names, so that none covers another.
type captions struct{ taken [][3]float64 }

// write writes a name at a place, or below it where another name is.
func (c *captions) write(out *strings.Builder, at [2]float64, name, colour string) {
	if name == "" {
		return
	}
	width := 6.5 * float64(len(name)) // about
	for slices.ContainsFunc(c.taken, func(other [3]float64) bool {
		return math.Abs(at[1]-other[1]) < 12 && at[0] < other[0]+other[2] && other[0] < at[0]+width
	}) {
		at[1]++
	}
	c.taken = append(c.taken, [3]float64{at[0], at[1], width})
	fmt.Fprintf(out, `<text x="%.1f" y="%.1f" fill="%s">%s</text>`+"\n", at[0], at[1], colour, html.EscapeString(name))
}
