package main

import (
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone"
	"github.com/loopstone/loopstone/conformance/adapters"
)

// TestLicenceTravels: who copies the suite or a kit has the licence with it.
func TestLicenceTravels(t *testing.T) {
	t.Parallel()
	files, err := exported()
	if err != nil {
		t.Fatal(err)
	}
	if got := string(files["LICENSE"]); got != loopstone.License || !strings.HasPrefix(got, "MIT License\n") {
		t.Errorf("the export has no licence: %q", got)
	}
	for _, starter := range adapters.Starters() {
		if starter.Language == "go" { // its kit is this module
			continue
		}
		files, err := starter.Files()
		if err != nil {
			t.Fatal(err)
		}
		kits := 0
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if !strings.HasPrefix(strings.ToLower(path.Base(name)), "loopstone") || path.Ext(name) == ".yaml" {
				continue // the settings beside a port are its author's
			}
			kits++
			head := strings.Join(strings.SplitN(string(files[name]), "\n", 5)[:4], "\n")
			if !strings.Contains(head, "SPDX-License-Identifier: MIT") || !strings.Contains(head, "The Loopstone Authors") {
				t.Errorf("the head of %s names no licence:\n%s", name, head)
			}
		}
		if kits == 0 {
			t.Errorf("the %s starter has no file of the kit", starter.Language)
		}
	}
}
