package conformance_test

import (
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

// copied is a detector of another project: it asks at the limit-th equal call in a row, and then counts anew.
type copied struct {
	limit, count int
	last         string
}

func (c *copied) Reset() { c.count, c.last = 0, "" }

func (c *copied) Observe(e spec.Event) spec.Verdict {
	if e.Type != spec.ToolCall {
		return spec.Verdict{}
	}
	if call := e.Tool + e.Args.Canonical(); call != c.last {
		c.count, c.last = 0, call
	}
	c.count++
	if c.count < c.limit {
		return spec.Verdict{}
	}
	c.Reset()
	return spec.Verdict{Loop: true}
}

// TestAGoCopyIsHeldToItsProfile: the profile's own cases are asked of a detector in Go, and one fault fails them.
func TestAGoCopyIsHeldToItsProfile(t *testing.T) {
	t.Parallel()
	conformance.TestDetector(t, "@roo", func() spec.Detector { return &copied{limit: 4} })

	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	offer := spec.Offer{Detector: "@roo", Readings: []spec.Reading{spec.Code}, Members: []string{"loop"}, Settings: []string{}}
	late := spec.NewHost(spec.Description{Name: "late"}, spec.Implementation{
		Offer: offer,
		New:   func(spec.Reading, spec.Value) (spec.Detector, error) { return &copied{limit: 5}, nil },
	})
	r, err := conformance.Run(t.Context(), late, cases.OfProfile(suite, "@roo"), conformance.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Outcome() != conformance.NotConformant || !strings.HasPrefix(r.Results[0].Case, "@roo-") {
		t.Errorf("a copy with another threshold is %s: %+v", r.Outcome(), r.Results[0])
	}
}
