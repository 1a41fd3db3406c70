package report

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

// Merge joins the reports of a run that was split, each over a part of the suite, into the report of the whole. They
// must have judged the same port by the same suite, no case twice in a reading, and together every case; else the
// error says which report or case it is, one problem a line. Reports are numbered from 1 in the order given.
//
// Events, restarts and problems add up. The time is the longest, since parts run side by side; the seed and the command
// are kept where all have the same.
func Merge(reports ...*conformance.Report) (*conformance.Report, error) {
	if len(reports) == 0 {
		return nil, errors.New("merge reports: there are none")
	}
	if err := sameRun(reports); err != nil {
		return nil, fmt.Errorf("merge reports: %w", err)
	}
	merged := join(reports)
	if err := errors.Join(noneTwice(reports), noneMissing(merged)); err != nil {
		return nil, fmt.Errorf("merge reports: %w", err)
	}
	return merged, nil
}

// sameRun checks that all reports are of the suite and port of the first.
func sameRun(reports []*conformance.Report) error {
	first := reports[0]
	var problems []error
	for i, r := range reports[1:] {
		differs := func(what string, a, b any) {
			if !reflect.DeepEqual(a, b) {
				problems = append(problems, fmt.Errorf("report %d has another %s than the first: %v, not %v", i+2, what, b, a))
			}
		}
		differs("suite version", first.Suite.Version, r.Suite.Version)
		differs("suite digest", first.Suite.Digest, r.Suite.Digest)
		differs("suite size", first.Suite.Total, r.Suite.Total)
		differs("policy for what is not checked", policy{first.Strict, first.Allowed}, policy{r.Strict, r.Allowed})
		differs("port", withoutCommand(first.Port), withoutCommand(r.Port))
	}
	return errors.Join(problems...)
}

// policy says what may be left unchecked.
type policy struct {
	strict  bool
	allowed []spec.Feature
}

// withoutCommand leaves out how a port was started: that may differ from one machine to the next.
func withoutCommand(p conformance.PortInfo) conformance.PortInfo {
	p.Command = nil
	return p
}

// noneTwice checks that no case was judged twice in the same reading.
func noneTwice(reports []*conformance.Report) error {
	first := map[string]int{}
	var problems []error
	for i, r := range reports {
		for _, result := range r.Results {
			name := nameOf(result)
			if j, twice := first[name]; twice {
				problems = append(problems, fmt.Errorf("case %s is in report %d and again in report %d", name, j+1, i+1))
				continue
			}
			first[name] = i
		}
	}
	return errors.Join(problems...)
}

// noneMissing checks that a report holds as many cases as its suite.
func noneMissing(r *conformance.Report) error {
	if n := r.Suite.Total - r.Suite.Selected; n != 0 {
		return fmt.Errorf("the suite has %s, the reports hold %d: %d missing",
			count(r.Suite.Total, "case", "cases"), r.Suite.Selected, n)
	}
	return nil
}

// join puts reports together without checking anything.
func join(reports []*conformance.Report) *conformance.Report {
	first := reports[0]
	merged := &conformance.Report{
		Suite: first.Suite, Port: first.Port, Strict: first.Strict, Allowed: first.Allowed, Seed: first.Seed,
	}
	for _, r := range reports {
		merged.Results = append(merged.Results, r.Results...)
		merged.Problems = append(merged.Problems, r.Problems...)
		merged.Restarts += r.Restarts
		merged.Events += r.Events
		merged.Elapsed = max(merged.Elapsed, r.Elapsed)
		if r.Seed != merged.Seed {
			merged.Seed = 0
		}
		if !slices.Equal(r.Port.Command, merged.Port.Command) {
			merged.Port.Command = nil
		}
	}
	slices.SortStableFunc(merged.Results, bySuite)
	merged.Suite.Selected, merged.Suite.UnselectedProtocol = countCases(merged.Results), 0
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
