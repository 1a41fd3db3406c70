package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// Merge joins the reports of a run that was split, each over a part of a suite, into the report of the whole. They must
// have judged the same port by that suite, as far as their settings and digests tell, and hold every case in every
// reading once; else the error says which report or case it is, one problem a line. Reports are numbered from 1 in the
// order given.
//
// Events, restarts and problems add up. The time is the longest, since parts run side by side; the order's seed and the
// command are kept where all have the same. Traces may be generated from other seeds in each part: all are kept.
//
// Nobody can tell a result that was changed from a pass to a failure, or back, with all that depends on it.
func Merge(suite []cases.Case, reports ...*conformance.Report) (*conformance.Report, error) {
	if len(reports) == 0 {
		return nil, errors.New("merge reports: there are none")
	}
	whole := allParts(reports)
	if whole == nil {
		whole = sameCases(suite, reports)
	}
	if err := errors.Join(sameRun(suite, reports), whole); err != nil {
		return nil, fmt.Errorf("merge reports: %w", err)
	}
	return join(suite, reports), nil
}

// sameRun checks that all reports are of the suite, and of the same run as the first.
func sameRun(suite []cases.Case, reports []*conformance.Report) error {
	var problems []error
	want, first := conformance.InfoOf(suite), reports[0]
	for i, r := range reports {
		check := func(what, whose string, a, b any) {
			if a != b {
				problems = append(problems, fmt.Errorf("report %d has a different %s than %s: %s, not %v",
					i+1, what, whose, wording.Line(fmt.Sprint(b)), a))
			}
		}
		check("suite version", "this loopstone", want.Version, r.Suite.Version)
		check("suite digest", "this loopstone", want.Digest, r.Suite.Digest)
		check("suite size", "this loopstone", want.Total, r.Suite.Total)
		check("number of cases and laws", "its results", countCases(r.Results), r.Suite.Selected+r.Suite.Laws)
		for _, d := range compareRuns(asPart(first), asPart(r)) {
			problems = append(problems, fmt.Errorf("report %d differs from the first in %s: %s, not %s", i+1, d.what(),
				shown(d.Is), shown(d.Was)))
		}
		if !r.Settings.Selection.IsAll() {
			problems = append(problems,
				fmt.Errorf("report %d is of selected cases; only parts of the whole suite can be merged", i+1))
		}
	}
	return errors.Join(problems...)
}

// asPart leaves out of a report what parts of a run may have each for itself.
func asPart(r *conformance.Report) *conformance.Report {
	part := *r
	part.Suite = conformance.SuiteInfo{UncheckedLaws: r.Suite.UncheckedLaws}
	part.Port.Command, part.Seed, part.Parts, part.PartAlone = nil, 0, 0, false
	part.Settings = shared(r.Settings)
	return &part
}

// shared leaves out the settings that parts of a run may have each for itself.
func shared(s conformance.Settings) conformance.Settings {
	s.Shard, s.ShardBy, s.Seeds, s.Jobs, s.Timeout, s.StartTimeout = "", "", nil, 0, "", ""
	return s
}

// sameCases checks that the reports hold each case in each of its readings once, and no other.
func sameCases(suite []cases.Case, reports []*conformance.Report) error {
	var problems []error
	wanted, in := namesOf(suite), map[string]int{} // the number of the report that has it
	for i, r := range reports {
		var unknown, twice []string
		for _, result := range r.Results {
			name := nameOf(result)
			if j := in[name]; j > 0 {
				twice = append(twice, fmt.Sprintf("%s of report %d", name, j))
			} else if !slices.Contains(wanted, name) {
				unknown = append(unknown, name)
			}
			in[name] = i + 1
		}
		if unknown != nil {
			problems = append(problems, fmt.Errorf("report %d has what the suite does not have: %s", i+1, some(unknown)))
		}
		if twice != nil {
			problems = append(problems, fmt.Errorf("report %d repeats %s", i+1, some(twice)))
		}
	}
	if missing := lists.Filter(wanted, func(name string) bool { return in[name] == 0 }); len(missing) > 0 {
		problems = append(problems, fmt.Errorf("no report has %s", some(missing)))
	}
	return errors.Join(problems...)
}

