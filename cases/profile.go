package cases

import (
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// ProfilePrefix begins the ids of the cases of composed that are about one profile: the profile's name follows.
const ProfilePrefix = "composed-profile-"

// OfProfile returns a profile's own cases as cases of a detector of that id, such as @roo, which takes no
// configuration: composed-profile-roo-scrolls becomes @roo-scrolls. For any other id there is none.
func OfProfile(suite []Case, id spec.DetectorID) []Case {
	if !id.IsProfile() {
		return nil
	}
	var own []Case
	for _, c := range suite {
		rest, is := strings.CutPrefix(c.ID, ProfilePrefix+string(id[1:])+"-")
		if !is {
			continue
		}
		c.ID, c.Detector, c.Config = string(id)+"-"+rest, id, spec.Value{}
		own = append(own, c)
	}
	return own
}
