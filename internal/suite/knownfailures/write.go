package knownfailures

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

const head = `# The failures that you accept for now. Write in each reason why the port fails. An entry that is out of date fails
# the run: delete it when its case passes.
known:`

// Write writes a list that excuses every failure of the report, and nothing else: one entry for each case, or for each
// of its readings where not all fail alike, sorted by the cases' ids. An entry of the old list, which may be nil,
// leaves its reason, address and last day to the failures that it is about; where it says another failure, the reason
// begins with [conformance.NotLookedAt] again. A report in which a case could not be run is refused: whoever applied
// such a list would not know what that case does.
func Write(w io.Writer, report *conformance.Report, old *List) error {
	entries, err := entriesOf(report, old)
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString(head)
	if len(entries) == 0 {
		b.WriteString(" []")
	}
	b.WriteString("\n")
	for _, e := range entries {
		e.write(&b)
	}
	_, err = io.WriteString(w, b.String())
	return err
}

// Entries returns how many entries [Write] writes for a report.
func Entries(report *conformance.Report, old *List) int {
	entries, _ := entriesOf(report, old) // Write returns the error
	return len(entries)
}

// entriesOf returns the fewest entries that name every failure of the report.
func entriesOf(report *conformance.Report, old *List) ([]Entry, error) {
	byCase, detectors := map[string][]Entry{}, map[string]spec.DetectorID{}
	var silent []*conformance.Result
	for _, r := range report.Results {
		switch {
		case r.Status.IsFailure():
			byCase[r.Case] = append(byCase[r.Case], old.entryOf(r))
			detectors[r.Case] = r.Detector
		case r.Status != conformance.Passed && r.Status != conformance.Skipped:
			silent = append(silent, &r)
		}
	}
	if silent != nil {
		return nil, fmt.Errorf("%d of %d cases could not be run: %s", len(silent), len(report.Results), enumerate(silent))
	}
	var entries []Entry
	for _, id := range slices.Sorted(maps.Keys(byCase)) {
		entries = append(entries, joined(byCase[id], detectors[id])...)
	}
	return entries, nil
}

// joined returns one entry for a case that fails alike in every reading of its detector, else one for each reading in
// which it fails: a run over one reading says nothing of the other.
func joined(entries []Entry, detector spec.DetectorID) []Entry {
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Reading, b.Reading) })
	profile, _ := spec.DefinitionOf(detector) // the protocol, which is no detector, has no readings
	whole := entries[0]
	whole.Reading = ""
	for _, e := range entries {
		e.Reading = ""
		if len(entries) < len(profile.Readings) || !reflect.DeepEqual(e, whole) {
			return entries
		}
	}
	return []Entry{whole}
}

// entryOf returns the entry for one failure, with the words that the list has for it.
func (l *List) entryOf(r conformance.Result) Entry {
	e := Entry{
		Case: r.Case, Reading: r.Reading, Step: stepOf(r.Failure), Differs: r.Failure.Lines(),
		Reason: conformance.NotLookedAt,
	}
	if l == nil {
		return e
	}
	i := slices.IndexFunc(l.Entries, func(old Entry) bool { return old.matches(r.Case, r.Reading) })
	if i < 0 {
		return e
	}
	old := l.Entries[i]
	e.Reason, e.URL, e.Expires = old.Reason, old.URL, old.Expires
	if old.Differs != nil && !old.describes(r.Failure) && !strings.HasPrefix(old.Reason, conformance.NotLookedAt) {
		e.Reason = conformance.NotLookedAt + " again; of another failure it was said: " + old.Reason
	}
	return e
}

func (e Entry) write(b *strings.Builder) {
	member := func(name, value string) {
		if value != "" {
			fmt.Fprintf(b, "    %s: %s\n", name, strictyaml.Quoted(value))
		}
	}
	fmt.Fprintf(b, "  - case: %s\n", strictyaml.Quoted(e.Case))
	member("reading", string(e.Reading))
	if e.Step != noStep {
		fmt.Fprintf(b, "    step: %d\n", e.Step)
	}
	b.WriteString("    differs:\n")
	for _, line := range e.Differs {
		fmt.Fprintf(b, "      - %s\n", strictyaml.Quoted(line))
	}
	member("reason", e.Reason)
	member("url", e.URL)
	member("expires", e.Expires)
}
