package cases

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/spec"
)

// small is a suite that every member of a selection can divide.
func small() []Case {
	return []Case{
		{ID: "history-a", Detector: "history", Clauses: []string{"HI-1", "HI-2"}, Readings: []spec.Reading{spec.Code}, Tags: []string{"edge"}},
		{ID: "crow-a", Detector: "crow", Clauses: []string{"CR-1"}, Readings: []spec.Reading{spec.Code, spec.Text}},
		{ID: "crow-b", Detector: "crow", Clauses: []string{"CR-2"}, Readings: []spec.Reading{spec.Text}, Tags: []string{"edge", "window"}},
	}
}

// TestSelectByReadingKeepsTheProtocol shows that an adapter is checked whatever it reads.
func TestSelectByReadingKeepsTheProtocol(t *testing.T) {
	suite := append(small(), Case{ID: "protocol-a", Detector: Protocol, Tags: []string{"edge"}})
	for want, selection := range map[string]Selection{
		"crow-a [text], crow-b [text], protocol-a []": {Readings: []string{"text"}},
		"history-a [code], protocol-a []":             {Readings: []string{"code"}, Detectors: []string{"history", "protocol"}},
		"history-a [code]":                            {Readings: []string{"code"}, Detectors: []string{"history"}},
		"crow-b [text], protocol-a []":                {Readings: []string{"text"}, Tags: []string{"edge"}},
	} {
		if got := chosenFrom(selection.Select(suite)); got != want {
			t.Errorf("%+v:\n got %s\nwant %s", selection, got, want)
		}
	}
}

// chosenFrom returns what a selection leaves: "crow-a [code text], …", or its error.
func chosenFrom(selected []Case, err error) string {
	if err != nil {
		return err.Error()
	}
	var list []string
	for _, c := range selected {
		list = append(list, fmt.Sprintf("%s %v", c.ID, c.Readings))
	}
	return strings.Join(list, ", ")
}

func TestSelect(t *testing.T) {
	const all = "history-a [code], crow-a [code text], crow-b [text]"
	tests := []struct {
		selection Selection
		want      string
	}{
		{Selection{}, all},
		{Selection{Cases: []string{"*"}}, all},
		{Selection{Cases: []string{"*-a"}}, "history-a [code], crow-a [code text]"},
		{Selection{Cases: []string{"crow-b", "history-*"}}, "history-a [code], crow-b [text]"},
		{Selection{Cases: []string{"crow"}}, `--case "crow" matches nothing; did you mean "crow*"?`},
		{Selection{Cases: []string{"tory*"}}, `--case "tory*" matches nothing; did you mean "*tory*"?`},
		{Selection{Cases: []string{"histry"}}, `--case "histry" matches nothing; did you mean "histor*"?`},
		{Selection{Cases: []string{"other"}}, `--case "other" matches nothing; there are crow-a, crow-b, history-a`},
		{Selection{Cases: []string{"crow-a", "["}}, `--case "[": syntax error in pattern`},
		{Selection{Cases: []string{"["}}, `--case "[": syntax error in pattern`},
		{Selection{Detectors: []string{"crow"}}, "crow-a [code text], crow-b [text]"},
		{Selection{Detectors: []string{"crowd"}}, `--detector "crowd" matches nothing; did you mean "crow"?`},
		{Selection{Readings: []string{"code"}}, "history-a [code], crow-a [code]"},
		{Selection{Readings: []string{"text"}}, "crow-a [text], crow-b [text]"},
		{Selection{Readings: []string{"text", "code"}}, all},
		{Selection{Readings: []string{"t*"}}, "crow-a [text], crow-b [text]"},
		{Selection{Readings: []string{"kode"}}, `--reading "kode" matches nothing; did you mean "code"?`},
		{Selection{Clauses: []string{"HI-2"}}, "history-a [code]"},
		{Selection{Clauses: []string{"HI-3"}}, `--clause "HI-3" matches nothing; no case cites it`},
		{Selection{Clauses: []string{"HI-999"}}, `--clause "HI-999" matches nothing; the last clause of those is HI-30`},
		{Selection{Tags: []string{"edge"}}, "history-a [code], crow-b [text]"},
		{Selection{Tags: []string{"wide"}}, `--tag "wide" matches nothing; there are edge, window`},
		{Selection{Tags: []string{"edge"}, Detectors: []string{"crow"}}, "crow-b [text]"},
		{Selection{Tags: []string{"window"}, Cases: []string{"history-a"}}, "the patterns match some cases each, but none of them together"},
	}
	for _, test := range tests {
		if got := chosenFrom(test.selection.Select(small())); got != test.want {
			t.Errorf("%+v:\n got %s\nwant %s", test.selection, got, test.want)
		}
	}
}

func TestSelectLeavesTheSuiteAsItWas(t *testing.T) {
	suite := small()
	if _, err := (Selection{Readings: []string{"text"}}).Select(suite); err != nil {
		t.Fatal(err)
	}
	if got, want := chosenFrom(suite, nil), chosenFrom(small(), nil); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSelectionIsAll(t *testing.T) {
	one := []string{"*"}
	if !(Selection{}).IsAll() {
		t.Error("the empty selection narrows something")
	}
	for _, s := range []Selection{
		{Cases: one},
		{Detectors: one},
		{Readings: one},
		{Clauses: one},
		{Tags: one},
		{one, one, one, one, one},
		{Cases: one, Detectors: one},
		{Cases: one, Readings: one},
		{Cases: one, Clauses: one},
		{Cases: one, Tags: one},
	} {
		if s.IsAll() {
			t.Errorf("%+v narrows nothing", s)
		}
	}
}

func TestShardIsRead(t *testing.T) {
	for text, want := range map[string]Shard{"1/1": {1, 1}, "2/5": {2, 5}, "5/5": {5, 5}} {
		if got, err := ParseShard(text); got != want || err != nil {
			t.Errorf("%s: got %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "1", "1/", "/2", "0/2", "3/2", "0/0", "1/0", "-1/2", "1/2/3", "1/2x", "1/2 3", "a/b"} {
		want := fmt.Sprintf("the shard %q: want i/n with i from 1 to n", text)
		if got, err := ParseShard(text); err == nil || err.Error() != want || got != (Shard{}) {
			t.Errorf("%s: got %v, %v; want the error %s", text, got, err, want)
		}
	}
}

func TestShardIsTaken(t *testing.T) {
	const all = "history-a [code], crow-a [code text], crow-b [text]"
	for shard, want := range map[Shard]string{
		{}:     all,
		{1, 1}: all,
		{1, 2}: "history-a [code], crow-b [text]",
		{2, 2}: "crow-a [code text]",
		{3, 3}: "crow-b [text]",
		{4, 4}: "the shard 4/4 of 3 cases is empty",
	} {
		if got := chosenFrom(shard.Take(small())); got != want {
			t.Errorf("%v: got %s, want %s", shard, got, want)
		}
	}
}
