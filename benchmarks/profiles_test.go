package benchmarks_test

import (
	"fmt"
	"testing"

	"github.com/loopstone/loopstone/internal/bench/workload"
	"github.com/loopstone/loopstone/internal/profile"
	"github.com/loopstone/loopstone/reference/composed"
	"github.com/loopstone/loopstone/spec"
)

// BenchmarkProfile measures what one event costs composed with the rules of each detector of the field, all of whose
// windows are short, or long: decoded calls and their results, no pipe. An event is to cost the same in both.
func BenchmarkProfile(b *testing.B) {
	profiles, err := profile.All()
	if err != nil {
		b.Fatal(err)
	}
	for _, p := range profiles {
		for _, size := range []int{30, 1000} {
			for _, name := range []string{"healthy", "tight-loop"} {
				w, err := workload.Find(spec.Composed, name)
				if err != nil {
					b.Fatal(err)
				}
				w.Config = windowed(p.Config(), size)
				b.Run(fmt.Sprintf("profile=%s/window=%d/workload=%s", p.Name, size, name), func(b *testing.B) {
					observe(b, composed.Implementation(), spec.Code, w)
					b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
				})
			}
		}
	}
}

// windowed returns the configuration with that size of every window: of all members called last, at any depth.
func windowed(v spec.Value, size int) spec.Value {
	switch v.Kind() {
	case spec.Array:
		items := make([]spec.Value, len(v.Items()))
		for i, item := range v.Items() {
			items[i] = windowed(item, size)
		}
		return spec.ArrayValue(items...)
	case spec.Object:
		for _, m := range v.Members() {
			value := windowed(m.Value, size)
			if m.Name == "last" {
				value = spec.IntValue(size)
			}
			v = v.With(m.Name, value)
		}
		return v
	default:
		return v
	}
}
