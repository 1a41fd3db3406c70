package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
)

// shield is what a shields.io endpoint serves.
type shield struct {
	SchemaVersion int    `json:"schemaVersion"` // always 1
	Label         string `json:"label"`
	Message       string `json:"message"`
	Color         string `json:"color"`
}

// badge renders the report as the JSON that a shields.io endpoint badge is made of.
func badge(r *conformance.Report, _ Options) ([]byte, error) {
	message, color := badgeMessage(r)
	return indented(shield{1, "loopstone", message, color})
}

// badgeMessage says in a few words how the run ended. Only a port that passed everything there is gets the brightest
// colour; what was left out is said. Without traces of a random seed no badge is green: a port may have learned the
// verdicts of all the others.
func badgeMessage(r *conformance.Report) (message, color string) {
	switch r.Outcome() {
	case conformance.Improved:
		return strings.TrimSuffix(changesOf(r), "; "), "green"
	case conformance.Conformant:
		return sharesOnBadge(r, outcomeWord(r)), greenOf(r)
	case conformance.NotConformant:
		return sharesOnBadge(r, "passed"), "red"
	case conformance.AdapterFault:
		return "adapter at fault", "orange"
	case conformance.SuiteFault:
		return "suite at fault", "lightgrey"
	default:
		return "undecided", "lightgrey"
	}
}

// sharesOnBadge says of which rules and cases how many tests passed, and what was left out.
func sharesOnBadge(r *conformance.Report, word string) string {
	tests, protocol := sharesOf(r)
	good := r.Outcome() == conformance.Conformant
	left, open := leftOut(r), notLookedAt(r)
	return strings.Join(said(
		remark{r.Settings.Folder != "", "own cases: "},
		remark{r.Settings.LawsAlone, "protocol and laws alone: "},
		remark{true, shortRules(r.Port) + known(r.Port)},
		remark{tests.ran > 0, fmt.Sprintf("%d/%d %s", tests.passed, tests.ran, word)},
		remark{tests.ran > 0 && protocol.ran > 0, ", "},
		remark{protocol.ran > 0, fmt.Sprintf("%d/%d of the protocol", protocol.passed, protocol.ran)},
		remark{left > 0, fmt.Sprintf(", %d not checked", left)},
		remark{good && open > 0, fmt.Sprintf(", %d not looked at", open)},
		remark{good && !r.HasRandomSeed() && r.Settings.Against == nil, ", no random seed"},
	), "")
}

// greenOf returns the colour of a port that passed what it was asked.
func greenOf(r *conformance.Report) string {
	lacks := leftOut(r) + r.Count(conformance.Known) + len(notCompared(r)) + len(r.Port.Unexercised)
	switch {
	case notLookedAt(r) > 0 || !r.HasRandomSeed() && r.Settings.Against == nil:
		return "yellow"
	case lacks > 0 || isPartial(r.Settings) || shortRules(r.Port) != "":
		return "green"
	default:
		return "brightgreen"
	}
}

// leftOut returns how many tests and cases were not run.
func leftOut(r *conformance.Report) int {
	return r.Count(conformance.Skipped) + r.Suite.Total - r.Suite.Selected + r.Suite.UnselectedLaws + r.Suite.UncheckedLaws
}

// notLookedAt returns how many known failures nobody has looked at.
func notLookedAt(r *conformance.Report) int {
	return lists.Count(r.Results, func(result conformance.Result) bool { return !result.IsLookedAt() })
}

// isPartial reports whether a run asked for something else than the whole suite.
func isPartial(s conformance.Settings) bool { return s.LawsAlone || s.Against != nil || s.Folder != "" }

// indented returns a value as JSON for machines that people look at too.
func indented(v any) ([]byte, error) { return encoded("  ", v) }

// encoded returns values as JSON, each ended by a line end. What a terminal would obey or would not show is escaped.
func encoded(indent string, values ...any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", indent)
	for _, v := range values {
		if err := encoder.Encode(v); err != nil {
			return nil, err
		}
	}
	return wording.VisibleJSON(b.Bytes()), nil
}
