package compare

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchproc"
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

// machineKeys are the configuration that tells one machine from another.
const machineKeys = "goos,goarch,cpu,processors,/gomaxprocs"

// reader sorts results into tables and rows; both sides go through the same one, so that their keys can be compared.
type reader struct {
	machine  *benchproc.Projection
	table    *benchproc.Projection
	unit     *benchproc.Field
	row      *benchproc.Projection
	metadata benchfmt.UnitMetadataMap

	thresholds benchmath.Thresholds
	tables     []benchproc.Key // in the order of their first results
	rows       []benchproc.Key
	seen       map[benchproc.Key]bool
}

// side is what one source holds.
type side struct {
	samples map[place][]float64
	calls   map[benchproc.Key]int
	machine map[string]bool
}

func newReader(options Options) (*reader, error) {
	r := &reader{thresholds: benchmath.DefaultThresholds, metadata: benchfmt.UnitMetadataMap{}, seen: map[benchproc.Key]bool{}}
	everything, err := benchproc.NewFilter("*")
	if err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	var parser, apart benchproc.ProjectionParser
	if r.machine, err = apart.Parse(machineKeys, everything); err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	if options.AnyMachine { // what is projected here is in no table or row
		if _, err := parser.Parse(machineKeys, everything); err != nil {
			return nil, fmt.Errorf("compare: %w", err)
		}
	}
	if r.table, r.unit, err = parser.ParseWithUnit(".config", everything); err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	if r.row, err = parser.Parse(".fullname", everything); err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	return r, nil
}

func (r *reader) read(source Source) (*side, error) {
	s := &side{samples: map[place][]float64{}, calls: map[benchproc.Key]int{}, machine: map[string]bool{}}
	results := benchfmt.NewReader(source.Text, source.Label)
	for results.Scan() {
		switch record := results.Result().(type) {
		case *benchfmt.Result:
			r.add(s, record)
		case *benchfmt.SyntaxError:
			return nil, fmt.Errorf("read results: %w", record)
		}
	}
	if err := results.Err(); err != nil {
		return nil, fmt.Errorf("read results of %s: %w", source.Label, err)
	}
	if len(s.samples) == 0 {
		return nil, fmt.Errorf("read results: %s holds none", source.Label)
	}
	maps.Copy(r.metadata, results.Units())
	return s, nil
}

func (r *reader) add(s *side, result *benchfmt.Result) {
	s.machine[r.machine.Project(result).String()] = true
	row := r.row.Project(result)
	r.note(row, &r.rows)
	s.calls[row] += result.Iters
	for i, table := range r.table.ProjectValues(result) {
		r.note(table, &r.tables)
		p := place{table, row}
		s.samples[p] = append(s.samples[p], result.Values[i].Value)
	}
}

func (r *reader) note(key benchproc.Key, list *[]benchproc.Key) {
	if !r.seen[key] {
		r.seen[key] = true
		*list = append(*list, key)
	}
}

// machines names where the results of a side come from.
func (s *side) machines() string {
	return strings.Join(slices.Sorted(maps.Keys(s.machine)), " and ")
}

// title names a benchmark and its package, but not the unit.
func (r *reader) title(p place) string {
	name := p.row.StringValues()
	for _, field := range r.table.FlattenedFields() {
		if value := p.table.Get(field); field.Name == "pkg" && value != "" {
			name += " of " + value
		}
	}
	return name
}

// config returns a table's configuration without the unit.
func (r *reader) config(table benchproc.Key) string {
	var parts []string
	for _, field := range r.table.FlattenedFields() {
		if value := table.Get(field); field != r.unit && value != "" {
			parts = append(parts, field.Name+": "+value)
		}
	}
	return strings.Join(parts, "\n")
}
