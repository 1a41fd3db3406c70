package growth

import "math"

// exponent fits y = c·xᵏ and returns k: the slope of the least-squares line through the logarithms. It assumes at
// least two different x, and that all numbers are above 0.
func exponent(points []point) float64 {
	var sumX, sumY, sumXX, sumXY float64
	for _, p := range points {
		x, y := math.Log(p.x), math.Log(p.y)
		sumX, sumY, sumXX, sumXY = sumX+x, sumY+y, sumXX+x*x, sumXY+x*y
	}
	n := float64(len(points))
	return (n*sumXY - sumX*sumY) / (n*sumXX - sumX*sumX)
}

// point is one measurement.
type point struct{ x, y float64 }
