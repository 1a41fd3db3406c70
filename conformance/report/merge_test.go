package report

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

// wholeRun is a report of a whole suite in its order: the protocol, then by file, some cases in two readings.
func wholeRun() *conformance.Report {
	r := sample()
	r.Results = nil
	add := func(id string, detector spec.DetectorID, line int, readings ...spec.Reading) {
		for _, reading := range readings {
			one := result(id, detector, reading, "XX-1")
			one.Line = line
			r.Results = append(r.Results, one)
		}
	}
	add("protocol-1", "protocol", 3, "")
	add("protocol-2", "protocol", 30, "")
	add("crow-1", spec.Crow, 9, spec.Code, spec.Text)
	add("crow-2", spec.Crow, 10, spec.Code, spec.Text)
	add("crow-3", spec.Crow, 100, spec.Text)
	add("guards-1", spec.Guards, 1, spec.Text)
	add("history-1", spec.History, 1, spec.Code)
	r.Suite = conformance.InfoOf(suiteOf(r))
	r.Suite.UncheckedLaws = 7
	r.Settings = conformance.Settings{Checks: 100, Seeds: []int64{1, 7}}
	return r
}

// suiteOf returns the suite that a report has all results of.
func suiteOf(r *conformance.Report) []cases.Case {
	var suite []cases.Case
	for _, result := range r.Results {
		if n := len(suite); n == 0 || suite[n-1].ID != result.Case {
			suite = append(suite, cases.Case{ID: result.Case, Detector: result.Detector})
		}
		if result.Reading != "" {
			last := &suite[len(suite)-1]
			last.Readings = append(last.Readings, result.Reading)
		}
	}
	return suite
}

// split deals the results of a report out to that many shards.
func split(r *conformance.Report, n int, shardOf func(i int) int) []*conformance.Report {
	shards := make([]*conformance.Report, n)
	for i := range shards {
		part := *r
		part.Results, part.Problems, part.Events, part.Traces, part.Restarts = nil, nil, 0, 0, 0
		shards[i] = &part
	}
	shards[0].Problems, shards[0].Events, shards[0].Traces, shards[n-1].Restarts = r.Problems, r.Events, r.Traces, r.Restarts
	for i, result := range r.Results {
		shard := shards[shardOf(i)]
		shard.Results = append(shard.Results, result)
	}
	for _, shard := range shards {
		shard.Suite.Selected = countCases(shard.Results)
	}
	return shards
}

func TestMergeOfAnySplitIsTheWholeInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := wholeRun()
		n := rapid.IntRange(1, 4).Draw(t, "shards")
		shards := split(want, n, func(int) int { return rapid.IntRange(0, n-1).Draw(t, "shard") })
		got, err := Merge(suiteOf(want), rapid.Permutation(shards).Draw(t, "order")...)
		if err != nil {
			t.Fatal(err)
		}
		if want.Parts = n; !reflect.DeepEqual(got, want) {
			t.Fatalf("\n got %+v\nwant %+v", got, want)
		}
	})
}

func TestMergeTakesTheLongestTimeAndWhatAllShare(t *testing.T) {
	shards := split(wholeRun(), 2, func(i int) int { return i % 2 })
	shards[1].Elapsed, shards[1].Seed, shards[1].Port.Command = time.Minute, 7, []string{"node", "port.js"}
	shards[1].Settings.Seeds, shards[1].Settings.Shard = []int64{1, 3}, "2/2"
	got, err := Merge(suiteOf(wholeRun()), shards...)
	if err != nil {
		t.Fatal(err)
	}
	if got.Elapsed != time.Minute || got.Seed != 0 || got.Port.Command != nil {
		t.Errorf("got the time %v, the seed %d and the command %q", got.Elapsed, got.Seed, got.Port.Command)
	}
	if want := (conformance.Settings{Checks: 100, Seeds: []int64{1, 3, 7}}); !reflect.DeepEqual(got.Settings, want) {
		t.Errorf("got the settings %+v, want %+v", got.Settings, want)
	}
}

