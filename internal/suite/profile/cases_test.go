package profile

import (
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
)

// TestCasesOfProfilesRunOnTheirConfigurations finds at least two cases of each profile, and that each of them has the
// configuration that the profile is today.
func TestCasesOfProfilesRunOnTheirConfigurations(t *testing.T) {
	t.Parallel()
	profiles, err := All()
	if err != nil {
		t.Fatal(err)
	}
	suite, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]int{}
	for _, c := range suite {
		if !c.IsOfProfile() {
			continue
		}
		i := slices.IndexFunc(profiles, func(p Profile) bool { return strings.HasPrefix(c.ID, cases.ProfilePrefix(p.ID())) })
		if i < 0 {
			t.Errorf("%s: there is no such profile", c.ID)
			continue
		}
		p := profiles[i]
		found[p.Name]++
		if !c.Config.Equal(p.Config()) {
			t.Errorf("%s: its configuration is not that of @%s:\n%s\n%s", c.ID, p.Name, c.Config, p.Config())
		}
	}
	for _, p := range profiles {
		if found[p.Name] < 2 {
			t.Errorf("@%s has %d cases, want two at least", p.Name, found[p.Name])
		}
	}
}
