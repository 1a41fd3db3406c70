package plant

import (
	"math"
	"testing"
)

// wide is a variable as a mutated copy initialises it.
func wide() int {
	if Is(1) {
		return 11
	}
	return 10
}

// TestTurnOn shows that a variable has the value that the mutant gives it, and its own again afterwards.
func TestTurnOn(t *testing.T) {
	width := wide()
	Renew(func() { width = wide() })
	defer func() { renewals, initial = nil, nil; TurnOn(Original) }()
	for _, step := range []struct{ mutant, want int }{{1, 11}, {2, 10}, {1, 11}, {Original, 10}, {2, 10}} {
		TurnOn(step.mutant)
		if width != step.want {
			t.Errorf("with mutant %d the variable is %d, want %d", step.mutant, width, step.want)
		}
	}
	if !Initial(1) || Initial(2) || Initial(Original) {
		t.Error("want the variable to come by mutant 1 alone")
	}
}

// TestWatch shows that what is watched is noted, within a watch, too.
func TestWatch(t *testing.T) {
	var inner *Set
	outer := ReachedBy(func() {
		Is(3)
		inner = ReachedBy(func() { Is(4) })
		Is(5)
	})
	if !outer.Has(3) || outer.Has(4) || !outer.Has(5) || !inner.Has(4) || inner.Has(3) || inner.Has(5) {
		t.Errorf("noted %v, and within that %v", *outer, *inner)
	}
	Is(6)
	if outer.Has(6) {
		t.Error("something is noted after the end")
	}
}

// TestBegin shows that the steps are counted again after Begin, and that one too many panics.
func TestBegin(t *testing.T) {
	defer Begin(math.MaxInt)
	for range 3 {
		Begin(2)
		Step()
		Step()
	}
	if Steps() != 2 {
		t.Errorf("%d steps, want 2", Steps())
	}
	defer func() {
		if recover() == nil {
			t.Error("a step too many does not panic")
		}
	}()
	Step()
}