// maxNames bounds how many cases one line names.
const maxNames = 10

func some(names []string) string { return wording.Some(names, maxNames, ", ") }

// allParts checks that the reports are the parts of one run, each once, where all say which part they are.
func allParts(reports []*conformance.Report) error {
	var problems []error
	in, n := map[int]int{}, 0 // the number of the report that is a part
	for i, r := range reports {
		part, err := cases.ParseShard(r.Settings.Shard)
		if err != nil {
			return nil // it is no part, or does not say which
		}
		if n = cmp.Or(n, part.Of); part.Of != n {
			return fmt.Errorf("report %d is part %s, which is no part of a run in %d", i+1, r.Settings.Shard, n)
		}
		if j := in[part.Index]; j > 0 {
			problems = append(problems, fmt.Errorf("part %s is there twice, in reports %d and %d", r.Settings.Shard, j, i+1))
		}
		in[part.Index] = i + 1
	}
	missing := n - len(in)
	for index, told := 1, 0; told < min(missing, maxNames); index++ {
		if in[index] == 0 {
			problems = append(problems, fmt.Errorf("part %d/%d is missing", index, n))
			told++
		}
	}
	if missing > maxNames {
		problems = append(problems, fmt.Errorf("%d more parts are missing", missing-maxNames))
	}
	return errors.Join(problems...)
}

// namesOf returns the names of all results that a run over the whole suite has.
func namesOf(suite []cases.Case) []string {
	var names []string
	for _, c := range suite {
		if c.Detector == cases.Protocol {
			names = append(names, c.ID)
			continue
		}
		for _, reading := range c.Readings {
			names = append(names, withReading(c.ID, reading))
		}
	}
	return names
}

// join puts reports together without checking anything.
func join(suite []cases.Case, reports []*conformance.Report) *conformance.Report {
	first := reports[0]
	merged := &conformance.Report{
		Suite: conformance.InfoOf(suite), Port: first.Port, Strict: first.Strict, Allowed: first.Allowed, Seed: first.Seed,
		Settings: shared(first.Settings), Parts: len(reports),
	}
	merged.Suite.UncheckedLaws = first.Suite.UncheckedLaws
	for _, r := range reports {
		merged.Results = append(merged.Results, r.Results...)
		merged.Problems = append(merged.Problems, r.Problems...)
		merged.Settings.Seeds = append(merged.Settings.Seeds, r.Settings.Seeds...)
		merged.Traces += r.Traces
		merged.Restarts += r.Restarts
		merged.Unexplained += r.Unexplained
		merged.Losses = append(merged.Losses, r.Losses...)
		merged.Events += r.Events
		merged.Requests += r.Requests
		merged.Elapsed = max(merged.Elapsed, r.Elapsed)
		if r.Seed != merged.Seed {
			merged.Seed = 0
		}
		if !slices.Equal(r.Port.Command, merged.Port.Command) {
			merged.Port.Command = nil
		}
	}
	slices.Sort(merged.Settings.Seeds)
	merged.Settings.Seeds = slices.Compact(merged.Settings.Seeds)
	slices.SortStableFunc(merged.Results, bySuite)
	return merged
}

// bySuite orders results as a run does: those of the protocol first, then by file, line and reading.
func bySuite(a, b conformance.Result) int {
	return cmp.Or(
		cmp.Compare(stage(a), stage(b)),
		slices.Compare(strings.Split(a.File, "/"), strings.Split(b.File, "/")),
		cmp.Compare(a.Line, b.Line),
		cmp.Compare(rank(a), rank(b)),
	)
}

// stage tells the cases of the protocol, which a run carries out first, from those of the detectors.
func stage(result conformance.Result) int {
	if result.Detector == cases.Protocol {
		return 0
	}
	return 1
}

// rank returns the place of a result's reading among those of its detector.
func rank(result conformance.Result) int {
	profile, _ := spec.DefinitionOf(result.Detector)
	return slices.Index(profile.Readings, result.Reading)
}

func countCases(results []conformance.Result) int {
	ids := map[string]bool{}
	for _, result := range results {
		ids[result.Case] = true
	}
	return len(ids)
}
