//go:build unix

package faultyadapter_test

import (
	"testing"

	"github.com/loopstone/loopstone/internal/testing/faultyadapter"
)

func TestAdaptersHaveNamesOfTheirOwn(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range faultyadapter.Adapters() {
		if a.Name == "" || a.About == "" || seen[a.Name] {
			t.Errorf("adapter %q, which %q: nameless, or the name is taken", a.Name, a.About)
		}
		seen[a.Name] = true
	}
}

func TestCommandKnowsItsAdapters(t *testing.T) {
	for name, known := range map[string]bool{
		"hang": true, "hang@1": true, "hang@12": true,
		"": false, "unicorn": false, "hang@": false, "hang@0": false, "hang@x": false,
	} {
		command, err := faultyadapter.Command(name)
		if (err == nil) != known {
			t.Errorf("%q: got %v", name, err)
		}
		if known && command.Env[0] != faultyadapter.Env+"="+name {
			t.Errorf("%q: got environment %v", name, command.Env)
		}
	}
}
