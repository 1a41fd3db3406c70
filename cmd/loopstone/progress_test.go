package main

import (
	"testing"
	"time"
)

// TestTheTimeLeftIsThatOfTheTestsLeft: as many seconds for each as the ones that are done took.
func TestTheTimeLeftIsThatOfTheTestsLeft(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reason    string
		done, all int
		elapsed   time.Duration
		want      string
	}{
		{"a quarter is done", 25, 100, 10 * time.Second, ", about 30s left"},
		{"minutes are left", 1, 100, 2 * time.Second, ", about 3m18s left"},
		{"nearly all are done", 99, 100, 10 * time.Second, ", about 1s left"},
		{"the first second tells little", 25, 100, time.Second / 2, ""},
		{"nothing is done", 0, 100, time.Minute, ""},
		{"all are done", 100, 100, time.Minute, ""},
	} {
		if got := timeLeft(test.done, test.all, test.elapsed); got != test.want {
			t.Errorf("%s: got %q, want %q", test.reason, got, test.want)
		}
	}
}
