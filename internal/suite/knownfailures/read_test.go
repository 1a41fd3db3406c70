package knownfailures

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loopstone/loopstone/internal/testing/golden"
	"github.com/loopstone/loopstone/spec"
)

func TestReadTakesEveryMember(t *testing.T) {
	t.Parallel()
	text := `known:
  - case: crow-text-*
    reading: text
    step: 0
    differs:
      - "count: want 3, got 2"
      - the verdict differs
    reason: >-
      the window
      forgets too early
    url: https://example.com/issues/7
    expires: "2027-01-31"
  - case: history-hash-nan
    differs: [the process died]
    reason: not yet looked at
`
	l, err := Read("known.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	want := []Entry{
		{
			Case: "crow-text-*", Reading: spec.Text, Step: 0,
			Differs: []string{"count: want 3, got 2", "the verdict differs"},
			Reason:  "the window forgets too early", URL: "https://example.com/issues/7", Expires: "2027-01-31",
		},
		{Case: "history-hash-nan", Step: noStep, Differs: []string{"the process died"}, Reason: "not yet looked at"},
	}
	if diff := cmp.Diff(want, l.Entries, cmpopts.IgnoreFields(Entry{}, "Place")); diff != "" {
		t.Errorf("entries differ (-want +got):\n%s", diff)
	}
	if place := l.Entries[1].Place.String(); place != "known.yaml:13:5" {
		t.Errorf("the second entry is at %s, want known.yaml:13:5", place)
	}
}

// The file has every mistake there is; the golden file shows what its author is told.
func TestReadReportsEveryProblemWithItsPlace(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"wrong", "plain-date"} {
		text, err := os.ReadFile(filepath.Join("testdata", name+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		l, err := Read(name+".yaml", text)
		if err == nil || l != nil {
			t.Fatalf("Read(%s.yaml) = %v, %v; want no list and the problems", name, l, err)
		}
		golden.Check(t, filepath.Join("testdata", name+".golden"), err.Error()+"\n")
	}
}

func TestReadRefusesWhatIsNoList(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ reason, text, want string }{
		{"a list may be empty", "known: []\n", "<nil>"},
		{"an empty file is an accident", "", "k:1:1: the file is empty"},
		{"a list needs its name", "- case: x\n", "k:1:1: want a mapping, got array"},
		{"nothing may stand for an empty list", "known:\n", "k:1:7: a value is missing"},
		{"a misspelt name would excuse nothing", "knwon: []\n", "k:1:1: unknown member \"knwon\"; did you mean \"known\"?\nk:1:1: member \"known\" is missing"},
	} {
		if _, err := Read("k", []byte(test.text)); fmt.Sprint(err) != test.want {
			t.Errorf("%s: Read(%q): got %v, want %s", test.reason, test.text, err, test.want)
		}
	}
}
