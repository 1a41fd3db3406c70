package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// Difference is something that two reports of a port say otherwise.
type Difference struct {
	Of      string // "the run", "the summary", the name of a test, or what the port declares
	Path    string // which field it is, such as result.config; empty if it is no single field
	Was, Is string // what each report says, in one line; empty: nothing

	Before, After *conformance.Result // of a test; nil in a report that does not have it
	Part          *conformance.Part   // that the port declares in one of both reports
}

// mostShown bounds how much one line has of what a report says, in characters.
const mostShown = 161

// String returns the difference in one line, for someone who verifies the earlier report.
func (d Difference) String() string {
	switch {
	case d.isLost():
		return d.Of + ": no longer declared"
	case d.Part != nil:
		return d.Of + ": newly declared"
	}
	of := d.what()
	if of != d.Of {
		of = d.Of + ": " + of
	}
	return fmt.Sprintf("%s: now %s; the report says %s", of, shown(d.Is), shown(d.Was))
}

// what names the field that differs, or what else does.
func (d Difference) what() string {
	if _, field, isField := strings.Cut(d.Path, "."); isField {
		return field
	}
	return d.Of
}

func shown(text string) string {
	if text == "" {
		return "nothing"
	}
	return wording.Cut(text, mostShown)
}

// isLost reports whether the port no longer declares something.
func (d Difference) isLost() bool { return d.Part != nil && d.Is == "" }

// Regressed reports whether the difference is a test that passed and does not any more.
func (d Difference) Regressed() bool {
	return stateOf(d.Before) == right && d.After != nil && stateOf(d.After) != right
}

// Compare returns all in which a report differs from an earlier one, but for the order in which the port declares
// something, the tests' order, and whether a failure is known. A test that failed otherwise, or did not fail in both,
// is one difference; one that ended in the same way, one for each field that differs. What a report counts of its
// results is compared with them. The caller decides what it minds.
func Compare(was, is *conformance.Report) []Difference {
	was, is = bounded(was), bounded(is)
	return slices.Concat(
		compareRuns(was, is),
		compareResults(was.Results, is.Results),
		compareFields(Difference{Of: "the summary"}, fieldsOf(summaryOf(was)), fieldsOf(summaryOf(is))),
	)
}

// compareRuns compares what each report says of its run, but not what the run found.
func compareRuns(was, is *conformance.Report) []Difference {
	fields := compareFields(Difference{Of: "the run"}, fieldsOf(runOf(was)), fieldsOf(runOf(is)))
	return append(compareOffers(was.Port, is.Port), fields...)
}

// declared is what a report says of a part that the port declares.
const declared = "declared"

// compareOffers compares what a port declares, part by part, and then what is no part, such as own rules.
func compareOffers(was, is conformance.PortInfo) (differences []Difference) {
	for _, part := range conformance.OnlyIn(was, is) {
		differences = append(differences, Difference{Of: wording.Line(part.String()), Was: declared, Part: &part})
	}
	for _, part := range conformance.OnlyIn(is, was) {
		differences = append(differences, Difference{Of: wording.Line(part.String()), Is: declared, Part: &part})
	}
	for _, before := range was.Detectors {
		after, known := is.Offer(before.Detector)
		isNamed := func(d Difference) bool { return d.Part != nil && d.Part.Detector == before.Detector }
		if !known || slices.ContainsFunc(differences, isNamed) {
			continue
		}
		d := Difference{Of: "what the port declares of " + string(before.Detector), Path: "run"}
		if d.Was, d.Is = asText(inOrder(before)), asText(inOrder(after)); d.Was != d.Is {
			differences = append(differences, d)
		}
	}
	return differences
}

// inOrder returns an offer with its lists sorted: their order means nothing.
func inOrder(o spec.Offer) spec.Offer {
	o.Readings, o.Features = slices.Sorted(slices.Values(o.Readings)), slices.Sorted(slices.Values(o.Features))
	o.Rules, o.Members, o.Settings = slices.Clone(o.Rules), slices.Clone(o.Members), slices.Clone(o.Settings)
	slices.Sort(o.Rules) // one that is not declared is not the empty one
	slices.Sort(o.Members)
	slices.Sort(o.Settings)
	return o
}

// compareResults compares tests by their names, in the order of the later report.
func compareResults(was, is []conformance.Result) (differences []Difference) {
	before := map[string]*conformance.Result{}
	for i := range was {
		before[was[i].Name()] = &was[i]
	}
	for i := range is {
		r := &is[i]
		differences = append(differences, compareResult(before[r.Name()], r)...)
		delete(before, r.Name())
	}
	for i := range was {
		if r := &was[i]; before[r.Name()] == r {
			differences = append(differences, compareResult(r, nil)...)
		}
	}
	return differences
}

func compareResult(was, is *conformance.Result) []Difference {
	d := Difference{Before: was, After: is}
	if was != nil {
		d.Of, d.Was = was.Name(), was.End()
	}
	if is != nil {
		d.Of, d.Is = is.Name(), is.End()
	}
	if was == nil || is == nil || !endAlike(was, is) {
		return []Difference{d}
	}
	return compareFields(d, fieldsOf(resultLine{Type: resultType, Result: *was}),
		fieldsOf(resultLine{Type: resultType, Result: *is}))
}

// endAlike reports whether both tests failed, and in the same way, or neither failed and their status is the same.
func endAlike(was, is *conformance.Result) bool {
	if was.Status.IsFailure() && is.Status.IsFailure() {
		return was.End() == is.End()
	}
	return was.Status == is.Status
}

// fields are the members of a line of a jsonl report, as JSON by their paths.
type fields map[string]string

// compareFields returns a difference for each field that differs, by the path.
func compareFields(of Difference, was, is fields) (differences []Difference) {
	paths := maps.Clone(was)
	maps.Copy(paths, is)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if was[path] != is[path] {
			of.Path, of.Was, of.Is = path, was[path], is[path]
			differences = append(differences, of)
		}
	}
	return differences
}

// other are the fields that are compared otherwise, or follow from others.
var other = []string{
	"run.port.detectors", "result.status", "summary.outcome", "summary.exit", "summary.counts", "summary.protocol",
	"summary.changes",
}

// fieldsOf returns the fields of a line of a jsonl report.
func fieldsOf(line any) fields {
	var members map[string]any
	if err := json.Unmarshal([]byte(asText(line)), &members); err != nil {
		panic(fmt.Errorf("a report is plain data: %w", err))
	}
	read := fields{}
	kind, _ := members["type"].(string)
	read.add(kind, members)
	for _, path := range other {
		maps.DeleteFunc(read, func(p, _ string) bool { return IsBelow(p, path) })
	}
	return read
}

// add adds the members of an object, and of the objects in it. A list is one field.
func (f fields) add(path string, members map[string]any) {
	for name, value := range members {
		if inner, is := value.(map[string]any); is {
			f.add(path+"."+name, inner)
			continue
		}
		f[path+"."+name] = asText(value)
	}
}

// IsBelow reports whether a path is a field, or below it.
func IsBelow(path, field string) bool { return path == field || strings.HasPrefix(path, field+".") }

func asText(value any) string {
	text, err := encoded("", value)
	if err != nil {
		panic(fmt.Errorf("a report is plain data: %w", err))
	}
	return strings.TrimSuffix(string(text), "\n")
}
