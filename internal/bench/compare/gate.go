package compare

import (
	"fmt"
	"math"
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

// Finding is one benchmark that got worse by more than the gate lets through.
type Finding struct {
	Benchmark, Unit string
	Delta           float64 // as [Row.Delta]
	P               float64
}

// String tells what got worse, in one line.
func (f Finding) String() string {
	if f.Counted() {
		return fmt.Sprintf("%s: %s: %+.1f%%: allocations are counted, not measured, so that any more of them is a change", f.Benchmark, f.Unit, 100*f.Delta)
	}
	return fmt.Sprintf("%s: %s: %+.1f%% (p=%.3f)", f.Benchmark, f.Unit, 100*f.Delta, f.P)
}

// Counted reports whether it is allocations that there are more of.
func (f Finding) Counted() bool { return isCount(f.Unit) }

// Judge returns what got worse. A measured unit must have changed beyond doubt and by more than the gate; the number
// of allocations, which is nearly the same in every run, must not grow at all: it did where every new value is above
// every old one. (Go rounds it down, so that half an allocation per event is 0 in some runs and 1 in others.) Units of
// which nobody can say what is better are left alone.
func (c *Comparison) Judge(gate Gate) []Finding {
	var findings []Finding
	for _, t := range c.Tables {
		for _, row := range t.Rows {
			if t.isWorse(row, gate) {
				findings = append(findings, Finding{row.Name, t.Unit, row.Delta(), row.Test.P})
			}
		}
	}
	return findings
}

func (t Table) isWorse(row Row, gate Gate) bool {
	if isCount(t.Unit) {
		return row.Above
	}
	return row.Changed() && t.slowdown(row) > float64(gate)
}

// slowdown returns by which fraction the new value is worse than the old one, whichever direction is better: twice the
// time and half the throughput are both 1. It is negative for what got better.
func (t Table) slowdown(row Row) float64 {
	switch t.Better {
	case -1:
		return row.Delta()
	case 1:
		return row.Old.Center/row.New.Center - 1
	default:
		return 0
	}
}

// isCount reports whether values of the unit are counted.
func isCount(unit string) bool { return strings.HasPrefix(unit, "allocs/") }

// Noise is the largest difference, in either direction, between the medians of two sets that should be equal.
type Noise struct {
	Benchmark, Unit string
	Delta           float64 // a fraction, not negative
}

// Noise returns how far apart the two sides are where they should be equal, at the benchmark where they are furthest.
// Allocations are no part of it.
func (c *Comparison) Noise() Noise {
	var most Noise
	for _, t := range c.Tables {
		for _, row := range t.Rows {
			if t.Better == 0 || isCount(t.Unit) {
				continue
			}
			slower := t.slowdown(row)
			if slower < 0 { // as seen from the other side
				slower = 1/(1+slower) - 1
			}
			if slower > most.Delta {
				most = Noise{row.Name, t.Unit, slower}
			}
		}
	}
	return most
}
