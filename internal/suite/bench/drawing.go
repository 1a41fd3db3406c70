package bench

import (
	"fmt"
	"html"
	"io"
	"math"
	"strings"
	"time"
)

// Places of the drawing, in pixels.
const left, right, top, bottom = 70, 570, 40, 390

// colours of the curves, told apart by people who see colours differently (Okabe and Ito).
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"}

// dashes tell those apart that share a colour.
var dashes = []string{"none", "5 3", "1 3"}

// WriteSVG draws what an event costs against the length of the trace, both on logarithmic scales: a curve that lies
// flat does not grow.
func WriteSVG(w io.Writer, title string, curves []Curve) error {
	points, fastest, slowest := curves[0].Points, math.Inf(1), 0.0
	for _, c := range curves {
		for _, p := range c.Points {
			fastest, slowest = min(fastest, p.decade()), max(slowest, p.decade())
		}
	}
	fastest, slowest = math.Floor(fastest), math.Floor(slowest)+1
	x := func(i int) int { return left + (right-left)*i/(len(points)-1) }
	y := func(decade float64) float64 { return bottom - (bottom-top)*(decade-fastest)/(slowest-fastest) }
	var text strings.Builder
	fmt.Fprintf(&text, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 430" font-family="sans-serif"
font-size="12">
<rect width="100%%" height="100%%" fill="#fff"/><text x="%d" y="24">%s: time per event, by events observed</text>
`, left, html.EscapeString(title))
	for d := fastest; d <= slowest; d++ {
		fmt.Fprintf(&text, `<path d="M%d %.1fH%d" stroke="#ddd"/><text x="5" y="%.1f">%s</text>`+"\n",
			left, y(d), right, y(d)+4, time.Duration(math.Pow(10, d)))
	}
	for i, p := range points {
		fmt.Fprintf(&text, `<text x="%d" y="%d" text-anchor="middle">%d</text>`+"\n", x(i), bottom+20, p.Events)
	}
	for i, c := range curves {
		fmt.Fprintf(&text, `<g fill="none" stroke="%s" stroke-dasharray="%s"><path d="`,
			colours[i%len(colours)], dashes[i/len(colours)%len(dashes)])
		for j, p := range c.Points {
			fmt.Fprintf(&text, "%s%d %.1f", "ML"[min(j, 1):][:1], x(j), y(p.decade()))
		}
		fmt.Fprintf(&text, `M%d %dh14"/></g><text x="%d" y="%d">%s n^%.2f</text>`+"\n",
			right+10, top+18*i, right+28, top+4+18*i, html.EscapeString(c.Name()), c.Exponent())
	}
	_, err := io.WriteString(w, text.String()+"</svg>\n")
	return err
}

// decade is the logarithm of what an event of the trace cost, in nanoseconds.
func (p Point) decade() float64 { return math.Log10(max(float64(p.PerEvent), 1)) }
