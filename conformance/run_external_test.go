package conformance_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// casesOf returns the built-in cases of a detector.
func casesOf(t *testing.T, detector spec.DetectorID) []cases.Case {
	t.Helper()
	all, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	selected, err := cases.Selection{Detectors: []string{string(detector)}}.Select(all)
	if err != nil {
		t.Fatal(err)
	}
	return selected
}

// host returns a port of one detector that offers no optional feature.
func host(impl spec.Implementation, features ...spec.Feature) spec.Port {
	impl.Features = features
	return spec.NewHost(spec.Description{Name: "broken", Version: "1", Language: "go"}, impl)
}

// with returns an implementation whose detectors are made from a changed configuration.
func with(impl spec.Implementation, change func(spec.Value) spec.Value) spec.Implementation {
	made := impl.New
	impl.New = func(r spec.Reading, config spec.Value) (spec.Detector, error) {
		if _, err := made(r, config); err != nil {
			return nil, err
		}
		return made(r, change(config))
	}
	return impl
}

// defaulting sets a member of the configuration where there is none.
func defaulting(name string, value int) func(spec.Value) spec.Value {
	return func(config spec.Value) spec.Value {
		if config.IsAbsent() {
			config = spec.ObjectValue()
		}
		if !config.Get(name).IsAbsent() {
			return config
		}
		return config.With(name, spec.IntValue(value))
	}
}

func lastRun(calls []string) int {
	n := 0
	for i := len(calls) - 1; i >= 0 && calls[i] == calls[len(calls)-1]; i-- {
		n++
	}
	return n
}

// ExampleRun judges a detector in Go, in this process.
func ExampleRun() {
	all, err := cases.All()
	if err != nil {
		panic(err)
	}
	selected, err := cases.Selection{Detectors: []string{"ralph"}}.Select(all)
	if err != nil {
		panic(err)
	}
	report, err := conformance.Run(context.Background(), reference.Port(), selected, conformance.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(report.Outcome())
	// Output: conformant
}
