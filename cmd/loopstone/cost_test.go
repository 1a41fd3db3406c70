package main

import (
	"testing"

	"github.com/loopstone/loopstone/internal/lab/score"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/spec"
)

func TestTheProposalHasARowIfItIsNew(t *testing.T) {
	t.Parallel()
	roo, err := profile.Config(t.Context(), "@roo")
	if err != nil {
		t.Fatal(err)
	}
	other := spec.MustParse(`{"rules":[{"name":"r","rungs":[{"name":"stop","at":9}]}]}`)
	for _, tt := range []struct {
		reason   string
		rules    string
		proposed spec.Value
		kept     bool
		row      string
		note     string
	}{
		{
			"other counts are new", "@roo", other, true,
			"@roo, tuned", "@roo, tuned: with the counts that loopstone tune proposes for --budget 2.",
		},
		{"the list has @roo", "@roo", roo, true, "", "@roo, tuned: the counts of @roo keep --budget 2."},
		{
			"the list does not have a file's rules, even if tune leaves them as they are", "rules.yaml", roo, true,
			"--rules, tuned", "--rules, tuned: with the counts that loopstone tune proposes for --budget 2.",
		},
		{"nothing is proposed", "@roo", other, false, "", "@roo, tuned: no counts keep --budget 2."},
	} {
		f := tuneFlags{rules: tt.rules, budget: 2}
		tuned, note := f.tuned(score.Contender{}, roo, &score.Tuning{Kept: tt.kept, Config: tt.proposed})
		row := ""
		if len(tuned) > 0 {
			row = tuned[0].Name()
		}
		if row != tt.row || note != tt.note {
			t.Errorf("%s: got the row %q and the note %q, want %q and %q", tt.reason, row, note, tt.row, tt.note)
		}
	}
}
