// Package statement compares what a report says of a port with a new run. A jsonl report that is published is a
// statement: anyone can run the suite again with its settings, and verify it.
package statement

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
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
	tests, detectors := map[key]bool{}, map[spec.DetectorID]bool{}
	for _, r := range stated.Results {
		if r.IsNotStarted() {
			return nil, errors.New("the adapter did not start in this run")
		}
		if tests[keyOf(r)] {
			return nil, fmt.Errorf("the result of %s stands there twice", r.Name())
		}
		tests[keyOf(r)] = true
	}
	for _, offer := range stated.Port.Detectors {
		if detectors[offer.Detector] {
			return nil, fmt.Errorf("the port's detector %s stands there twice", offer.Detector)
		}
		detectors[offer.Detector] = true
	}
	return stated, nil
}

// key names a result: a case in a reading.
type key struct {
	id      string
	reading spec.Reading
}

func keyOf(r conformance.Result) key { return key{r.Case, r.Reading} }

// Compare returns every difference between a statement and the report of a new run, one line each; none means that
// the run found what the statement says. The report must be of all that the statement's settings ask for, so that a
// result which the statement has left out is a difference, too. Whether a failure is excused makes no difference, nor
// do the order and the settings. Where the suite is another one, that is the only difference: what was asked was
// something else.
func Compare(stated, now *conformance.Report) []string {
	if stated.Suite.Digest != now.Suite.Digest {
		return []string{OtherSuite(stated.Suite, now.Suite)}
	}
	c := comparison{stated: stated, now: now}
	c.versions()
	c.port()
	c.results()
	return c.lines
}

// OtherSuite returns the difference between a statement and any run of another suite.
func OtherSuite(stated, now conformance.SuiteInfo) string {
	return fmt.Sprintf("the suite is another one, so that nothing else can be compared: now %s, the statement is about %s",
		describeSuite(now), describeSuite(stated))
}

func describeSuite(s conformance.SuiteInfo) string {
	return fmt.Sprintf("%q of version %q with %d of %d cases", s.Digest, s.Version, s.Selected, s.Total)
}

// comparison collects the differences between a statement and a new run.
type comparison struct {
	stated, now *conformance.Report
	lines       []string
}

func (c *comparison) add(format string, args ...any) {
	c.lines = append(c.lines, fmt.Sprintf(format, args...))
}

func (c *comparison) text(what, stated, now string) {
	if stated != now {
		c.add("%s is %q now, the statement says %q", what, now, stated)
	}
}

func (c *comparison) number(what string, stated, now int) {
	if stated != now {
		c.add("%s is %d now, the statement says %d", what, now, stated)
	}
}

func (c *comparison) versions() {
	c.text("the version of the suite", c.stated.Suite.Version, c.now.Suite.Version)
	c.number("the number of selected cases", c.stated.Suite.Selected, c.now.Suite.Selected)
	c.number("the number of cases", c.stated.Suite.Total, c.now.Suite.Total)
	c.number("the number of cases of the protocol that are not selected",
		c.stated.Suite.UnselectedProtocol, c.now.Suite.UnselectedProtocol)
	c.number("the number of selected laws", c.stated.Suite.Laws, c.now.Suite.Laws)
	c.number("the number of laws that are not selected", c.stated.Suite.UnselectedLaws, c.now.Suite.UnselectedLaws)
	c.number("the number of laws that are left out", c.stated.Suite.UncheckedLaws, c.now.Suite.UncheckedLaws)
}

// port compares what the port says of itself. The order in which it says so is of no account.
func (c *comparison) port() {
	c.text("the port's name", c.stated.Port.Name, c.now.Port.Name)
	c.text("the port's version", c.stated.Port.Version, c.now.Port.Version)
	c.text("the port's language", c.stated.Port.Language, c.now.Port.Language)
	c.text("the port's address", c.stated.Port.URL, c.now.Port.URL)
	for _, offer := range c.stated.Port.Detectors {
		other, ok := offerOf(c.now.Port.Detectors, offer.Detector)
		if !ok {
			c.add("the port does not declare the detector %q now, the statement does", offer.Detector)
			continue
		}
		for _, part := range []struct{ what, stated, now string }{
			{"readings", join(offer.Readings), join(other.Readings)},
			{"features", join(offer.Features), join(other.Features)},
			{"rules", orAll(offer.Rules), orAll(other.Rules)},
			{"members", orAll(offer.Members), orAll(other.Members)},
			{"settings", orAll(offer.Settings), orAll(other.Settings)},
		} {
			c.text(fmt.Sprintf("the list of the port's %s of %s", part.what, offer.Detector), part.stated, part.now)
		}
		c.text(fmt.Sprintf("whose defaults %s has", offer.Detector), string(offer.Defaults), string(other.Defaults))
	}
	for _, offer := range c.now.Port.Detectors {
		if _, ok := offerOf(c.stated.Port.Detectors, offer.Detector); !ok {
			c.add("the port declares the detector %q now, the statement does not", offer.Detector)
		}
	}
}

