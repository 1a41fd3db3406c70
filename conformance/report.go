package conformance

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// Status says how a case ended.
type Status string

// The statuses. Only Passed is a pass: a case that was skipped or could not be run proves nothing.
const (
	Passed    Status = "passed"
	Failed    Status = "failed"    // the port is wrong
	Broken    Status = "broken"    // the adapter is wrong: it broke the protocol
	Faulty    Status = "faulty"    // the suite is wrong: no port can pass the case, or not even the oracle does
	Undecided Status = "undecided" // nobody knows: the port gave no answer in time, or could not be asked
	Skipped   Status = "skipped"   // the port does not declare what the case needs
	Known     Status = "known"     // the port is wrong in the way that its file of known failures says
)

// IsFailure reports whether the port is wrong, known to be so or not.
func (s Status) IsFailure() bool { return s == Failed || s == Known }

// Report is what a run found out. It holds everything that a rendering shows, so that it can be written to a file and
// read elsewhere.
type Report struct {
	Suite    SuiteInfo      `json:"suite"`
	Port     PortInfo       `json:"port"`
	Old      PortInfo       `json:"old,omitzero"`      // that the port was compared with
	Results  []Result       `json:"results"`           // in the order of the suite, however they were run
	Strict   bool           `json:"strict,omitempty"`  // what was not checked keeps the run from being conformant
	Allowed  []spec.Feature `json:"allowed,omitempty"` // features that may be missing all the same
	Seed     int64          `json:"seed,omitempty"`    // of a random order
	Settings Settings       `json:"settings,omitzero"`
	Problems []string       `json:"problems,omitempty"` // with the file of known failures, a line each: file:line:column: …
	// PartAlone marks a part of a strict run, by [Settings.ShardBy], without a jsonl report: nothing is left to merge.
	PartAlone bool `json:"part_alone,omitempty"`
	Parts     int  `json:"parts,omitempty"`    // the reports that it was merged from; 0 for that of one run
	Traces    int  `json:"traces,omitempty"`   // that were generated for the laws
	Restarts  int  `json:"restarts,omitempty"` // how often the port was started anew
	// Unexplained is how often its process died, or gave no answer in time, though no case alone makes it do so again. The
	// machine may be at fault: such a run is undecided.
	Unexplained int           `json:"unexplained,omitempty"`
	Losses      []string      `json:"losses,omitempty"`   // what the first of these were, a line each
	Events      int           `json:"events"`             // how many events the port was told
	Requests    int           `json:"requests,omitempty"` // that they came in; 0 where that is not known
	Elapsed     time.Duration `json:"elapsed_ns"`         // wall-clock time of the run
}

// Settings are what a run was asked for, as far as its results depend on it: with the same settings and the same order
// it is repeated. What is usual is not set.
type Settings struct {
	Selection    cases.Selection `json:"selection,omitzero"`
	SelectedBy   string          `json:"selected_by,omitzero"`   // the members of a file that selected; flags without it
	Shard        string          `json:"shard,omitzero"`         // i/n
	ShardBy      string          `json:"shard_by,omitzero"`      // the environment variable that asked for the part; a flag without it
	Folder       string          `json:"cases,omitzero"`         // of case files; the suite's own where there is none
	NoLaws       bool            `json:"no_properties,omitzero"` // nothing was checked on generated traces
	LawsAlone    bool            `json:"laws,omitzero"`          // nothing was checked but the protocol and the laws
	Against      []string        `json:"against,omitempty"`      // the command of the port that this one was compared with
	Checks       int             `json:"checks,omitzero"`        // generated traces of each detector and reading
	Seeds        []int64         `json:"seeds,omitempty"`        // of the generated traces
	Thorough     bool            `json:"thorough,omitzero"`      // each law had traces of its own, and those of all cases
	Jobs         int             `json:"jobs,omitzero"`          // how many cases were under way at once
	Timeout      string          `json:"timeout,omitzero"`       // as in --timeout 20s
	StartTimeout string          `json:"start_timeout,omitzero"`
}

// FixedSeed is the seed of the generated traces of every run that does not name another. It makes runs repeat, and lets
// a port learn what is asked.
const FixedSeed = 1

// HasRandomSeed reports whether traces were generated from another seed than the one of every run.
func (r *Report) HasRandomSeed() bool {
	return r.Traces > 0 && slices.ContainsFunc(r.Settings.Seeds, func(seed int64) bool { return seed != FixedSeed })
}

