package knownfailures

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

// NotLookedAt is the reason that Write gives for a failure which no ledger has excused yet.
const NotLookedAt = "not yet looked at"

const head = `# What the port is known to get wrong. Say in each reason why it fails there. An entry that is not right any more fails
# the run: delete it when its case passes.
`

// Write writes a ledger that excuses every failure of the report, and nothing else: one entry for each case, or for
// each of its readings where not all fail alike, sorted by the cases' ids. What a ledger has excused in this run keeps
// its reason, though not its last day. A report in which a case could not be run is refused: whoever applied such a
// ledger would not know what that case does.
func Write(w io.Writer, report *conformance.Report) error {
	var b strings.Builder
	b.WriteString(head)
	entries, err := entriesOf(report)
	if err != nil {
		return fmt.Errorf("write a ledger: %w", err)
	}
	if len(entries) == 0 {
		b.WriteString("known: []\n")
	} else {
		b.WriteString("known:\n")
	}
	for _, e := range entries {
		e.write(&b)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write a ledger: %w", err)
	}
	return nil
}

// silences are the statuses of cases that could not be run: nobody knows whether the port is right.
var silences = []conformance.Status{conformance.Broken, conformance.Faulty, conformance.Undecided}

// entriesOf returns the fewest entries that name every failure of the report.
func entriesOf(report *conformance.Report) ([]Entry, error) {
	byCase := map[string][]conformance.Result{}
	var silent []conformance.Result
	for _, r := range report.Results {
		if slices.Contains(silences, r.Status) {
			silent = append(silent, r)
		}
		byCase[r.Case] = append(byCase[r.Case], r)
	}
	if silent != nil {
		return nil, fmt.Errorf("%d of %d cases could not be run: %s", len(silent), len(report.Results),
			enumerate(silent, nameAndReason))
	}
	var entries []Entry
	for _, id := range slices.Sorted(maps.Keys(byCase)) {
		entries = append(entries, entriesOfCase(byCase[id])...)
	}
	return entries, nil
}

// entriesOfCase returns one entry for a case that fails alike in every reading that it could be run in, else one for
// each reading in which it fails.
func entriesOfCase(results []conformance.Result) []Entry {
	var entries []Entry
	for _, r := range results {
		if failed(r) {
			entries = append(entries, entryOf(r))
		}
	}
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Reading, b.Reading) })
	if len(entries) == 0 || len(entries) < len(readingsOf(results[0].Detector)) {
		return entries
	}
	whole := entries[0]
	whole.Reading = ""
	for _, e := range entries {
		e.Reading = ""
		if e != whole {
			return entries
		}
	}
	return []Entry{whole}
}

// readingsOf returns the readings of the detector: a run over one of them says nothing of the other.
func readingsOf(id spec.DetectorID) []spec.Reading {
	profile, _ := spec.DefinitionOf(id) // the protocol, which is no detector, has none
	return profile.Readings
}

// entryOf returns the entry for one failure.
func entryOf(r conformance.Result) Entry {
	e := Entry{Case: r.Case, Reading: r.Reading, Step: AnyStep, Reason: r.Excuse}
	if e.Reason == "" {
		e.Reason = NotLookedAt
	}
	if r.Failure == nil {
		return e
	}
	e.Step, e.Member = stepOf(r.Failure), firstPath(r.Failure)
	return e
}

func (e Entry) write(b *strings.Builder) {
	fmt.Fprintf(b, "  - case: %s\n", scalar(e.Case))
	if e.Reading != "" {
		fmt.Fprintf(b, "    reading: %s\n", e.Reading)
	}
	if e.Step != AnyStep {
		fmt.Fprintf(b, "    step: %d\n", e.Step)
	}
	if e.Member != "" {
		fmt.Fprintf(b, "    member: %s\n", scalar(e.Member))
	}
	fmt.Fprintf(b, "    reason: %s\n", scalar(e.Reason))
}

var (
	// plain is what every reader of YAML takes for a text, but for the ambiguous words.
	plain     = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]*( [A-Za-z0-9_-]+)*$`)
	ambiguous = regexp.MustCompile(`^(?i)(y|yes|n|no|on|off|true|false|null)$`)
)

// scalar writes a text so that the strict dialect reads it back. Go's escapes are all among those of YAML's double
// quotes, and what Go leaves as it is, being printable, YAML does too.
func scalar(text string) string {
	if plain.MatchString(text) && !ambiguous.MatchString(text) {
		return text
	}
	return strconv.Quote(text)
}
