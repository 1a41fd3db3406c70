package conformance_test

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/spec"
)

func TestReportSchemaHasTheMembersOfTheGoTypes(t *testing.T) {
	t.Parallel()
	definitions := schemaSource(t, "report").Get("$defs")
	for definition, value := range map[string]any{
		"suite": conformance.SuiteInfo{}, "port": conformance.PortInfo{}, "offer": conformance.OfferInfo{},
		"result": conformance.Result{}, "failure": conformance.Failure{}, "difference": conformance.Difference{},
		"settings": conformance.Settings{}, "selection": conformance.Selection{},
	} {
		want := jsonNames(reflect.TypeOf(value))
		var got []string
		for _, m := range definitions.Get(definition).Get("properties").Members() {
			if m.Name != "type" {
				got = append(got, m.Name)
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("members of %s (-want +got):\n%s", definition, diff)
		}
	}
}

// jsonNames returns the names that the members of a struct have in JSON, sorted.
func jsonNames(typ reflect.Type) []string {
	var names []string
	for i := range typ.NumField() {
		name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func TestReportSchemaAcceptsEveryLineOfReports(t *testing.T) {
	t.Parallel()
	schema := compileSchema(t, "report")
	for name, r := range map[string]*conformance.Report{"of all statuses": fullReport(), "of nothing": {}} {
		var b bytes.Buffer
		started := time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC)
		if err := report.Write("jsonl", &b, r, report.Options{Started: started}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			v := spec.MustParse(line)
			if err := check(schema, v); err != nil {
				t.Errorf("report %s: %s\n%v", name, line, err)
			}
			checkMembersKnown(t, v)
		}
	}
}

// checkMembersKnown demands that the schema describes every member that is really written.
func checkMembersKnown(t *testing.T, line spec.Value) {
	t.Helper()
	typ := textOf(line.Get("type"))
	known := schemaSource(t, "report").Get("$defs").Get(typ).Get("properties")
	for _, m := range line.Members() {
		if known.Get(m.Name).IsAbsent() {
			t.Errorf("the schema does not describe the member %s of a line of type %s", m.Name, typ)
		}
	}
}

func TestReportSchemaRefusesWhatIsNoLine(t *testing.T) {
	t.Parallel()
	schema := compileSchema(t, "report")
	for line, reason := range map[string]string{
		`{"type":"end"}`: "no such type",
		`{"suite":{}}`:   "the type is missing",
		`{"type":"run"}`: "a run without suite and port",
		`{"type":"result","case":"a","detector":"crow","title":"t","clauses":["CR-1"],"file":"f","line":1,"why":"w","status":"ok"}`:     "no such status",
		`{"type":"result","case":"a","detector":"crow","title":"t","clauses":[],"file":"f","line":1,"why":"w","status":"passed"}`:       "no clause",
		`{"type":"result","case":"a","detector":"crow","title":"t","clauses":["CR-1"],"file":"f","line":1,"why":"w","status":"failed"}`: "a failure that is not described",
		`{"type":"summary","outcome":"conformant","exit":0,"counts":{"passed":1},"restarts":0,"events":1,"elapsed_ns":1}`:               "statuses are not counted",
	} {
		if check(schema, spec.MustParse(line)) == nil {
			t.Errorf("accepted, but %s: %s", reason, line)
		}
	}
}

// fullReport returns a report in which every member of every type is set somewhere.
func fullReport() *conformance.Report {
	result := conformance.Result{
		Case: "crow-a", Detector: spec.Crow, Reading: spec.Code, Title: "t", Clauses: []string{"CR-1"},
		Tags: []string{"a"}, File: "crow/a.yaml", Line: 3, Why: "w",
	}
	failure := &conformance.Failure{
		Step: 1, Steps: 2, Action: "a", Problem: "p", Trace: []string{"b"}, Seed: 7, Spread: "on 1 of 2 traces",
		Differences: []conformance.Difference{{Path: "loop", Want: "true", Got: "false"}},
	}
	r := &conformance.Report{
		Suite: conformance.SuiteInfo{Version: "1", Digest: "d", Selected: 7, Total: 9, UnselectedProtocol: 1, UncheckedLaws: 1},
		Port: conformance.PortInfo{
			Name: "p", Version: "1", Language: "go", URL: "u", Command: []string{"p"},
			Detectors: []conformance.OfferInfo{{Detector: spec.Crow, Readings: []spec.Reading{spec.Code}}},
		},
		Settings: conformance.Settings{
			Selection: conformance.Selection{Cases: []string{"a"}, Detectors: []string{"b"}, Readings: []string{"c"}, Clauses: []string{"d"}, Tags: []string{"e"}},
			Shard:     "1/2", Folder: "f", NoLaws: true, Checks: 3, Seeds: []int64{1, 7}, Jobs: 2, Timeout: "1s", StartTimeout: "2s",
		},
		Strict: true, Allowed: []spec.Feature{spec.AI}, Seed: 1, Problems: []string{"p"}, Restarts: 1, Events: 2, Elapsed: 3,
	}
	for _, status := range []conformance.Status{
		conformance.Passed, conformance.Failed, conformance.Broken, conformance.Faulty, conformance.Undecided, conformance.Skipped, conformance.Known,
	} {
		one := result
		one.Status = status
		switch status {
		case conformance.Failed:
			one.Failure = failure
		case conformance.Known:
			one.Failure, one.Excuse = failure, "e"
		case conformance.Skipped:
			one.Missing, one.Reason = []spec.Feature{spec.AI}, "r"
		case conformance.Broken, conformance.Faulty:
			one.Failure, one.Reason = failure, "r"
		case conformance.Undecided:
			one.Reason = "r"
		}
		r.Results = append(r.Results, one)
	}
	return r
}
