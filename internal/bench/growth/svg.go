package growth

import (
	"fmt"
	"html"
	"io"
	"math"
	"strings"
)

// The drawing's measures, in pixels.
const (
	width, height                = 760, 440
	left, right, top, bottom     = 70, 190, 40, 50
	plotWidth, plotHeight        = width - left - right, height - top - bottom
	legendStep, legendTextOffset = 18, 16
)

// colours of the curves, told apart by people who see colours differently (Okabe and Ito), and by dashes once more.
var colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"}

// WriteSVG draws what an event costs against the length of the trace, both on logarithmic scales: a curve that lies
// flat does not grow.
func WriteSVG(w io.Writer, title string, curves []Curve) error {
	c := newCanvas(curves)
	fmt.Fprintf(&c.text, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", width, height)
	fmt.Fprintf(&c.text, `<title>%s</title><rect width="100%%" height="100%%" fill="#fff"/>`+"\n", html.EscapeString(title))
	fmt.Fprintf(&c.text, `<text x="%d" y="24" font-size="15">%s: time per event, by events observed</text>`+"\n", left, html.EscapeString(title))
	c.axes(curves[0].Points)
	for i, curve := range curves {
		c.curve(i, curve)
	}
	c.text.WriteString("</svg>\n")
	if _, err := io.WriteString(w, c.text.String()); err != nil {
		return fmt.Errorf("write the drawing: %w", err)
	}
	return nil
}

// canvas turns numbers into places.
type canvas struct {
	text             strings.Builder
	fewest, most     float64 // events
	fastest, slowest float64 // nanoseconds, powers of ten
}

func newCanvas(curves []Curve) *canvas {
	c := &canvas{fewest: math.Inf(1), fastest: math.Inf(1)}
	for _, curve := range curves {
		for _, p := range curve.Points {
			c.fewest, c.most = min(c.fewest, float64(p.Events)), max(c.most, float64(p.Events))
			cost := max(float64(p.PerEvent()), 1)
			c.fastest, c.slowest = min(c.fastest, cost), max(c.slowest, cost)
		}
	}
	c.fastest = math.Pow(10, math.Floor(math.Log10(c.fastest)))
	c.slowest = math.Pow(10, math.Floor(math.Log10(c.slowest))+1)
	return c
}

func (c *canvas) x(events int) float64 {
	return left + plotWidth*share(float64(events), c.fewest, c.most)
}

func (c *canvas) y(nanoseconds float64) float64 {
	return top + plotHeight*(1-share(nanoseconds, c.fastest, c.slowest))
}

// share returns how far v lies on the way from one number to the other, by their logarithms.
func share(v, from, to float64) float64 {
	if from == to {
		return 0
	}
	return math.Log(v/from) / math.Log(to/from)
}

func (c *canvas) axes(points []Point) {
	for cost := c.fastest; cost <= c.slowest*1.01; cost *= 10 {
		y := c.y(cost)
		fmt.Fprintf(&c.text, `<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#ddd"/>`, left, left+plotWidth, y, y)
		fmt.Fprintf(&c.text, `<text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n", left-8, y+4, costLabel(cost))
	}
	for _, p := range points {
		fmt.Fprintf(&c.text, `<text x="%.1f" y="%d" text-anchor="middle">%d</text>`+"\n", c.x(p.Events), top+plotHeight+20, p.Events)
	}
}

func costLabel(nanoseconds float64) string {
	switch {
	case nanoseconds >= 1e6:
		return fmt.Sprintf("%g ms", math.Round(nanoseconds/1e6))
	case nanoseconds >= 1e3:
		return fmt.Sprintf("%g µs", math.Round(nanoseconds/1e3))
	default:
		return fmt.Sprintf("%g ns", math.Round(nanoseconds))
	}
}

// curve draws one curve and its line of the legend.
func (c *canvas) curve(i int, curve Curve) {
	colour := colours[i%len(colours)]
	dashes := ""
	if i >= len(colours) {
		dashes = ` stroke-dasharray="5 3"`
	}
	var places []string
	for _, p := range curve.Points {
		places = append(places, fmt.Sprintf("%.1f,%.1f", c.x(p.Events), c.y(max(float64(p.PerEvent()), 1))))
	}
	fmt.Fprintf(&c.text, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"%s/>`+"\n", strings.Join(places, " "), colour, dashes)
	x, y := left+plotWidth+12, top+8+i*legendStep
	fmt.Fprintf(&c.text, `<line x1="%d" x2="%d" y1="%d" y2="%d" stroke="%s" stroke-width="2"%s/>`, x, x+12, y, y, colour, dashes)
	fmt.Fprintf(&c.text, `<text x="%d" y="%d">%s n^%.2f</text>`+"\n", x+legendTextOffset, y+4, html.EscapeString(curve.Name()), curve.Exponent())
}
