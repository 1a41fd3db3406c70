package report

import (
	"fmt"
	"strings"

	"github.com/loopstone/loopstone/conformance"
)

// whole returns everything that is known of a result that is no pass. The first line is a headline that begins with
// [voice].
func whole(result conformance.Result, options Options) []string {
	e := conformance.Explanation{
		Width: options.width(), Whole: options.Verbose, Again: again(result, options), Clause: options.clause,
	}
	if options.Site != "" {
		e.Page = options.Site + "case/" + result.Case
	}
	return append([]string{fmt.Sprintf("%s %s", voice(result), nameOf(result))}, result.Explain(e)...)
}

// voices say in capitals who is wrong.
var voices = map[conformance.Status]string{
	conformance.Failed: "FAILED", conformance.Faulty: "SUITE", conformance.Broken: "ADAPTER",
	conformance.Undecided: "UNDECIDED", conformance.Known: "KNOWN",
}

func voice(result conformance.Result) string {
	switch change := result.Differs(); change {
	case "":
		return voices[result.Status]
	case conformance.Fixed, conformance.Regressed:
		return strings.ToUpper(string(change))
	default:
		return "DIFFERS"
	}
}