// SuiteInfo says which suite was run.
type SuiteInfo struct {
	Version  string `json:"version"`
	Digest   string `json:"digest"` // SHA-256 of the clauses and cases
	Selected int    `json:"selected"`
	Total    int    `json:"total"` // of the cases, which are entries of files

	Laws           int `json:"laws,omitzero"` // that are selected, agreement with the reference among them
	UnselectedLaws int `json:"unselected_laws,omitzero"`

	// UnselectedProtocol is how many of the cases that are not selected are those of the protocol: what they say of an
	// adapter's manners, nobody knows then.
	UnselectedProtocol int `json:"unselected_protocol,omitzero"`

	// UncheckedLaws is how many laws the run did without, whatever was selected.
	UncheckedLaws int `json:"unchecked_laws,omitzero"`
}

// InfoOf describes a suite of which every case is selected.
func InfoOf(suite []cases.Case) SuiteInfo {
	laws := cases.CountLaws(suite)
	n := len(suite) - laws
	return SuiteInfo{Version: spec.Version, Digest: cases.Digest(suite), Selected: n, Total: n, Laws: laws}
}

// PortInfo says which port was asked, by its own words and by the command that started it.
type PortInfo struct {
	Name      string       `json:"name"`
	Version   string       `json:"version"`
	Language  string       `json:"language"`
	URL       string       `json:"url,omitempty"`
	Command   []string     `json:"command,omitempty"`
	Detectors []spec.Offer `json:"detectors"`

	// Unexercised is what the port declares and no case of the suite would miss, whatever is selected.
	Unexercised []Part `json:"unexercised,omitempty"`

	// Idle is what the port's own rules say and no trace was found to depend on: they may say it twice.
	Idle []Part `json:"idle,omitempty"`
}

// PortInfoOf returns what a port says of itself, beside the command that started it.
func PortInfoOf(port spec.Description, command []string) PortInfo {
	return PortInfo{
		Name: port.Name, Version: port.Version, Language: port.Language, URL: port.URL, Command: command,
		Detectors: port.Detectors,
	}
}

// Offer returns the port's offer of a detector and whether the port has the detector.
func (p PortInfo) Offer(id spec.DetectorID) (spec.Offer, bool) {
	return spec.Description{Detectors: p.Detectors}.Offer(id)
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
	Config   string          `json:"config,omitempty"` // of the sessions, as JSON; empty for the defaults

	Status  Status         `json:"status"`
	Missing []spec.Feature `json:"missing,omitempty"` // Skipped: the features that the port does not declare

	MissingRules    []spec.VerdictKind `json:"missing_rules,omitempty"`    // Skipped, as those that follow
	MissingSettings []string           `json:"missing_settings,omitempty"` // that the configuration names
	MissingMembers  []string           `json:"missing_members,omitempty"`  // without which nothing is left to compare

	Reason  string   `json:"reason,omitempty"`  // Skipped, Broken, Faulty, Undecided: one sentence
	Failure *Failure `json:"failure,omitempty"` // of a port, adapter or case that is wrong, or of an old port that was
	Change  Change   `json:"change,omitempty"`  // of a difference from an old port: which of both is right
	Excuse  string   `json:"excuse,omitempty"`  // Known: the reason that the file of known failures gives

	SaidLoop bool  `json:"said_loop,omitempty"` // a verdict of the case's trace said loop
	Elapsed  int64 `json:"elapsed_ns,omitzero"` // wall-clock time, while others were under way
}

// Name returns the case with its reading, where it has one.
func (r *Result) Name() string { return nameOf(r.Case, r.Reading) }

// nameOf returns a name with a reading, where there is one: the cases of the protocol have none.
func nameOf(name string, reading spec.Reading) string {
	if reading == "" {
		return name
	}
	return fmt.Sprintf("%s (%s)", name, reading)
}

// notStarted is the id of the one result of a run that did not begin. No case of the suite has it.
const notStarted = "the-adapter-starts"

// IsNotStarted reports whether the result is the one of a run that did not begin.
func (r *Result) IsNotStarted() bool { return r.Case == notStarted }

// IsNotRun reports whether the run ended, or stopped at another test, before this one.
func (r *Result) IsNotRun() bool {
	return r.Status == Undecided && strings.HasPrefix(r.Reason, "not run: ")
}

