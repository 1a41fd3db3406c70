package composed_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/internal/testing/detectortest"
	"github.com/loopstone/loopstone/reference/composed"
	"github.com/loopstone/loopstone/spec"
)

// rule sets of which each pattern has a window, or counts without one.
var ruleSets = map[string]string{
	"run":         `{"rules":[{"rungs":[{"at":5}]}]}`,
	"run-results": `{"rules":[{"same":{"results":"text"},"rungs":[{"at":5}]}]}`,
	"among":       `{"rules":[{"pattern":{"sort":"among","last":%d},"rungs":[{"at":25}]}]}`,
	"highest":     `{"rules":[{"pattern":{"sort":"among","last":%d,"counts":"highest"},"rungs":[{"at":25}]}]}`,
	"streak":      `{"rules":[{"same":{"results":"text"},"pattern":{"sort":"streak","last":%d},"rungs":[{"at":25}]}]}`,
	"revisit":     `{"rules":[{"pattern":{"sort":"revisit","last":%d},"rungs":[{"at":25}]}]}`,
	"cycle":       `{"rules":[{"same":{"results":"text"},"pattern":{"sort":"cycle","from":1,"to":5},"rungs":[{"at":5}]}]}`,
}

// sized returns a configuration with a window, where it has one.
func sized(config string, window int) string {
	return strings.Replace(config, "%d", strconv.Itoa(window), 1)
}

// BenchmarkWindow shows what an event costs by the size of the window, of which among, streak and revisit look at every item:
// calls of 97 sorts, each with its result.
func BenchmarkWindow(b *testing.B) {
	var events []spec.Event
	for i := range 97 {
		args := fmt.Sprintf(`{"path":"src/package/file%d.go","limit":200,"offset":%d}`, i, 10*i)
		events = append(events, spec.Event{Type: spec.ToolCall, Tool: "read_file", Args: spec.MustParse(args)},
			spec.Event{Type: spec.ToolResult, Content: fmt.Sprintf("package p // %d", i), OK: true})
	}
	for name, config := range ruleSets {
		for _, window := range []int{30, 1000} {
			b.Run(fmt.Sprintf("rules=%s/window=%d", name, window), func(b *testing.B) {
				d := detectortest.Open(b, spec.Composed, composed.New, spec.Code, spec.MustParse(sized(config, window)))
				i := 0
				for b.Loop() {
					e := events[i%len(events)]
					e.Index = i
					d.Observe(e)
					i++
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
			})
		}
	}
}
