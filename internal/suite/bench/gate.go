package bench

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Gate is how much worse a benchmark may get, as a fraction: 0.25 lets through what is up to 25 % slower.
type Gate float64

// ParseGate reads a gate such as "25%".
func ParseGate(text string) (Gate, error) {
	number, isPercent := strings.CutSuffix(text, "%")
	percent, err := strconv.ParseFloat(number, 64)
	if err != nil || !isPercent || !(percent > 0) || math.IsInf(percent, 0) {
		return 0, fmt.Errorf("read a gate: want percents above 0, such as 25%%, got %q", text)
	}
	return Gate(percent / 100), nil
}

// String returns the gate as [ParseGate] reads it.
func (g Gate) String() string { return strconv.FormatFloat(100*float64(g), 'f', -1, 64) + "%" }

// Slowdown is how many times as bad the new values are as the old ones, whichever direction is better: twice the time
// and half the throughput are both 2.
type Slowdown struct {
	// Lo and Hi bound it: the Hodges–Lehmann interval, which goes with the U-test. Mid is its estimate.
	Lo, Mid, Hi float64
	// Best compares the best value of each side: other programs can make a run slower, none can make it faster.
	Best float64
}

// String tells the interval in percents.
func (s Slowdown) String() string {
	percent := func(ratio float64) float64 { return 100 * (ratio - 1) }
	return short(fmt.Sprintf("%+.1f%% (%+.1f%% to %+.1f%%; the best of each: %+.1f%%)",
		percent(s.Mid), percent(s.Lo), percent(s.Hi), percent(s.Best)))
}

// deviations is how many standard deviations the interval reaches to either side: 99 of 100 intervals hold the truth.
const deviations = 2.576

// slowdownOf compares sorted values, of which less is better, or more.
func slowdownOf(old, new []float64, moreIsBetter bool) Slowdown {
	best := ratio(old[0], new[0])
	if moreIsBetter {
		old, new = new, old
		best = ratio(old[len(old)-1], new[len(new)-1])
	}
	var ratios []float64
	for _, x := range old {
		for _, y := range new {
			ratios = append(ratios, ratio(x, y))
		}
	}
	slices.Sort(ratios)
	n, m, all := float64(len(old)), float64(len(new)), len(ratios)
	outside := max(int(n*m/2-0.5-deviations*math.Sqrt(n*m*(n+m+1)/12)), 0)
	return Slowdown{ratios[outside], (ratios[all/2] + ratios[(all-1)/2]) / 2, ratios[all-1-outside], best}
}

// ratio returns y/x, which is 1 where both are 0.
func ratio(x, y float64) float64 {
	if x == y {
		return 1
	}
	return y / x
}

// Findings returns what got worse by more than the gate lets through, and what may have, one benchmark and unit in a
// line. Two kinds of units are judged: times and allocations.
//
//   - An allocation is counted, not measured, so any growth is worse: every new value is above every old one. (Go
//     rounds down: half an allocation per event is 0 in some runs and 1 in others.)
//   - A time is fine where its whole interval and the best values lie within the gate, and worse where both lie beyond
//     it. Between the two it is unclear. Where both sides have the processor's time, it stands for wall time too: other
//     programs disturb it far less.
//
// Memory, throughput and percentiles are shown beside them, and not judged.
func (c *Comparison) Findings(gate Gate) (worse, unclear []string) {
	most := 1 + float64(gate)
	for _, t := range c.Tables {
		for _, row := range t.Rows {
			line, s := fmt.Sprintf("%s: %s: %s", row.Name, t.Unit, row.Slowdown), row.Slowdown
			switch {
			case isCount(t.Unit) && row.Above:
				worse = append(worse, line+": allocations are counted, not measured, so that any more of them is a change")
			case !isTime(t.Unit) || t.Unit != cpuTime && c.has(row.Name, cpuTime):
			case s.Lo > most && s.Best > most:
				worse = append(worse, line)
			case s.Hi > most || s.Best > most:
				unclear = append(unclear, line)
			}
		}
	}
	return worse, unclear
}

// has reports whether the benchmark was compared in the unit.
func (c *Comparison) has(name, unit string) bool {
	return slices.ContainsFunc(c.Tables, func(t Table) bool {
		return t.Unit == unit && slices.ContainsFunc(t.Rows, func(row Row) bool { return row.Name == name })
	})
}

// isCount reports whether values of the unit are counted.
func isCount(unit string) bool { return strings.HasPrefix(unit, "allocs/") }

// cpuTime is the unit of the processor's time, as our own benchmarks report it.
const cpuTime = "cpu-sec/event"

// isTime reports whether the unit is what a benchmark is about: percentiles and memory stand beside it.
func isTime(unit string) bool { return unit == "sec/op" || unit == "sec/event" || unit == cpuTime }

// isJudged reports whether a gate looks at the unit. Less of it is better, whatever the results say.
func isJudged(unit string) bool { return isTime(unit) || isCount(unit) }
