package rulecases

import (
	"strings"
	"testing"

	"github.com/loopstone/loopstone/spec"
)

func TestWitnessesOfStreamAreCopies(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ reason, config, want string }{
		{"each rule of the list", `{"rules":["tail","lines"],"tail_to":70}`, "tail 5, lines 6"},
		{"a rule that an earlier one precedes on copies alone", `{"rules":["tail","lines"]}`, "tail 5, lines 9"},
		{"a channel that is judged", `{"rules":["chunk"],"channels":["thought"]}`, "chunk 11"},
		{"a period that is never reached", `{"rules":["tail"],"tail_from":9,"tail_to":8}`, "tail never: the shortest period, 9, is above the longest, 8"},
		{"a period beyond the specification", `{"rules":["tail"],"tail_to":65537}`, "tail 0"},
		{"a text beyond the bounds", `{"rules":["tail"],"tail_from":20000,"tail_to":20000}`, "tail 0"},
		{"no channel", `{"rules":["tail"],"channels":[]}`, "tail never: no channel is judged"},
		{"no rule", `{"rules":[]}`, ""},
	} {
		answers, err := Witnesses(t.Context(), spec.Stream, spec.MustParse(tt.config))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, a := range answers {
			text := a.Rule + " " + spec.IntValue(len(a.Trace)).String()
			if a.Never != "" {
				text = a.Rule + " never: " + a.Never
			}
			got = append(got, text)
		}
		if text := strings.Join(got, ", "); text != tt.want {
			t.Errorf("%s: %s, want %s", tt.reason, text, tt.want)
		}
	}
	if _, err := Witnesses(t.Context(), "@mine-stream", spec.MustParse(`{"tail":1}`)); err == nil {
		t.Error("a configuration that stream refuses has witnesses")
	}
}
