package main

import (
	"context"
	"fmt"

	"github.com/loopstone/loopstone/internal/minimal"
	"github.com/loopstone/loopstone/internal/strength"
)

// needed says which steps of a case it takes to kill what the case kills: without one of them, the original fails, or
// at least one of the mutants that the request names passes.
func (t *court) needed(ctx context.Context, request strength.Request) (strength.Answer, error) {
	i, known := t.byID[request.Case]
	if !known {
		return strength.Answer{}, fmt.Errorf("no case %s", request.Case)
	}
	answer := strength.Answer{Case: request.Case, Steps: []int{}}
	c := t.rehearsals[i].c
	for step := range c.Steps {
		shorter, passes, err := t.rehearse(ctx, minimal.Without(c, step))
		if err != nil {
			return answer, err
		}
		loses := false
		if passes {
			if loses, err = t.losesAny(ctx, shorter, request.Mutants); err != nil {
				return answer, err
			}
		}
		if !passes || loses {
			answer.Steps = append(answer.Steps, step+1)
		}
	}
	return answer, nil
}

// losesAny reports whether at least one of the mutants passes the case.
func (t *court) losesAny(ctx context.Context, r rehearsal, mutants []int) (bool, error) {
	if len(r.c.Steps) == 0 {
		return len(mutants) > 0, nil
	}
	for _, id := range mutants {
		if panicked := t.turnOn(id); panicked != "" {
			return false, fmt.Errorf("mutant %d panics: %s", id, panicked)
		}
		killed, err := t.kills(ctx, r, id)
		if err != nil || !killed {
			return err == nil, err
		}
	}
	return false, nil
}
