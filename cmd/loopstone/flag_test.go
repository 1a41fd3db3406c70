package main

import (
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// TestAnEmptyValueIsNoFlagLeftOut: a script whose variable is not set must not test something else, and pass.
func TestAnEmptyValueIsNoFlagLeftOut(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"test", "--reference", "--cases", ""},
		{"test", "--reference", "--statement="},
		{"test", "--reference", "--write-known="},
		{"test", "--reference", "--shard", ""},
		{"bench", "--reference", "--run", ""},
	} {
		out, exit := tool(t, "", args...)
		if exit != conformance.Usage || !strings.Contains(out, " is empty; give it a value") {
			t.Errorf("%q: exit %d, %s", args, exit, out)
		}
	}
}
