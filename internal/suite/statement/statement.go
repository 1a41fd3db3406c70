// Package statement keeps what a run found out about a port as a document that its authors publish and that anybody
// can verify by running the suite again.
//
// A statement claims no more than what was run: it has the status of every case in every reading, the skipped and the
// undecided among them, with all that a failure differs in, and makes no sentence of them. It says what was asked for,
// so that whoever repeats the run knows which results there must be. It leaves out what is of one machine only: the
// command, the time that the run took, the traces of failures.
package statement

import (
	"slices"
	"strings"
	"time"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/suite/knownfailures"
	"github.com/loopstone/loopstone/spec"
)

// Format is the version of the document's format that this package writes, and the only one that it reads.
const Format = 1

// Statement is what a run of the suite found out about a port.
type Statement struct {
	Format        int                     `json:"format"`
	Specification string                  `json:"specification"` // the version
	Suite         conformance.SuiteInfo   `json:"suite"`
	Port          Port                    `json:"port"`
	Detectors     []conformance.OfferInfo `json:"detectors"`     // what the port declares
	Seed          int64                   `json:"seed,omitzero"` // of a random order of the cases
	Settings      conformance.Settings    `json:"settings,omitzero"`
	Date          string                  `json:"date"`    // the day of the run, as 2006-01-02
	Counts        []Count                 `json:"counts"`  // of Results, in the order in which detectors turn up there
	Results       []Result                `json:"results"` // in the order of the suite
}

// Port says which port was judged, by its own words.
type Port struct {
	Name     string `json:"name"`
	Version  string `json:"version"`
	Language string `json:"language"`
	URL      string `json:"url,omitempty"`
}

// Count is how many results of a detector in a reading have each status.
type Count struct {
	Detector  spec.DetectorID `json:"detector"`
	Reading   spec.Reading    `json:"reading,omitempty"` // empty for the protocol
	Passed    int             `json:"passed"`
	Failed    int             `json:"failed"`
	Known     int             `json:"known"`
	Broken    int             `json:"broken"`
	Faulty    int             `json:"faulty,omitzero"`
	Undecided int             `json:"undecided"`
	Skipped   int             `json:"skipped"`
}

// Result is how one case ended in one reading.
type Result struct {
	Case     string             `json:"case"`
	Detector spec.DetectorID    `json:"detector"`
	Reading  spec.Reading       `json:"reading,omitempty"` // empty for the protocol
	Status   conformance.Status `json:"status"`
	Reason   string             `json:"reason,omitempty"`  // why the case was not run, or why the port is excused
	Step     int                `json:"step,omitzero"`     // where the port fails, if that is in a step
	Differs  []string           `json:"differs,omitempty"` // how it fails, as [knownfailures.Differs] says it
}

// New returns the statement of a report about a run on that day; of the date only the day counts, in its own time
// zone.
func New(report *conformance.Report, date time.Time) Statement {
	s := Statement{
		Format:        Format,
		Specification: spec.Version,
		Suite:         report.Suite,
		Port:          portOf(report.Port),
		Detectors:     offersOf(report.Port.Detectors),
		Seed:          report.Seed,
		Settings:      report.Settings,
		Date:          date.Format(time.DateOnly),
		Results:       make([]Result, len(report.Results)),
	}
	for i, r := range report.Results {
		s.Results[i] = resultOf(r)
	}
	s.Counts = count(s.Results)
	return s
}

func portOf(info conformance.PortInfo) Port {
	return Port{info.Name, info.Version, info.Language, info.URL}
}

// offersOf copies what a port declares; a list that is missing is empty, as it is written.
func offersOf(offers []conformance.OfferInfo) []conformance.OfferInfo {
	list := make([]conformance.OfferInfo, len(offers))
	for i, o := range offers {
		list[i] = o
		list[i].Readings = append([]spec.Reading{}, o.Readings...)
		list[i].Features = append([]spec.Feature{}, o.Features...)
	}
	return list
}

func resultOf(r conformance.Result) Result {
	result := Result{Case: r.Case, Detector: r.Detector, Reading: r.Reading, Status: r.Status, Reason: reasonOf(r)}
	if unexcused(r.Status) == conformance.Failed && r.Failure != nil {
		result.Step, result.Differs = r.Failure.Step, knownfailures.Differs(r.Failure)
	}
	return result
}

// reasonOf returns in one line why a case was not run, or why the port is excused; nothing where it passed or failed.
func reasonOf(r conformance.Result) string {
	switch r.Status {
	case conformance.Passed, conformance.Failed:
		return ""
	case conformance.Known:
		return oneLine(r.Excuse)
	}
	if r.Reason == "" && r.Failure != nil {
		return oneLine(r.Failure.Problem) // of an adapter that broke the protocol
	}
	return oneLine(r.Reason)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// count returns the counts of results by detector and reading, in the order in which these turn up.
func count(results []Result) []Count {
	counts := []Count{}
	for _, r := range results {
		i := slices.IndexFunc(counts, func(c Count) bool { return c.Detector == r.Detector && c.Reading == r.Reading })
		if i < 0 {
			i = len(counts)
			counts = append(counts, Count{Detector: r.Detector, Reading: r.Reading})
		}
		if n := counts[i].of(r.Status); n != nil {
			*n++
		}
	}
	return counts
}

// of returns where results of that status are counted, nil for a status that there is not.
func (c *Count) of(status conformance.Status) *int {
	switch status {
	case conformance.Passed:
		return &c.Passed
	case conformance.Failed:
		return &c.Failed
	case conformance.Known:
		return &c.Known
	case conformance.Broken:
		return &c.Broken
	case conformance.Faulty:
		return &c.Faulty
	case conformance.Undecided:
		return &c.Undecided
	case conformance.Skipped:
		return &c.Skipped
	default:
		return nil
	}
}
