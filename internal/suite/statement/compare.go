// Package statement compares what a report says of a port with a new run. A jsonl report that is published is a
// statement: anyone can run the suite again with its settings, and verify it.
package statement

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/internal/suite/knownfailures"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/words"
)

// Read reads a jsonl report that can be verified: one of a run that began, of the specification, without anything
// twice.
func Read(text []byte) (*conformance.Report, error) {
	stated, err := report.ReadJSONL(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%w; loopstone test --report jsonl=FILE writes what can be verified", err)
	}
	switch {
	case stated.Settings.Against != nil:
		return nil, errors.New("it compares two ports, and says nothing of the specification")
	case stated.Settings.LawsAlone:
		return nil, errors.New("it is about the laws alone, and not about the suite")
	case stated.Suite.Digest == "":
		return nil, errors.New("it does not say by which suite the port was judged")
	}
	tests, detectors := map[string]bool{}, map[spec.DetectorID]bool{}
	for _, r := range stated.Results {
		if r.IsNotStarted() {
			return nil, errors.New("the adapter did not start in this run")
		}
		if tests[r.Name()] {
			return nil, fmt.Errorf("the result of %s stands there twice", r.Name())
		}
		tests[r.Name()] = true
	}
	for _, offer := range stated.Port.Detectors {
		if detectors[offer.Detector] {
			return nil, fmt.Errorf("the port's detector %s stands there twice", offer.Detector)
		}
		detectors[offer.Detector] = true
	}
	return stated, nil
}

// Compare returns every difference between a statement and the report of a new run, one line each; none means that
// the run found what the report says. The report must be of all that the statement's settings ask for, so that a
// result which the statement has left out is a difference, too. Whether a failure is excused makes no difference, nor
// do the order and the settings. Of a test that was not run, the statement says nothing. Where the suite is another
// one, that is the only difference: what was asked was something else.
func Compare(stated, now *conformance.Report) []string {
	if stated.Suite.Digest != now.Suite.Digest {
		return []string{OtherSuite(stated.Suite, now.Suite)}
	}
	was, is := factsOf(stated), factsOf(now)
	after := map[string]fact{}
	for _, f := range is {
		after[f.of] = f
	}
	var lines []string
	for _, before := range was {
		if f := after[before.of]; f.is != before.is && !before.notRun {
			lines = append(lines, fmt.Sprintf("%s: now %s; the report says %s", before.of, f, before))
		}
		delete(after, before.of)
	}
	for _, f := range is {
		if _, isNew := after[f.of]; isNew {
			lines = append(lines, fmt.Sprintf("%s: now %s; the report says nothing", f.of, f))
		}
	}
	return lines
}

// OtherSuite returns the difference between a statement and any run of another suite.
func OtherSuite(stated, now conformance.SuiteInfo) string {
	return fmt.Sprintf("the suites differ, so that nothing else can be compared: now %s, the report is about %s",
		describeSuite(now), describeSuite(stated))
}

func describeSuite(s conformance.SuiteInfo) string {
	return fmt.Sprintf("%q of version %q with %d of %d cases", s.Digest, s.Version, s.Selected, s.Total)
}

// fact is something that a report says: what it is about, what is so, and why, which makes no difference.
type fact struct {
	of, is, why string
	notRun      bool
}

// mostShown bounds how much of a fact one line bears, in characters.
const mostShown = 161

func (f fact) String() string {
	text := cmp.Or(f.is, "nothing")
	if f.why != "" {
		text += ": " + f.why
	}
	return words.Cut(text, mostShown)
}

// factsOf returns all that a report says of the suite, the port and each test.
func factsOf(r *conformance.Report) []fact {
	suite, port := r.Suite, r.Port
	facts := []fact{
		{of: "the version of the suite", is: strconv.Quote(suite.Version)},
		{of: "selected cases", is: strconv.Itoa(suite.Selected)},
		{of: "cases", is: strconv.Itoa(suite.Total)},
		{of: "cases of the protocol that are not selected", is: strconv.Itoa(suite.UnselectedProtocol)},
		{of: "selected laws", is: strconv.Itoa(suite.Laws)},
		{of: "laws that are not selected", is: strconv.Itoa(suite.UnselectedLaws)},
		{of: "laws that are left out", is: strconv.Itoa(suite.UncheckedLaws)},
		{of: "the port's name", is: strconv.Quote(port.Name)},
		{of: "the port's version", is: strconv.Quote(port.Version)},
		{of: "the port's language", is: strconv.Quote(port.Language)},
		{of: "the port's address", is: strconv.Quote(port.URL)},
	}
	for _, offer := range port.Detectors {
		facts = append(facts, fact{of: "what the port declares of " + string(offer.Detector), is: describe(offer)})
	}
	for _, result := range r.Results {
		facts = append(facts, endOf(result))
	}
	return facts
}

// describe says what a port declares of a detector. The order in which it says so is of no account.
func describe(o spec.Offer) string {
	text := "readings " + join(o.Readings) + "; features " + cmp.Or(join(o.Features), "none") +
		listed("rules", o.Rules) + listed("members", o.Members) + listed("settings", o.Settings)
	if o.Defaults != "" {
		text += "; defaults " + string(o.Defaults)
	}
	return text
}

// listed names a list; where nothing is said, it is of all that there is.
func listed[T ~string](what string, list []T) string {
	if list == nil {
		return ""
	}
	return "; " + what + " " + join(list)
}

func join[T ~string](list []T) string {
	return strings.Join(slices.Sorted(slices.Values(words.Of(list))), " ")
}

// endOf says how a test ended. All that differs in a failure is so; whether it is excused is not told.
func endOf(r conformance.Result) fact {
	end := fact{of: r.Name(), is: string(r.Status), why: oneLine(r.Reason), notRun: r.IsNotRun()}
	switch {
	case r.Status == conformance.Failed || r.Status == conformance.Known:
		end.is, end.why = string(conformance.Failed), ""
		if r.Failure.Step > 0 {
			end.is += fmt.Sprintf(" at step %d", r.Failure.Step)
		}
		end.is += ": " + strings.Join(knownfailures.Differs(r.Failure), ", ")
	case r.Reason == "" && r.Failure != nil: // of an adapter that broke the protocol
		end.why = oneLine(r.Failure.Problem)
	}
	return end
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
