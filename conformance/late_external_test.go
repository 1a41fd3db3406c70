//go:build unix

package conformance_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// lateEnv tells this binary to be an honest adapter of which one answer, counted from 1, is late.
const lateEnv = "LOOPSTONE_LATE"

// lateness is longer than the limit for an answer, and shorter than twice that.
const (
	lateness  = 900 * time.Millisecond
	lateLimit = 600 * time.Millisecond // which a busy machine keeps
)

func lateIfAsked() {
	late, err := strconv.Atoi(os.Getenv(lateEnv))
	if err != nil {
		return
	}
	answers := 0
	breach{answer: func(_, answer spec.Value) string {
		if answers++; answers == late {
			time.Sleep(lateness)
		}
		return lineOf(answer)
	}}.serve()
	os.Exit(0)
}

// TestOneLateAnswerAccusesNobody makes each answer of an honest adapter late, one after the other. The answer to a probe
// must not be taken for the late one.
func TestOneLateAnswerAccusesNobody(t *testing.T) {
	t.Parallel()
	const positions = 40
	step := 1
	if testing.Short() || raced {
		step = 4
	}
	limits := stdio.Options{
		RequestTimeout: lateLimit, StartTimeout: patient.RequestTimeout, StopTimeout: patient.StopTimeout,
	}
	for position := 1; position <= positions; position += step {
		t.Run(strconv.Itoa(position), func(t *testing.T) {
			t.Parallel()
			for _, r := range checkOwn(t, fmt.Sprintf("%s=%d", lateEnv, position), limits) {
				if r.Status != conformance.Undecided {
					t.Errorf("%s is %s: %s", r.Case, r.Status, reasonOf(r))
				}
			}
		})
	}
}
