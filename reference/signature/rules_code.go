package signature

import (
	"strings"

	"github.com/loopstone/loopstone/reference/parts/jstext"
)

// The patterns of D2's listing (D2#detection-logic), in lower case: they are regular expressions of JavaScript that
// match in upper and lower case.
var (
	listedErrorPattern   = jstext.Pattern(`error:?\s*(\w+).*?at\s*(\S+)`)                                // SG-5, SG-9, SG-10
	listedTestsPattern   = jstext.Pattern(`(\d+)\s*(?:tests?\s*)?fail`)                                  // SG-11
	listedFailurePattern = jstext.Pattern(`fail.*?:\s*(\S+)`)                                            // SG-5, SG-12
	listedFilePattern    = jstext.Pattern(`(?:modified|changed|updated|fixed)\s+(\S+\.(?:ts|js|go|py))`) // SG-13
	listedActionPattern  = jstext.Pattern(`(added|removed|fixed|updated|changed)\s+(\w+)`)               // SG-14
)

// fromListing returns the signature of the reading code. The first pattern that matches anywhere decides.
func fromListing(output string) string { // SG-8
	if m := listedErrorPattern().FindStringSubmatch(fromError(output)); m != nil { // SG-9, SG-10
		return "error:" + m[1] + "-" + m[2]
	}
	if listedTestsPattern().MatchString(containing(output, "fail")) { // SG-11
		return "test-fail:" + strings.Join(listedFailurePattern().FindAllString(output, 2), ",") // SG-12
	}
	if m := listedFilePattern().FindStringSubmatch(containing(output, changes...)); m != nil { // SG-13
		action := "modified"
		if a := listedActionPattern().FindStringSubmatch(output); a != nil { // SG-14
			action = a[2]
		}
		return "file:" + m[1] + "-" + action
	}
	return beginning(output) // SG-6
}