// ReportNotStarted returns the report of a run that asked the port nothing, so that whoever reads a report finds out:
// why, in the words of the error, and whose fault that is. Only then does a report hold a result that is no test.
func ReportNotStarted(outcome Outcome, options Options, reason error) *Report {
	status := Undecided
	switch outcome {
	case AdapterFault:
		status = Broken
	case SuiteFault:
		status = Faulty
	}
	return &Report{
		Suite: options.Suite, Port: PortInfo{Command: options.Command, Detectors: []spec.Offer{}},
		Results: []Result{{
			Case: notStarted, Detector: cases.Protocol, Title: "The adapter starts, and the run begins",
			Clauses: []string{"PR-11"}, Why: "Nothing was tested, so that nothing is known of the port.",
			Status: status, Reason: reason.Error(),
		}},
	}
}

// breaks notes that the adapter broke the protocol; the clause is put first where it is known.
func (r *Result) breaks(clause, reason string) {
	r.Status, r.Reason = Broken, reason
	r.putProtocolFirst(clause)
}

// putProtocolFirst puts first the clause of the protocol that an adapter broke. Where the case is about another, what
// it says of itself would explain nothing.
func (r *Result) putProtocolFirst(clause string) {
	if clause != "" && !slices.Contains(r.Clauses, clause) {
		r.putFirst(clause)
		r.Title = "The adapter keeps to the protocol, whatever the test is about"
		r.Why = "An adapter that breaks the protocol says nothing of its port. The test is about something else, and shows" +
			" only that."
	}
}

func (r *Result) putFirst(clause string) {
	if clause != "" && !slices.Contains(r.Clauses, clause) {
		r.Clauses = append([]string{clause}, r.Clauses...)
	}
}

// NotLookedAt begins the reason of a known failure that nobody has looked at. It excuses the failure from a gate, but
// the port gets no green badge, and a strict run fails.
const NotLookedAt = "not yet looked at"

// IsLookedAt reports whether somebody said why the case fails. It is true of every result that is not Known.
func (r *Result) IsLookedAt() bool {
	return r.Status != Known || !strings.HasPrefix(r.Excuse, NotLookedAt)
}

// noClause stands for the clause of a failure that cites none.
const noClause = "no clause"

// FirstClause returns the clause that the result stands under.
func (r *Result) FirstClause() string {
	if len(r.Clauses) == 0 {
		return noClause
	}
	return r.Clauses[0]
}

// DifferenceTag marks a result that compares the port with another, and not with the specification.
const DifferenceTag = "against"

// IsDifference reports whether the result says how the port differs from another, be that right or wrong.
func (r *Result) IsDifference() bool { return slices.Contains(r.Tags, DifferenceTag) }

// IsAgreement reports whether the result is that of the comparison with the reference on generated traces.
func (r *Result) IsAgreement() bool { return r.isLaw("agreement") }

func (r *Result) isLaw(name string) bool {
	return slices.Contains(r.Tags, "law") && r.File == "" && strings.HasSuffix(r.Case, "-law-"+name)
}

// part returns the detector and the reading that the result is about.
func (r Result) part() part { return part{r.Detector, r.Reading} }

// Count returns how many results have the status.
func (r *Report) Count(s Status) int {
	return lists.Count(r.Results, func(result Result) bool { return result.Status == s })
}

// HidesMembers reports whether a strict run left out members of verdicts that may not be missing.
func (r *Report) HidesMembers() bool {
	return r.Strict && slices.ContainsFunc(r.Port.Detectors, func(o spec.Offer) bool {
		return !r.allowed(o.Uncompared()) &&
			slices.ContainsFunc(r.Results, func(result Result) bool { return result.Detector == o.Detector })
	})
}

// Intolerable returns the skipped results that a strict run does not allow; none where the run is not strict.
func (r *Report) Intolerable() []Result {
	if !r.Strict {
		return nil
	}
	return lists.Filter(r.Results, func(result Result) bool { return result.Status == Skipped && !r.allows(result) })
}

// allows reports whether all that a port does not declare, and a case needs, may be missing. A case that was skipped
// for another reason misses nothing.
func (r *Report) allows(result Result) bool {
	missing := result.missing()
	return len(missing) > 0 && r.allowed(missing)
}

func (r *Report) allowed(names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(r.Allowed, spec.Feature(name)) })
}

// NewReport returns the report of a run that has no results yet.
func NewReport(port spec.Description, options Options) *Report {
	return &Report{Suite: options.Suite, Port: PortInfoOf(port, options.Command), Seed: options.Seed}
}
