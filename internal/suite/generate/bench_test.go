package generate_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/generate"
	"github.com/loopstone/loopstone/spec"
)

// BenchmarkDraw measures what a subject costs: less than playing it to a port in another process.
func BenchmarkDraw(b *testing.B) {
	for _, definition := range spec.Detectors() {
		offer := spec.Offer{Detector: definition.ID, Readings: definition.Readings, Features: definition.Features}
		for _, reading := range definition.Readings {
			draw := generate.For(offer, reading)
			b.Run(string(definition.ID)+"-"+string(reading), func(b *testing.B) {
				b.ReportAllocs()
				generator := rapid.Custom(func(t *rapid.T) fuzz.Subject { return draw(t) })
				steps := 0
				for i := range b.N {
					steps += len(generator.Example(i).Steps)
				}
				b.ReportMetric(float64(steps)/float64(b.N), "steps/op")
			})
		}
	}
}
