package rulecases

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/internal/testing/faultyadapter"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// lateFault is a way in which a port goes wrong that no short trace of small events shows.
type lateFault struct {
	name  string
	about string // of the ids of the cases that are to show it, one of several parts
	port  faultyadapter.Spoilt
}

// lateFaults returns them, for a port that is otherwise right.
func lateFaults(port spec.Port) []lateFault {
	var list []lateFault
	add := func(about, name string, p faultyadapter.Spoilt) {
		p.Port = port
		list = append(list, lateFault{name, about, p})
	}
	for _, n := range []int{100, 1000, 5000, 10_000} {
		add("session late", fmt.Sprintf("silent after %d events", n), faultyadapter.Spoilt{Silent: func(events, _ int) bool { return events > n }})
	}
	for _, n := range []int{100, 300, 500, 1000} {
		after := func(events int) bool { return events > n }
		add("snapshots restored", fmt.Sprintf("empty snapshots after %d events", n), faultyadapter.Spoilt{Empty: after})
	}
	between := func(events int) bool { return 100 <= events && events <= 500 }
	add("snapshots restored", "empty snapshots after 100 to 500 events", faultyadapter.Spoilt{Empty: between})
	for _, n := range []int{20_000, 100_000, 1_000_000} {
		add("large", fmt.Sprintf("silent on %d bytes", n), faultyadapter.Spoilt{Silent: func(_, size int) bool { return size >= n }})
		add("large", fmt.Sprintf("refuses %d bytes", n), faultyadapter.Spoilt{Refuses: func(size int) bool { return size >= n }})
	}
	return list
}

// TestAPortThatGoesWrongLateIsNoticed: each detector in each reading has cases that show a port that goes wrong in long
// sessions, or on large events.
func TestAPortThatGoesWrongLateIsNoticed(t *testing.T) {
	t.Parallel()
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range spec.Detectors() {
		for _, reading := range d.Readings {
			offer := d.Offer()
			offer.Readings = []spec.Reading{reading}
			var asked []cases.Case
			for _, c := range suite {
				if c.Detector == d.ID && c.IsLong() {
					asked = append(asked, c)
				}
			}
			t.Run(fmt.Sprintf("%s %s", d.ID, reading), func(t *testing.T) {
				t.Parallel()
				checkLate(t, i, reference.Port(), reading, asked)
			})
		}
	}
}

// TestAPortOfAProfileThatGoesWrongLateIsNoticed: so has each profile, and rules of a port's own have them.
func TestAPortOfAProfileThatGoesWrongLateIsNoticed(t *testing.T) {
	if testing.Short() {
		t.Skip("long cases of each profile: make long runs it")
	}
	t.Parallel()
	all, err := profile.All()
	if err != nil {
		t.Fatal(err)
	}
	var offers []spec.Offer
	for _, p := range all {
		offers = append(offers, p.Offer())
	}
	for id, config := range map[spec.DetectorID]string{
		"@mine":        `{"rules":[{"rungs":[{"at":4}]},{"same":{"by":"tool"},"rungs":[{"at":9}]}]}`,
		"@mine-stream": `{"rules":["tail"],"tail_copies":8}`,
	} {
		offer := all[0].Offer()
		offer.Detector, offer.Fixed = id, spec.MustParse(config)
		offers = append(offers, offer)
	}
	for i, offer := range offers {
		t.Run(string(offer.Detector), func(t *testing.T) {
			t.Parallel()
			asked := lists.Filter(askedOf(t, offer), func(c cases.Case) bool {
				return c.IsLong() && slices.Contains(c.Tags, cases.ProfileTag)
			})
			checkLate(t, i, reference.Port(offer), spec.Code, asked)
		})
	}
}

func isAboutOne(c cases.Case, words string) bool {
	return slices.ContainsFunc(strings.Fields(words), func(word string) bool { return strings.Contains(c.ID, word) })
}

// checkLate fails unless each late fault of a port fails a case that the port itself passes. With -short it plants two of
// the faults, in one port others than in the next.
func checkLate(t *testing.T, n int, port spec.Port, reading spec.Reading, asked []cases.Case) {
	t.Helper()
	if r := judged(t, port, asked); r.Count(conformance.Passed) != len(r.Results) || len(r.Results) == 0 {
		t.Fatalf("the port itself passes %d of %d", r.Count(conformance.Passed), len(r.Results))
	}
	for i, fault := range lateFaults(port) {
		if testing.Short() && (i+n)%7 != 0 {
			continue
		}
		failed := 0
		about := lists.Filter(asked, func(c cases.Case) bool { return isAboutOne(c, fault.about) })
		for _, result := range judged(t, fault.port, about).Results {
			if result.Reading == reading && result.Status == conformance.Failed {
				failed++
			}
		}
		if failed == 0 {
			t.Errorf("%s: none of %d cases fails", fault.name, len(about))
		}
	}
}

func judged(t *testing.T, port spec.Port, asked []cases.Case) *conformance.Report {
	t.Helper()
	r, err := conformance.Run(t.Context(), port, asked, conformance.Options{Suite: conformance.SuiteInfo{Selected: len(asked)}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
