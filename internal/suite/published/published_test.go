package published

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone"
	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/spec"
)

var update = flag.Bool("update", false, "write the list of what this version publishes")

// TestNothingThatIsPublishedIsBroken is what loopstone lint checks; with -update, it writes the list of a release.
func TestNothingThatIsPublishedIsBroken(t *testing.T) {
	all := suite(t)
	if *update {
		lines := append([]string{spec.Version}, entries(spec.Clauses(), all)...)
		if err := os.WriteFile("published.txt", []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := Check(t.Context(), spec.Clauses(), all, loopstone.ChangeLog); err != nil {
		t.Error(err)
	}
}

func suite(t *testing.T) []cases.Case {
	t.Helper()
	all, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(all, fuzz.Cases())
}

// TestCheck breaks promises, with and without a word in the change log. What stays is what the list holds, so that the
// test does not depend on what else has changed since.
func TestCheck(t *testing.T) {
	t.Parallel()
	version, promises, err := parse(published)
	if err != nil {
		t.Fatal(err)
	}
	clauses, all := kept(promises, spec.Clauses(), suite(t))
	clause, gone := clauses[0], all[0].ID
	reworded := slices.Clone(clauses)
	reworded[0].Text += " Mostly."
	for _, test := range []struct {
		reason  string
		clauses []spec.Clause
		cases   []cases.Case
		unless  string // what, in the change log, excuses it
		want    string
	}{
		{"a clause is worded anew", reworded, all, clause.ID, clause.ID + " is published in " + version + ", and has new words"},
		{"a clause is gone", clauses[1:], all, clause.ID, clause.ID + " is published in " + version + ", and gone"},
		{"a case is gone", clauses, all[1:], gone, gone + " is published in " + version + ", and gone"},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			before := "# Log\n\n## Unreleased\n\n- " + rest(promises, clauses, all) + "\n- "
			after := "\n\n## " + version + "\n\n- " + test.unless + "\n"
			for _, log := range []string{"nothing", test.unless + "-and-more"} {
				if err := Check(t.Context(), test.clauses, test.cases, before+log+after); err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("the change log says %q: got %v, want %s", log, err, test.want)
				}
			}
			if err := Check(t.Context(), test.clauses, test.cases, before+"`"+test.unless+"` is no more"+after); err != nil {
				t.Errorf("the change log tells it: got %v", err)
			}
		})
	}
}

// kept returns the clauses and cases that are as they were published.
func kept(promises []string, clauses []spec.Clause, all []cases.Case) ([]spec.Clause, []cases.Case) {
	clauses = slices.DeleteFunc(slices.Clone(clauses), func(c spec.Clause) bool {
		return !slices.Contains(promises, c.ID+" "+digestOf(c))
	})
	all = slices.DeleteFunc(slices.Clone(all), func(c cases.Case) bool { return !slices.Contains(promises, c.ID) })
	return clauses, all
}

// rest returns the ids of the promises that are broken already.
func rest(promises []string, clauses []spec.Clause, all []cases.Case) string {
	var broken []string
	now := entries(clauses, all)
	for _, promise := range promises {
		if !slices.Contains(now, promise) {
			id, _, _ := strings.Cut(promise, " ")
			broken = append(broken, id)
		}
	}
	return strings.Join(broken, " ")
}

// TestAChangeLogWithoutTheVersionIsAnError: without its heading, all of the log would seem to be new.
func TestAChangeLogWithoutTheVersionIsAnError(t *testing.T) {
	t.Parallel()
	if err := Check(t.Context(), spec.Clauses(), suite(t), "# Log\n\n## Unreleased\n"); err == nil {
		t.Error("got no error")
	}
}

// TestHistoryOf: what the list and the change log have of a clause is told, and nothing of another whose id begins
// alike.
func TestHistoryOf(t *testing.T) {
	t.Parallel()
	known := spec.Clauses()[0]
	_, promises, err := parse(published)
	if err != nil {
		t.Fatal(err)
	}
	known.ID, _, _ = strings.Cut(promises[0], " ")
	log := "# Log\n\n## Unreleased\n\n- " + known.ID + " says\n  more.\n- " +
		known.ID + "0 is new.\n\n## 0.0.9\n\n- As " + known.ID + ".\n"
	h, err := HistoryOf(known, log)
	if err != nil || h.Version == "" || len(h.Entries) != 2 {
		t.Fatalf("the history is %+v (%v), want a version and two entries", h, err)
	}
	if want := (Entry{"Unreleased", known.ID + " says more."}); h.Entries[0] != want || h.Entries[1].Version != "0.0.9" {
		t.Errorf("the entries are %v, want %v first", h.Entries, want)
	}
	known.Text += "!"
	if h, _ := HistoryOf(known, log); h.Same {
		t.Error("a clause that is worded anew is told to be the same")
	}
	known.ID = "XX-1"
	if h, _ := HistoryOf(known, log); h.Version != "" || h.Entries != nil {
		t.Errorf("a clause that no version has is told to be in %s", h.Version)
	}
}

// TestNames shows which words of a change log name an id.
func TestNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reason, text, id string
		want             bool
	}{
		{"the id itself", "CR-7 asks for less.", "CR-7", true},
		{"an id that begins alike", "CR-70 asks for less.", "CR-7", false},
		{"the first of a range", "CR-7 to CR-12 are worded anew.", "CR-7", true},
		{"one within a range", "CR-7 to CR-12 are worded anew.", "CR-9", true},
		{"the last of a range", "CR-7 to CR-12 are worded anew.", "CR-12", true},
		{"one below a range", "CR-7 to CR-12 are worded anew.", "CR-6", false},
		{"one above a range", "CR-7 to CR-12 are worded anew.", "CR-13", false},
		{"one of another file", "CR-7 to CR-12 are worded anew.", "HI-9", false},
		{"a range over a line's end", "CR-7 to\n  CR-12 are worded anew.", "CR-9", true},
		{"two files are no range", "CR-7 to HI-12 are worded anew.", "CR-9", false},
		{"a case is in no range", "CR-7 to CR-12 are worded anew.", "crow-9", false},
	} {
		if got := names(test.text, test.id); got != test.want {
			t.Errorf("%s: %q names %s: got %t, want %t", test.reason, test.text, test.id, got, test.want)
		}
	}
}

// TestLastVersion: what the list has is told, and that it is not what is asked today as soon as a case, a law or a
// clause's wording differs.
func TestLastVersion(t *testing.T) {
	t.Parallel()
	_, promises, err := parse(published)
	if err != nil {
		t.Fatal(err)
	}
	clauses, all := spec.Clauses(), suite(t)
	last, err := LastVersion(clauses, all)
	if err != nil || len(last.IDs) != len(promises) || last.IDs[0] != strings.Fields(promises[0])[0] {
		t.Fatalf("got %d ids from %q on (%v), want the %d of the list", len(last.IDs), last.IDs[0], err, len(promises))
	}
	written := strings.Join(append([]string{spec.Version}, entries(clauses, all)...), "\n")
	reworded := slices.Clone(clauses)
	reworded[0].Text += " Mostly."
	for _, test := range []struct {
		reason  string
		clauses []spec.Clause
		all     []cases.Case
		want    bool
	}{
		{"the list was just written", clauses, all, true},
		{"a clause is worded anew", reworded, all, false},
		{"a law is gone", clauses, all[:len(all)-1], false},
		{"a case is gone", clauses, all[1:], false},
	} {
		if last, err := lastOf(written, test.clauses, test.all); err != nil || last.IsSame != test.want {
			t.Errorf("%s: got %t (%v), want %t", test.reason, last.IsSame, err, test.want)
		}
	}
}
