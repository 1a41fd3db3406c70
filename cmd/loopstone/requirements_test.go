package main

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/suite/published"
	"github.com/loopstone/loopstone/spec"
)

// TestTheRequirementsAreWhatIsAsked: every clause, case and law of the suite has a row, and the table counts the rows.
func TestTheRequirementsAreWhatIsAsked(t *testing.T) {
	t.Parallel()
	v, err := knownVersions()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		reason string
		flags  []string
		ids    []string
		title  string
	}{
		{"of the suite", nil, slices.Concat(clauseIDs(), caseIDs()), "The requirements of " + v.own()},
		{"of a digest", []string{"--version", v.digest}, slices.Concat(clauseIDs(), caseIDs()), v.digest},
		{"of the last version", []string{"--version", v.last.Version}, v.last.IDs, "The requirements of " + v.last.Version},
	} {
		out, outcome := run(t, "", nil, append([]string{"list", "requirements"}, test.flags...)...)
		rows, table, found := strings.Cut(out, "\n\n")
		if outcome != conformance.Conformant || !found || !strings.Contains(table, test.title) {
			t.Fatalf("%s: %s:\n%s", test.reason, outcome, out)
		}
		counted := map[string]int{}
		var ids []string
		for row := range strings.Lines(rows) {
			fields := strings.Fields(row)
			ids = append(ids, fields[2])
			counted[fields[0]+" "+fields[1]]++
			if want := sortOf(fields[2]); fields[1] != want {
				t.Errorf("%s: %q, want a %s", test.reason, row, want)
			}
		}
		slices.Sort(ids)
		if want := slices.Sorted(slices.Values(test.ids)); !slices.Equal(ids, want) {
			t.Errorf("%s: %d rows, want one for each of %d ids", test.reason, len(ids), len(want))
		}
		for line := range strings.Lines(table) {
			fields := strings.Fields(line)
			for i, sort := range []string{"clause", "case", "law"} {
				n := counted[fields[0]+" "+sort]
				if n > 0 && fields[i+1] != strconv.Itoa(n) {
					t.Errorf("%s: the table says %q, there are %d rows of %s", test.reason, line, n, sort)
				}
			}
		}
	}
}

// sortOf returns what an id is of, also one that is gone by now.
func sortOf(id string) string {
	switch {
	case id == strings.ToUpper(id):
		return "clause"
	case strings.Contains(id, "-law-"):
		return "law"
	default:
		return "case"
	}
}

// TestWhichVersionTheSuiteIs: a version names the suite only if that version asks what the suite asks.
func TestWhichVersionTheSuiteIs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reason, name string
		last         published.Last
		want         bool
	}{
		{"it is as published", spec.Version, published.Last{Version: spec.Version, IsSame: true}, true},
		{"it has changed since", spec.Version, published.Last{Version: spec.Version}, false},
		{"the version is about to be published", spec.Version, published.Last{Version: "0.0.9"}, true},
		{"an older version", "0.0.9", published.Last{Version: "0.0.9"}, false},
		{"the digest", "d1", published.Last{Version: spec.Version}, true},
		{"the beginning of a digest", "d", published.Last{Version: spec.Version}, false},
	} {
		if got := (versions{digest: "d1", last: test.last}).isOwn(test.name); got != test.want {
			t.Errorf("%s: got %t, want %t", test.reason, got, test.want)
		}
	}
}

// TestARunByAnotherSuiteIsRefused: --suite-version lets a run begin only by the suite that it names.
func TestARunByAnotherSuiteIsRefused(t *testing.T) {
	t.Parallel()
	v, err := knownVersions()
	if err != nil {
		t.Fatal(err)
	}
	try(t, t.TempDir(), []invocation{
		{"the suite's digest", nil, []string{"test", "--reference", "--case", passingCase, "--suite-version", v.digest}, conformance.Conformant, "1 of 1"},
		{"nothing", nil, []string{"test", "--suite-version", ""}, conformance.Usage, `--suite-version "": want a version`},
	})
}
