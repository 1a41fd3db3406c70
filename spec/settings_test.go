package spec_test

import (
	"slices"
	"testing"

	"github.com/loopstone/loopstone/spec"
)

func TestConfigurationsAreReadByTheRow(t *testing.T) {
	t.Parallel()
	tests := []struct {
		detector       spec.DetectorID
		config         string
		field, message string // of the fault; empty without one
		reason         string
	}{
		{spec.History, `{}`, "", "", "every setting has its default"},
		{spec.History, `{"history_size":1,"normalize":["ls"],"tool_limits":{"ls":1}}`, "", "", "each kind of setting"},
		{
			spec.History, `{"size":3,"history_size":0}`, "size",
			"unknown member; there are first_word_threshold, history_size, normalize, repeat_threshold, tool_limits",
			"the first fault in the order of the members",
		},
		{spec.History, `{"history_size":0}`, "history_size", "want an integer of at least 1, got 0", "below the least"},
		{spec.History, `{"history_size":1.5}`, "history_size", "want an integer of at least 1, got 1.5", "no integer"},
		{spec.History, `{"normalize":"ls"}`, "normalize", `want array, got "ls"`, "no array"},
		{spec.History, `{"normalize":["ls",2]}`, "normalize", "normalize/1: want string, got 2", "an item of another kind"},
		{spec.History, `{"tool_limits":[]}`, "tool_limits", "want object, got []", "no object"},
		{
			spec.History, `{"tool_limits":{"ls":0}}`, "tool_limits",
			"tool_limits/ls: want an integer of at least 1, got 0", "a member below the least",
		},
		{
			spec.Guards, `{"signature":{"reading":"prose"}}`, "signature",
			`signature/reading: want one of [text code], got "prose"`, "none of the words",
		},
		{
			spec.Guards, `{"signature":{"size":1}}`, "signature",
			"signature/size: unknown member; there are reading, threshold, window", "unknown within an object",
		},
		{
			spec.Composed, `{"rules":[{"fresh":["never"]}]}`, "rules",
			`rules/0/fresh/0: want one of [user reply message call change], got "never"`, "none of the words in a list",
		},
		{
			spec.Swarm, `{"swarm":"s"}`, "swarm",
			"unknown member; there are min_workers, threshold", "a setting of a feature that is not offered",
		},
	}
	for _, tt := range tests {
		row, _ := spec.DefinitionOf(tt.detector)
		_, err := row.Offer().Without(spec.Shared).Read(row.Readings[0], spec.MustParse(tt.config))
		fault, _ := err.(*spec.Fault)
		switch {
		case (fault == nil) != (tt.field == ""):
			t.Errorf("%s: %s: got %v", tt.reason, tt.config, err)
		case fault != nil && (fault.Kind != spec.InvalidConfig || fault.Field != tt.field || fault.Message != tt.message):
			t.Errorf("%s: %s: got %v, want %s: %s", tt.reason, tt.config, fault, tt.field, tt.message)
		}
	}
	row, _ := spec.DefinitionOf(spec.History)
	_, err := row.Offer().Read(spec.Code, spec.MustParse(`[]`))
	if fault, _ := err.(*spec.Fault); fault == nil || fault.Kind != spec.InvalidParams {
		t.Errorf("a configuration that is no object: got %v, want %s", err, spec.InvalidParams)
	}
}

func TestSettingsHaveTheDefaultsOfTheReading(t *testing.T) {
	t.Parallel()
	row, _ := spec.DefinitionOf(spec.Crow)
	for reading, want := range map[spec.Reading]int{spec.Code: 20, spec.Text: 50} {
		s, err := row.Offer().Read(reading, spec.Value{})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Number("recent"); got != want || s.Reading != reading {
			t.Errorf("reading %s: recent is %d, want %d", reading, got, want)
		}
	}
}

func TestSettingsAreAsTheyWereGiven(t *testing.T) {
	t.Parallel()
	row, _ := spec.DefinitionOf(spec.History)
	s, err := row.Offer().Read(spec.Code, spec.MustParse(
		`{"repeat_threshold":99999999999,"normalize":["a","b"],"tool_limits":{"c":99999999999,"d":2}}`))
	if err != nil {
		t.Fatal(err)
	}
	if n := s.Number("repeat_threshold"); n != spec.MaxSetting {
		t.Errorf("repeat_threshold is %d, want no more than %d", n, spec.MaxSetting)
	}
	if n := s.Number("first_word_threshold"); n != 0 {
		t.Errorf("first_word_threshold is %d, want 0 where it is off", n)
	}
	if texts := s.Texts("normalize"); !slices.Equal(texts, []string{"a", "b"}) {
		t.Errorf("normalize is %q", texts)
	}
	if limits := s.Numbers("tool_limits"); len(limits) != 2 || limits["c"] != spec.MaxSetting || limits["d"] != 2 {
		t.Errorf("tool_limits is %v", limits)
	}
}