func TestMergeRefusesWhatIsNotOneRun(t *testing.T) {
	tests := []struct {
		reason string
		change func(shards []*conformance.Report)
		want   string
	}{
		{"a digest that nobody knows", func(s []*conformance.Report) { s[0].Suite.Digest, s[1].Suite.Digest = "ffff", "ffff" }, "report 1 has a different suite digest than this loopstone"},
		{"another suite proves something else", func(s []*conformance.Report) { s[1].Suite.Digest = "ffff" }, "report 2 has a different suite digest"},
		{"another version too", func(s []*conformance.Report) { s[1].Suite.Version = "9" }, "report 2 has a different suite version"},
		{"a version is any text, and no terminal obeys it", func(s []*conformance.Report) { s[1].Suite.Version = "\x1b[31m\n::error::" }, `than this loopstone: \x1b[31m\n::error::, not`},
		{"another size too", func(s []*conformance.Report) { s[1].Suite.Total++ }, "report 2 has a different suite size"},
		{"a number that its own results do not have", func(s []*conformance.Report) { s[1].Suite.Selected++ }, "report 2 has a different number of cases and laws than its results: 5, not 4"},
		{"laws that one part left out", func(s []*conformance.Report) { s[1].Suite.UncheckedLaws = 0 }, "report 2 differs from the first in suite.unchecked_laws: nothing, not 7"},
		{"another port proves nothing of this one", func(s []*conformance.Report) { s[1].Port.Version = "2" }, "report 2 differs from the first in port.version: \"2\", not "},
		{"another policy means another outcome", func(s []*conformance.Report) { s[1].Strict = true }, "report 2 differs from the first in strict: true, not nothing"},
		{"less declared is another port", func(s []*conformance.Report) { s[1].Port.Detectors = nil }, "report 2 differs from the first in detector "},
		{"fewer traces are another check", func(s []*conformance.Report) { s[1].Settings.Checks = 1 }, "report 2 differs from the first in settings.checks: 1, not 100"},
		{"a selection may leave out what fails", func(s []*conformance.Report) {
			for _, r := range s {
				r.Settings.Selection.Cases = []string{"crow-*"}
			}
		}, "report 1 is of selected cases"},
		{"a case that was judged twice may have two results", func(s []*conformance.Report) {
			s[1].Results = append(s[1].Results, s[0].Results[1])
			s[1].Suite.Selected++
		}, "report 2 repeats crow-1 (code) of report 1"},
		{"a case that stands twice in one report too", func(s []*conformance.Report) {
			s[1].Results = append(s[1].Results, s[1].Results[1])
		}, "report 2 repeats crow-1 (text) of report 2"},
		{"a report that is given twice is one problem", func(s []*conformance.Report) { s[1] = s[0] }, "merge reports: report 2 repeats protocol-1 of report 1, crow-1 (code) of report 1, crow-2 (code) of report 1"},
		{"a part is missing", func(s []*conformance.Report) {
			s[0].Settings.Shard, s[1].Settings.Shard = "1/4", "3/4"
			s[1].Results, s[1].Suite.Selected = s[1].Results[:3], 3
		}, "merge reports: part 2/4 is missing\npart 4/4 is missing\n$"},
		{"a part is there twice", func(s []*conformance.Report) {
			s[0].Settings.Shard, s[1].Settings.Shard = "2/2", "2/2"
		}, "merge reports: part 2/2 is there twice, in reports 1 and 2\npart 1/2 is missing\n$"},
		{"many parts are missing", func(s []*conformance.Report) {
			s[0].Settings.Shard, s[1].Settings.Shard = "1/2000000000", "3/2000000000"
		}, "part 12/2000000000 is missing\n1999999988 more parts are missing\n$"},
		{"parts of runs that were split otherwise", func(s []*conformance.Report) {
			s[0].Settings.Shard, s[1].Settings.Shard = "1/2", "2/3"
		}, "merge reports: report 2 is part 2/3, which is no part of a run in 2\n$"},
		{"a case is missing", func(s []*conformance.Report) {
			s[1].Results, s[1].Suite.Selected = s[1].Results[:3], 3
		}, "no report has guards-1 (text)"},
		{"a reading is missing, and the number of cases is right", func(s []*conformance.Report) {
			s[1].Results = slices.DeleteFunc(s[1].Results, func(r conformance.Result) bool { return r.Case == "crow-1" && r.Reading == spec.Text })
			s[1].Suite.Selected = countCases(s[1].Results)
		}, "no report has crow-1 (text)"},
		{"a case that is in the place of another", func(s []*conformance.Report) { s[1].Results[3].Case = "guards-2" }, "report 2 has what the suite does not have: guards-2 (text)"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			shards := split(wholeRun(), 2, func(i int) int { return i % 2 })
			test.change(shards)
			got, err := Merge(suiteOf(wholeRun()), shards...)
			if err == nil || !strings.Contains(err.Error()+"\n$", test.want) || got != nil {
				t.Errorf("got %v, %v; want an error with %q", got, err, test.want)
			}
		})
	}
	if _, err := Merge(nil); err == nil {
		t.Error("no reports are merged")
	}
}
