package porttest

import (
	"crypto/md5"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/reference/history"
	"github.com/loopstone/loopstone/spec"
)

// TestAFailedHashShowsTheTextThatIsHashed, whatever the port returned: its sum is the one that the case wants.
func TestAFailedHashShowsTheTextThatIsHashed(t *testing.T) {
	t.Parallel()
	all, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	hashes := slices.DeleteFunc(slices.Clone(all), func(c cases.Case) bool {
		return c.Call == nil || c.Call.Function != "history.hash" || c.Call.Result == nil
	})
	var results []conformance.Result
	for _, c := range hashes {
		failure := &conformance.Failure{Problem: "the function returned another value"}
		results = append(results, conformance.Result{Case: c.ID, Failure: failure})
	}
	results = append(results, conformance.Result{Case: "another"}, conformance.Result{
		Case: "history-function-needs-a-tool", Failure: &conformance.Failure{Problem: "the port accepted what it must refuse"},
	})
	sayHashed(results, all)
	checked := 0
	for i, c := range hashes {
		f := results[i].Failure
		sum := md5.Sum([]byte(history.Hashed(c.Call.Args)))
		if want := c.Call.Result.Equal; want.Kind() == spec.String && len(f.Hashed) < mostHashed {
			checked++
			if got := spec.StringValue(hex.EncodeToString(sum[:])); !got.Equal(want) {
				t.Errorf("%s: the sum of %s is %s, want %s", c.ID, f.Hashed, got, want)
			}
		}
		if text := strings.Join(results[i].Explain(conformance.Explanation{Width: 4000}), "\n"); !strings.Contains(text,
			"  hashed   wanted is the MD5 sum of: ") {
			t.Errorf("%s: the text is not shown:\n%s", c.ID, text)
		}
	}
	if checked < 20 {
		t.Errorf("%d of %d cases want a sum", checked, len(hashes))
	}
	for _, r := range results[len(hashes):] {
		if r.Failure != nil && r.Failure.Hashed != "" {
			t.Errorf("%s wants no sum", r.Case)
		}
	}
}
