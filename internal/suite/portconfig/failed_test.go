package portconfig

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/conformance"
)

func result(id string, status conformance.Status) conformance.Result {
	return conformance.Result{Case: id, Reading: "code", Status: status}
}

// TestARecordKeepsWhatWasNotAskedAgain: who fixes one of two failures by its case still has the other.
func TestARecordKeepsWhatWasNotAskedAgain(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for _, run := range []struct {
		reason  string
		results []conformance.Result
		want    []string
	}{
		{
			"neither a pass, nor an excuse, nor a skip is a failure",
			[]conformance.Result{
				result("a", conformance.Failed), result("b", conformance.Undecided), result("c", conformance.Passed),
				result("d", conformance.Known), result("e", conformance.Skipped),
			},
			[]string{"a", "b"},
		},
		{"b was not asked", []conformance.Result{result("a", conformance.Passed)}, []string{"b"}},
		{"a fails again", []conformance.Result{result("a", conformance.Broken)}, []string{"a", "b"}},
		{"all is well", []conformance.Result{result("a", conformance.Passed), result("b", conformance.Known)}, nil},
	} {
		if err := WriteFailed(t.Context(), folder, run.results); err != nil {
			t.Fatal(err)
		}
		tests, err := ReadFailed(t.Context(), folder)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(run.want, CasesOf(tests, []string{"a", "b", "c", "d", "e"})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", run.reason, diff)
		}
	}
}

func TestARecordThatIsNoneIsNamed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, RecordFolder, "last-failed.json")
	if err := os.Mkdir(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFailed(t.Context(), folder); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "delete it") {
		t.Errorf("got %v", err)
	}
}
