package profile

import (
	"strings"
	"testing"

	"github.com/loopstone/loopstone/spec"
)

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
