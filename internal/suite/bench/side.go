package bench

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchproc"
	"golang.org/x/perf/benchunit"
)

// Source is one side of a comparison.
type Source struct {
	Label string
	Text  io.Reader
}

// grouping says which values belong together, as benchstat does: those of one configuration, unit and benchmark.
type grouping struct {
	machine, table, row *benchproc.Projection
	unit                *benchproc.Field
}

// ofMachine are the parts of a result that tell machines apart.
const ofMachine = "goos,goarch,cpu,processors,/gomaxprocs"

// newGrouping returns how to group the results of both sides; with anyMachine those of all machines belong together.
func newGrouping(anyMachine bool) (grouping, error) {
	var machine, others benchproc.ProjectionParser
	var g grouping
	var problems [4]error
	g.machine, problems[0] = machine.Parse(ofMachine, nil)
	if anyMachine {
		_, problems[1] = others.Parse(ofMachine, nil) // so that what follows is without it
	}
	g.table, g.unit, problems[2] = others.ParseWithUnit(".config", nil)
	g.row, problems[3] = others.Parse(".fullname", nil)
	return g, errors.Join(problems[:]...)
}

// config returns the configuration of a table, a line for each of its parts.
func (g grouping) config(table benchproc.Key) string {
	var lines []string
	for _, f := range g.table.FlattenedFields() {
		if value := table.Get(f); value != "" && f != g.unit {
			lines = append(lines, f.Name+": "+value)
		}
	}
	return strings.Join(lines, "\n")
}

// series names the values of one benchmark in one unit.
type series struct{ table, row benchproc.Key }

// title names a benchmark and its package.
func (g grouping) title(key series) string {
	for _, f := range g.table.FlattenedFields() {
		if pkg := key.table.Get(f); f.Name == "pkg" && pkg != "" {
			return key.row.StringValues() + " of " + pkg
		}
	}
	return key.row.StringValues()
}

// side is what one source holds.
type side struct {
	label    string
	values   map[series][]float64
	order    []series // as the results come
	machines map[benchproc.Key]bool
	units    benchfmt.UnitMetadataMap
}

// read reads one source. It is an error where it holds no result.
func (g grouping) read(source Source) (*side, error) {
	s := &side{label: source.Label, values: map[series][]float64{}, machines: map[benchproc.Key]bool{}}
	results := benchfmt.NewReader(source.Text, source.Label)
	for results.Scan() {
		switch record := results.Result().(type) {
		case *benchfmt.Result:
			if err := checkValues(record); err != nil {
				return nil, err
			}
			g.add(s, record)
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

// checkValues refuses what nobody can have measured. Statistics of it have no sense, or no end.
func checkValues(result *benchfmt.Result) error {
	for _, v := range result.Values {
		if !(v.Value >= 0) || math.IsInf(v.Value, 0) {
			file, line := result.Pos()
			return fmt.Errorf("read results: %s:%d: %v %s: want a finite value of at least 0", file, line, v.Value, v.Unit)
		}
	}
	return nil
}

// add takes in one line of results. The reader leaves a value of 0 in its own unit, such as ns, and gives all others in
// seconds and bytes, so that the two would be different series.
func (g grouping) add(s *side, result *benchfmt.Result) {
	for i, v := range result.Values {
		result.Values[i].Value, result.Values[i].Unit = benchunit.Tidy(v.Value, v.Unit)
	}
	s.machines[g.machine.Project(result)] = true
	row := g.row.Project(result)
	for i, table := range g.table.ProjectValues(result) {
		key := series{table, row}
		if len(s.values[key]) == 0 {
			s.order = append(s.order, key)
		}
		s.values[key] = append(s.values[key], result.Values[i].Value)
	}
}

// machine names where the results of a side come from.
func (s *side) machine() string {
	var names []string
	for key := range maps.Keys(s.machines) {
		names = append(names, key.String())
	}
	slices.Sort(names)
	return strings.Join(names, " and ")
}
