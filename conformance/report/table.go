package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/loopstone/loopstone/conformance"
)

// table adds how many results of each detector and reading have which status.
func (p *page) table() {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	guessed := hasFloor(p.r)
	head := "detector\treading\tpassed\tfailed\tknown\tno answer\tnot checked"
	if guessed {
		head += "\tscore\tfloor"
	}
	fmt.Fprintln(w, head)
	offered, others := p.rows()
	for _, part := range offered {
		p.row(w, part, guessed)
	}
	if len(others) > 0 {
		p.row(w, together(others), guessed)
	}
	w.Flush() // into a strings.Builder, which never fails
	p.lines = append(p.lines, strings.Split(b.String(), "\n")...)
}

// rows splits the parts of the table into those that get a row each and those that get one together, since the port
// offers none of them. A single one would gain nothing by that.
func (p *page) rows() (offered, others []part) {
	all := parts(p.r.Results)
	for _, part := range all {
		readings, known := offerOf(p.r.Port, part.detector)
		isOffered := known && slices.Contains(readings, part.reading)
		if isOffered || tally(part.results)[conformance.Skipped] < len(part.results) {
			offered = append(offered, part)
		} else {
			others = append(others, part)
		}
	}
	if len(others) < 2 || len(offered) == 0 {
		return all, nil
	}
	return offered, others
}

// together joins parts into one row; which detectors they are, stands under NOT CHECKED.
func together(parts []part) part {
	joined := part{detector: "others"}
	for _, p := range parts {
		joined.results = append(joined.results, p.results...)
	}
	return joined
}

func (p *page) row(w io.Writer, part part, guessed bool) {
	c := tally(part.results)
	fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d", oneLine(string(part.detector)), oneLine(or(string(part.reading), "-")),
		c[conformance.Passed], c[conformance.Failed], c[conformance.Known], unanswered(c), c[conformance.Skipped])
	if guessed {
		fmt.Fprintf(w, "\t%s\t%s", score(part), floorOf(part))
	}
	fmt.Fprintln(w)
}
