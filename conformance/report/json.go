package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec/words"
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
// colour; what was left out is said.
func badgeMessage(r *conformance.Report) (message, color string) {
	counts := tally(r.Results)
	passed, ran := counts[conformance.Passed], len(r.Results)-counts[conformance.Skipped]
	switch r.Outcome() {
	case conformance.Improved:
		return strings.TrimSuffix(changesOf(r), "; "), "green"
	case conformance.Conformant:
		message, color = fmt.Sprintf("%s%d/%d %s", narrowed(r.Port), passed, ran, outcomeWord(r)), "brightgreen"
	case conformance.NotConformant:
		message, color = fmt.Sprintf("%s%d/%d passed", narrowed(r.Port), passed, ran), "red"
	case conformance.AdapterFault:
		return "adapter at fault", "orange"
	case conformance.SuiteFault:
		return "suite at fault", "lightgrey"
	default:
		return "undecided", "lightgrey"
	}
	left := counts[conformance.Skipped] + r.Suite.Total - r.Suite.Selected + r.Suite.UnselectedLaws + r.Suite.UncheckedLaws
	if r.Settings.LawsAlone {
		message = "protocol and laws alone: " + message
	}
	if r.Settings.Folder != "" {
		message = "own cases: " + message
	}
	if left > 0 {
		message += fmt.Sprintf(", %d not checked", left)
	}
	if color == "brightgreen" {
		color = "green"
		if n := notLookedAt(r); n > 0 {
			message, color = fmt.Sprintf("%s, %d not looked at", message, n), "yellow"
		} else if left+counts[conformance.Known]+len(notCompared(r))+len(r.Port.Unexercised) == 0 && !isPartial(r.Settings) {
			color = "brightgreen"
		}
	}
	return message, color
}

// notLookedAt returns how many known failures nobody has looked at.
func notLookedAt(r *conformance.Report) int {
	return len(words.Among(r.Results, func(result conformance.Result) bool { return !result.IsLookedAt() }))
}

// isPartial reports whether a run asked for something else than the whole suite.
func isPartial(s conformance.Settings) bool { return s.LawsAlone || s.Against != nil || s.Folder != "" }

// wholeDocument is a report as one JSON document: how it ended, and then all that it holds.
type wholeDocument struct {
	Outcome string                     `json:"outcome"`
	Exit    int                        `json:"exit"`
	Counts  map[conformance.Status]int `json:"counts"`
	Changes map[conformance.Change]int `json:"changes,omitempty"`
	*conformance.Report
}

// document renders the report as one JSON document, with members in a fixed order.
func document(r *conformance.Report, _ Options) ([]byte, error) {
	outcome := r.Outcome()
	return indented(wholeDocument{outcome.String(), int(outcome), tally(r.Results), r.CountChanges(), r})
}

// indented returns a value as JSON for machines that people look at too.
func indented(v any) ([]byte, error) { return encoded("  ", v) }

// encoded returns values as JSON, each ended by a line end.
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
	return b.Bytes(), nil
}
