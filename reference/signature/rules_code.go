package signature

import "strings"

// The patterns of D2's listing (D2#detection-logic), as it has them but for their capitals.
var (
	listedErrorPattern   = pattern(`error:?\s*(\w+).*?at\s*(\S+)`)                                // SG-5, SG-9, SG-10
	listedTestsPattern   = pattern(`(\d+)\s*(?:tests?\s*)?fail`)                                  // SG-11
	listedFailurePattern = pattern(`fail.*?:\s*(\S+)`)                                            // SG-5, SG-12
	listedFilePattern    = pattern(`(?:modified|changed|updated|fixed)\s+(\S+\.(?:ts|js|go|py))`) // SG-13
	listedActionPattern  = pattern(`(added|removed|fixed|updated|changed)\s+(\w+)`)               // SG-14
)

// plainListing is the extraction of the reading code. The first pattern that fits anywhere decides.
func plainListing(output string) string { // SG-8
	if m := listedErrorPattern().FindStringSubmatch(output); m != nil { // SG-9, SG-10
		return "error:" + m[1] + "-" + m[2]
	}
	if listedTestsPattern().MatchString(output) { // SG-11
		return "test-fail:" + strings.Join(listedFailurePattern().FindAllString(output, 2), ",") // SG-12
	}
	if m := listedFilePattern().FindStringSubmatch(output); m != nil { // SG-13
		action := "modified"
		if a := listedActionPattern().FindStringSubmatch(output); a != nil { // SG-14
			action = a[2]
		}
		return "file:" + m[1] + "-" + action
	}
	return Beginning(output) // SG-6
}
