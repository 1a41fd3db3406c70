package profile

import (
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// TestPortsOfProfilesAreHeldToThem runs the cases of each profile on the plain rules, which pass all, and on the same
// rules with each threshold one higher, of which some fail.
func TestPortsOfProfilesAreHeldToThem(t *testing.T) {
	t.Parallel()
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			offer := p.Offer()
			asked, err := CasesOf(t.Context(), suite, offer)
			if err != nil {
				t.Fatal(err)
			}
			if first := offer.Detector + "-reaches-1"; asked[0].ID != string(first) {
				t.Errorf("it is first asked %s, want %s: a wrong threshold is best seen there", asked[0].ID, first)
			}
			ids := map[string]bool{} // by which a result is found
			for _, c := range asked {
				ids[c.ID] = true
			}
			if len(ids) != len(asked) || len(ids) < 5 {
				t.Errorf("%d cases have %d ids", len(asked), len(ids))
			}
			late := offer
			late.Fixed = later(offer.Fixed)
			if offer.Detector.Row() == spec.Stream {
				late.Fixed = moreCopies(t, offer.Fixed)
			}
			for _, port := range []struct {
				spec.Port
				want conformance.Outcome
			}{
				{reference.Rules(offer), conformance.Conformant},
				{reference.Rules(late), conformance.NotConformant},
			} {
				r, err := conformance.Run(t.Context(), port, asked, conformance.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if got := r.Outcome(); got != port.want {
					t.Errorf("it is %s, want %s; %d cases passed, %d failed", got, port.want,
						r.Count(conformance.Passed), r.Count(conformance.Failed))
				}
			}
		})
	}
}

// later returns a configuration whose thresholds are one higher.
func later(v spec.Value) spec.Value {
	if n, ok := v.Get("at").Int(); ok {
		v = v.With("at", spec.IntValue(n+1))
	}
	return v.Map(later)
}

// moreCopies returns a configuration of stream whose rules want a copy more.
func moreCopies(t *testing.T, config spec.Value) spec.Value {
	t.Helper()
	c, err := streamOf(config)
	if err != nil {
		t.Fatal(err)
	}
	config = config.With("tail_copies", spec.IntValue(c.TailCopies+1))
	return config.With("chunk_copies", spec.IntValue(c.ChunkCopies+1)).With("lines_copies", spec.IntValue(c.LinesCopies+1))
}

func TestPortsDeclareProfilesOrRulesOfTheirOwn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		reason, id, config, want string
	}{
		{"a profile", "@roo", "", ""},
		{"rules of one's own", "@mine", `{"rules":[{"rungs":[{"at":4}]}]}`, ""},
		{"a mistyped profile", "@rooo", "", `no profile @rooo; did you mean "@roo"?`},
		{"another detector by the name of a profile", "@roo", `{"rules":[{}]}`, "give your rules another name"},
		{"a profile of stream", "@vllm-stream", "", ""},
		{"a configuration of stream of one's own", "@mine-stream", `{"rules":["tail"],"tail_from":8}`, ""},
		{"a profile without its detector", "@vllm", "", `no profile @vllm; did you mean "@vllm-stream"?`},
		{
			"rules of composed by the name of stream", "@mine-stream", `{"rules":[{"rungs":[{"at":4}]}]}`,
			"a config that stream refuses",
		},
		{"rules that composed refuses", "@mine", `{"rules":[{"rungs":[{"at":0}]}]}`, "rules/0/rungs/0/at"},
	} {
		offer := spec.Offer{Detector: spec.DetectorID(tt.id), Readings: []spec.Reading{spec.Code}}
		if tt.config != "" {
			offer.Fixed = spec.MustParse(tt.config)
		}
		offers, err := Of([]spec.Offer{offer})
		switch {
		case tt.want == "" && (err != nil || len(offers) != 1 || offers[0].Fixed.IsAbsent()):
			t.Errorf("%s: %v, %v", tt.reason, offers, err)
		case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("%s: %v, want %s", tt.reason, err, tt.want)
		}
	}
}
