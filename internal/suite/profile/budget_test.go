package profile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/spec"
)

// TestASearchPaysForWhatItPlays: a search whose share is smaller than its first trace plays that trace. All searches
// together play no more than their budget, and one trace.
func TestASearchPaysForWhatItPlays(t *testing.T) {
	t.Parallel()
	const many = 100
	rules := make([]string, many)
	for i := range rules {
		rules[i] = fmt.Sprintf(`{"rungs":[{"at":%d}]}`, 2+many-i) // each would report before those that stand before it
	}
	config := spec.MustParse(`{"rules":[` + strings.Join(rules, ",") + `]}`)
	b := &budget{200_000}
	found, err := witnesses(t.Context(), "@mine", config, b)
	if err != nil {
		t.Fatal(err)
	}
	played, longest, ends := 0, 0, 0
	for _, w := range found {
		if len(w.Trace) > 0 {
			cost := (opening + len(w.Trace)) * many
			played, longest = played+cost, max(longest, cost)
		}
		if w.Beyond == ended {
			ends++
		}
	}
	if longest == 0 || ends == 0 {
		t.Fatalf("%d rungs are reached, and %d beyond the budget; want some of each", len(found)-ends, ends)
	}
	if played > 200_000+longest {
		t.Errorf("the traces that were found took %d steps, want at most the budget and one trace, %d", played, 200_000+longest)
	}
}
