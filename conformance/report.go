package conformance

import (
	"slices"
	"strings"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// Status says how a case ended.
type Status string

// The statuses. Only Passed is a pass: a case that was skipped or could not be run proves nothing.
const (
	Passed    Status = "passed"
	Failed    Status = "failed"    // the port is wrong
	Broken    Status = "broken"    // the adapter is wrong: it broke the protocol
	Faulty    Status = "faulty"    // the suite is wrong: the case cannot be carried out, or not even the oracle passes it
	Undecided Status = "undecided" // nobody knows: the port gave no answer in time, or could not be asked
	Skipped   Status = "skipped"   // the port does not declare what the case needs
	Known     Status = "known"     // the port is wrong in the way that its file of known failures says
)

// Report is what a run found out. It holds everything that a rendering shows, so that it can be written to a file and
// read elsewhere.
type Report struct {
	Suite    SuiteInfo      `json:"suite"`
	Port     PortInfo       `json:"port"`
	Results  []Result       `json:"results"`           // in the order of the suite, whatever the order they were run in
	Strict   bool           `json:"strict,omitempty"`  // what was not checked keeps the run from being conformant
	Allowed  []spec.Feature `json:"allowed,omitempty"` // features that may be missing all the same
	Seed     int64          `json:"seed,omitempty"`    // of a random order
	Settings Settings       `json:"settings,omitzero"`
	Problems []string       `json:"problems,omitempty"` // what is wrong with the known failures, one line each: file:line:column: …
	Restarts int            `json:"restarts,omitempty"`
	Events   int            `json:"events"`     // how many events the port observed
	Elapsed  time.Duration  `json:"elapsed_ns"` // wall-clock time of the run
}

// Settings are what a run was asked for, as far as its results depend on it: with the same settings and the same order
// it is repeated. What is usual is not set.
type Settings struct {
	Selection    Selection `json:"selection,omitzero"`
	Shard        string    `json:"shard,omitzero"`         // i/n
	Folder       string    `json:"cases,omitzero"`         // of case files; the suite's own where there is none
	NoLaws       bool      `json:"no_properties,omitzero"` // nothing was checked on generated traces
	Checks       int       `json:"checks,omitzero"`        // generated traces of each detector and reading
	Seeds        []int64   `json:"seeds,omitempty"`        // of the generated traces
	Jobs         int       `json:"jobs,omitzero"`          // how many cases were under way at once
	Timeout      string    `json:"timeout,omitzero"`       // as in --timeout 20s
	StartTimeout string    `json:"start_timeout,omitzero"`
}

// SuiteInfo says which suite was run.
type SuiteInfo struct {
	Version  string `json:"version"`
	Digest   string `json:"digest"` // SHA-256 of the clauses and cases
	Selected int    `json:"selected"`
	Total    int    `json:"total"`

	// UnselectedProtocol is how many of the cases that are not selected are those of the protocol: what they say of an
	// adapter's manners, nobody knows then.
	UnselectedProtocol int `json:"unselected_protocol,omitzero"`

	// UncheckedLaws is how many checks on generated traces the run did without; they are not among the cases then.
	UncheckedLaws int `json:"unchecked_laws,omitzero"`
}

// InfoOf describes a suite of which every case is selected.
func InfoOf(suite []cases.Case) SuiteInfo {
	return SuiteInfo{Version: spec.Version, Digest: cases.Digest(suite), Selected: len(suite), Total: len(suite)}
}

// InfoOfPart describes a suite of which only some cases are selected.
func InfoOfPart(suite, selected []cases.Case) SuiteInfo {
	info := InfoOf(suite)
	info.Selected = len(selected)
	info.UnselectedProtocol = countProtocol(suite) - countProtocol(selected)
	return info
}

func countProtocol(suite []cases.Case) int {
	n := 0
	for _, c := range suite {
		if c.Detector == cases.Protocol {
			n++
		}
	}
	return n
}

// PortInfo says which port was asked, by its own words and by the command that started it.
type PortInfo struct {
	Name      string      `json:"name"`
	Version   string      `json:"version"`
	Language  string      `json:"language"`
	URL       string      `json:"url,omitempty"`
	Command   []string    `json:"command,omitempty"`
	Detectors []OfferInfo `json:"detectors"`
}

// OfferInfo is one detector that the port declares.
type OfferInfo struct {
	Detector spec.DetectorID `json:"detector"`
	Readings []spec.Reading  `json:"readings"`
	Features []spec.Feature  `json:"features"`
}

// Result is how one case ended in one reading.
type Result struct {
	Case     string          `json:"case"`
	Detector spec.DetectorID `json:"detector"`
	Reading  spec.Reading    `json:"reading,omitempty"`
	Title    string          `json:"title"`
	Clauses  []string        `json:"clauses"`
	Tags     []string        `json:"tags,omitempty"`
	File     string          `json:"file"`
	Line     int             `json:"line"`
	Why      string          `json:"why"`

	Status  Status         `json:"status"`
	Missing []spec.Feature `json:"missing,omitempty"` // Skipped: the features that the port does not declare
	Reason  string         `json:"reason,omitempty"`  // Skipped, Broken, Faulty, Undecided: one sentence
	Failure *Failure       `json:"failure,omitempty"` // Failed, Known; of the adapter: Broken; where the oracle fails too: Faulty
	Excuse  string         `json:"excuse,omitempty"`  // Known: the reason that the file of known failures gives
}

// NotLookedAt begins the reason of a known failure that nobody has looked at. It excuses the failure from a gate, but
// the port gets no green badge, and a strict run fails.
const NotLookedAt = "not yet looked at"

// IsLookedAt reports whether somebody said why the case fails. It is true of every result that is not Known.
func (r *Result) IsLookedAt() bool {
	return r.Status != Known || !strings.HasPrefix(r.Excuse, NotLookedAt)
}

// Failure says where and how a port differed from a case.
type Failure struct {
	Step        int          `json:"step"` // from 1; 0 where the case has no steps
	Steps       int          `json:"steps"`
	Action      string       `json:"action"` // the step in one line
	Problem     string       `json:"problem"`
	Differences []Difference `json:"differences,omitempty"`
	Trace       []string     `json:"trace,omitempty"` // what had happened before, one line each

	Seed   int64  `json:"seed,omitempty"`   // of the generated trace that this is about; 0 where it was not generated
	Spread string `json:"spread,omitempty"` // of a law: on how many traces it is broken, and a digest of how
}

// Difference is one member that is not what the case demands. A side that has no such member is empty.
type Difference struct {
	Path string `json:"path"`
	Want string `json:"want"`
	Got  string `json:"got"`
}

// Count returns how many results have the status.
func (r *Report) Count(s Status) int {
	n := 0
	for _, result := range r.Results {
		if result.Status == s {
			n++
		}
	}
	return n
}

// Intolerable returns the skipped results that a strict run does not allow; none where the run is not strict.
func (r *Report) Intolerable() []Result {
	if !r.Strict {
		return nil
	}
	var list []Result
	for _, result := range r.Results {
		if result.Status == Skipped && !r.allows(result.Missing) {
			list = append(list, result)
		}
	}
	return list
}

// allows reports whether the features that a case misses may be missing. A case that was skipped for another reason
// misses none.
func (r *Report) allows(missing []spec.Feature) bool {
	for _, f := range missing {
		if !slices.Contains(r.Allowed, f) {
			return false
		}
	}
	return len(missing) > 0
}

func portInfo(d spec.Description, command []string) PortInfo {
	info := PortInfo{Name: d.Name, Version: d.Version, Language: d.Language, URL: d.URL, Command: command}
	for _, o := range d.Detectors {
		info.Detectors = append(info.Detectors, OfferInfo(o))
	}
	return info
}
