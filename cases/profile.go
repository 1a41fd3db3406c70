package cases

import (
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// profileInfix follows the detector's name in the ids of the cases that are about one profile; the profile's name
// follows, without the detector that it may end in: composed-profile-roo-scrolls, stream-profile-vllm-digits.
const profileInfix = "-profile-"

// ProfileTag is the tag of the cases that are about one profile.
const ProfileTag = "profile"

// ProfilePrefix begins the ids of the cases that are about a profile, such as @roo.
func ProfilePrefix(id spec.DetectorID) string {
	row := string(id.Row())
	return row + profileInfix + strings.TrimSuffix(strings.TrimPrefix(string(id), "@"), "-"+row) + "-"
}

// IsOfProfile reports whether the case is about one profile.
func (c Case) IsOfProfile() bool { return strings.HasPrefix(c.ID, string(c.Detector)+profileInfix) }

// OfProfile returns a profile's own cases as cases of a detector of that id, such as @roo, which takes no
// configuration: composed-profile-roo-scrolls becomes @roo-scrolls. For any other id there is none.
func OfProfile(suite []Case, id spec.DetectorID) []Case {
	if !id.IsProfile() {
		return nil
	}
	var own []Case
	for _, c := range suite {
		rest, is := strings.CutPrefix(c.ID, ProfilePrefix(id))
		if !is {
			continue
		}
		c.ID, c.Detector, c.Config = string(id)+"-"+rest, id, spec.Value{}
		own = append(own, c)
	}
	return own
}
