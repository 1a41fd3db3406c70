package conformance

import (
	"context"
	"slices"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/declared"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// TestDetector is [Test] of one detector in Go that takes no configuration. The function returns a detector with an
// empty trace. What the detector has, it is asked: snapshots and a state by their methods, evidence, messages and the
// other members of verdicts by what it says to the traces of the suite, and its reading, where the detector has
// several, by the cases that it passes.
func TestDetector(t *testing.T, id spec.DetectorID, made func() spec.Detector, options ...TestOption) {
	t.Helper()
	row, known := spec.DefinitionOf(id)
	if !known {
		t.Fatal(declared.CheckDetector(id))
	}
	suite, err := cases.All()
	if err != nil {
		t.Fatalf("the suite is wrong: %v", err)
	}
	suite = slices.Concat(suite, cases.OfProfile(suite, id))
	suite = lists.Filter(suite, func(c cases.Case) bool { return c.Detector == id })
	var best spec.Port
	most := -1
	for _, reading := range row.Readings {
		port := hostOf(askedOffer(t.Context(), row, reading, made, suite), made)
		report, err := Run(t.Context(), port, suite, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if n := report.Count(Passed); n > most {
			best, most = port, n
		}
	}
	only := Only(cases.Selection{Detectors: []string{string(id)}})
	Test(t, best, slices.Concat([]TestOption{only}, options)...)
}

// hostOf returns a port of one detector that takes no configuration.
func hostOf(offer spec.Offer, made func() spec.Detector) spec.Port {
	return spec.NewHost(
		spec.Description{Name: "detector", Version: "0", Language: "go"},
		spec.Implementation{Offer: offer, New: func(r spec.Reading, config spec.Value) (spec.Detector, error) {
			if _, err := offer.Read(r, config); err != nil {
				return nil, err
			}
			return made(), nil
		}},
	)
}

// askedOffer returns what a detector has, by its methods and by what it says to the traces of cases.
func askedOffer(
	ctx context.Context, row spec.Definition, reading spec.Reading, made func() spec.Detector, suite []cases.Case,
) spec.Offer {
	offer := spec.Offer{
		Detector: row.ID, Readings: []spec.Reading{reading}, Members: []string{"loop"}, Settings: []string{},
	}
	said := membersSaid(ctx, recovering(hostOf(offer, made)), reading, suite)
	for _, name := range row.Members() {
		if said[name] && !slices.Contains(offer.Members, name) {
			offer.Members = append(offer.Members, name)
		}
	}
	_, hasState := made().(spec.Stater)
	_, hasSnapshots := made().(spec.Snapshotter)
	has := map[spec.Feature]bool{
		spec.Evidence: said["evidence"], spec.Messages: said["message"],
		spec.State: hasState, spec.Snapshots: hasSnapshots,
	}
	offer.Features = lists.Filter(row.Features, func(f spec.Feature) bool { return has[f] })
	return offer
}

// membersSaid plays the traces of cases to a port, and returns which members its verdicts have.
func membersSaid(
	ctx context.Context, port spec.Port, reading spec.Reading, suite []cases.Case,
) map[string]bool {
	said := map[string]bool{}
	for _, c := range suite {
		for _, trace := range laws.TracesOf(c) {
			if trace.Reading != reading || !trace.Config.IsAbsent() {
				continue
			}
			verdicts, err := laws.Play(ctx, port, trace)
			if err != nil {
				continue // what it refuses, cases tell
			}
			for _, v := range verdicts {
				for _, m := range v.Members() {
					said[m.Name] = true
				}
			}
		}
	}
	return said
}
