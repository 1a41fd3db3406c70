package compare

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// Source is one side of a comparison.
type Source struct {
	Label string
	Text  io.Reader
}

// Options say what is compared.
type Options struct {
	// AnyMachine compares results of different machines, too.
	AnyMachine bool
}

// series names the values of one benchmark in one unit.
type series struct{ config, unit, name string }

// side is what one source holds.
type side struct {
	label    string
	values   map[series][]float64
	order    []series       // as the results come
	calls    map[string]int // of the measured function, by the name of the benchmark
	machines map[string]bool
	units    benchfmt.UnitMetadataMap
}

// read reads one source. It is an error where it holds no result.
func read(source Source, options Options) (*side, error) {
	s := &side{label: source.Label, values: map[series][]float64{}, calls: map[string]int{}, machines: map[string]bool{}}
	results := benchfmt.NewReader(source.Text, source.Label)
	for results.Scan() {
		switch record := results.Result().(type) {
		case *benchfmt.Result:
			s.add(record, options)
		case *benchfmt.SyntaxError:
			return nil, fmt.Errorf("read results: %w", record)
		}
	}
	if err := results.Err(); err != nil {
		return nil, fmt.Errorf("read results of %s: %w", source.Label, err)
	}
	if len(s.order) == 0 {
		return nil, fmt.Errorf("read results: %s holds none", source.Label)
	}
	s.units = results.Units()
	return s, nil
}

// add takes in one line of results.
func (s *side) add(result *benchfmt.Result, options Options) {
	name, processors := benchmarkName(result.Name)
	machine, config := []string{}, []string{}
	for _, c := range result.Config {
		line := c.Key + ": " + string(c.Value)
		isMachine := slices.Contains([]string{"goos", "goarch", "cpu", "processors"}, c.Key)
		if isMachine {
			machine = append(machine, line)
		}
		if !isMachine || !options.AnyMachine {
			config = append(config, line)
		}
	}
	s.machines[strings.Join(append(machine, processors), ", ")] = true
	if !options.AnyMachine {
		name += processors
	}
	s.calls[name] += result.Iters
	for _, v := range result.Values {
		key := series{strings.Join(config, "\n"), v.Unit, name}
		if len(s.values[key]) == 0 {
			s.order = append(s.order, key)
		}
		s.values[key] = append(s.values[key], v.Value)
	}
}

// benchmarkName splits what Go appends to a name, the number of processors, from it.
func benchmarkName(n benchfmt.Name) (name, processors string) {
	base, parts := n.Parts()
	name = string(base)
	for _, part := range parts {
		if part[0] == '-' {
			processors = string(part)
		} else {
			name += string(part)
		}
	}
	return strings.TrimPrefix(name, "Benchmark"), processors
}

// machine names where the results of a side come from.
func (s *side) machine() string {
	return strings.Join(slices.Sorted(maps.Keys(s.machines)), " and ")
}

// title names a benchmark and its package.
func (k series) title() string {
	for line := range strings.SplitSeq(k.config, "\n") {
		if pkg, found := strings.CutPrefix(line, "pkg: "); found {
			return k.name + " of " + pkg
		}
	}
	return k.name
}
