package report

import (
	"bytes"
	"encoding/json"

	"github.com/loopstone/loopstone/conformance"
)

// wholeDocument is a report as one JSON document: how it ended, and then all that it holds.
type wholeDocument struct {
	Outcome string                     `json:"outcome"`
	Exit    int                        `json:"exit"`
	Counts  map[conformance.Status]int `json:"counts"`
	*conformance.Report
}

// document renders the report as one JSON document, with members in a fixed order.
func document(r *conformance.Report, _ Options) ([]byte, error) {
	outcome := r.Outcome()
	return indented(wholeDocument{outcome.String(), int(outcome), tally(r.Results), r})
}

// indented returns a value as JSON for machines that people look at too.
func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(v)
	return b.Bytes(), err
}
