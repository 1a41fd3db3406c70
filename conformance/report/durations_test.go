package report

import (
	"slices"
	"strings"
	"testing"
)

// TestTheSlowestTestsAreListedFirst: as many as are asked for, without those that did not run.
func TestTheSlowestTestsAreListedFirst(t *testing.T) {
	t.Parallel()
	r := conformantSample()
	r.Results = slices.Repeat(r.Results, 3)
	for i := range r.Results {
		r.Results[i].Elapsed = int64(i) * 1_500_000
	}
	last := r.Results[len(r.Results)-1]
	options := sampleOptions()
	for _, test := range []struct {
		reason string
		n      int
		lines  int
	}{
		{"none is asked for", 0, 0},
		{"two of several", 2, 2},
		{"more than ran: the first took no time", 100, len(r.Results) - 1},
	} {
		options.Durations = test.n
		page := string(rendered(t, "text", r, options))
		_, list, found := strings.Cut(page, "SLOWEST TESTS, from start to end; many ran at once\n")
		if found != (test.lines > 0) {
			t.Errorf("%s:\n%s", test.reason, page)
			continue
		}
		list, _, _ = strings.Cut(list, "\n\n")
		if n := strings.Count(list, " s "); n != test.lines || n > 0 && !strings.Contains(strings.SplitN(list, "\n", 2)[0], (&last).Name()) {
			t.Errorf("%s: want %d, the first of them %s:\n%s", test.reason, test.lines, (&last).Name(), list)
		}
	}
}