func offerOf(offers []conformance.OfferInfo, id spec.DetectorID) (conformance.OfferInfo, bool) {
	i := slices.IndexFunc(offers, func(o conformance.OfferInfo) bool { return o.Detector == id })
	if i < 0 {
		return conformance.OfferInfo{}, false
	}
	return offers[i], true
}

// join returns words in one line, in an order that does not depend on theirs.
func join[T ~string](list []T) string {
	return strings.Join(slices.Sorted(slices.Values(words.Of(list))), " ")
}

// orAll is [join] of a list of which nothing said means all.
func orAll[T ~string](words []T) string {
	if words == nil {
		return "all"
	}
	return join(words)
}

// results compares case by case, in the order of the statement; what it does not have comes after.
func (c *comparison) results() {
	now, stated := map[key]conformance.Result{}, map[key]bool{}
	for _, r := range c.now.Results {
		now[keyOf(r)] = r
	}
	for _, r := range c.stated.Results {
		stated[keyOf(r)] = true
		if after, ok := now[keyOf(r)]; ok {
			c.result(r, after)
		} else {
			c.add("%s was not run now, the statement says %s", r.Name(), r.Status)
		}
	}
	for _, r := range c.now.Results {
		if !stated[keyOf(r)] {
			c.add("%s has the status %s now, the statement does not have it", r.Name(), r.Status)
		}
	}
}

// result compares how one case ended.
func (c *comparison) result(stated, now conformance.Result) {
	switch after := unexcused(now.Status); {
	case after == unexcused(stated.Status) && after == conformance.Failed:
		c.failure(stated, now)
	case after == unexcused(stated.Status):
	case after == conformance.Failed:
		c.add("%s fails now, the statement says %s%s", now.Name(), stated.Status, detail(now.Failure))
	case after == conformance.Passed:
		c.add("%s passes now, the statement says %s", now.Name(), stated.Status)
	default:
		c.add("%s is %s now, the statement says %s%s", now.Name(), now.Status, stated.Status, because(reasonOf(now)))
	}
}

// failure compares where and how one case fails.
func (c *comparison) failure(stated, now conformance.Result) {
	said, found := knownfailures.Differs(stated.Failure), knownfailures.Differs(now.Failure)
	switch {
	case stated.Failure.Step != now.Failure.Step:
		c.add("%s fails at step %d now, the statement says %d", now.Name(), now.Failure.Step, stated.Failure.Step)
	case !slices.Equal(said, found):
		c.add("%s fails otherwise now: %s; the statement says: %s", now.Name(),
			cut(strings.Join(found, ", ")), cut(strings.Join(said, ", ")))
	}
}

// reasonOf returns in one line why a case was not judged.
func reasonOf(r conformance.Result) string {
	if r.Reason == "" && r.Failure != nil {
		return oneLine(r.Failure.Problem) // of an adapter that broke the protocol
	}
	return oneLine(r.Reason)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// unexcused returns the status without an excuse: it does not change what the port does.
func unexcused(s conformance.Status) conformance.Status {
	if s == conformance.Known {
		return conformance.Failed
	}
	return s
}

// detail says where and how a case fails, after a colon.
func detail(f *conformance.Failure) string {
	text := strings.Join(knownfailures.Differs(f), ", ")
	if f.Step > 0 {
		text = fmt.Sprintf("step %d, %s", f.Step, text)
	}
	return because(text)
}

// maxDetail bounds how much of a reason one line bears, in characters.
const maxDetail = 161

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + cut(reason)
}

func cut(text string) string { return words.Cut(text, maxDetail) }
