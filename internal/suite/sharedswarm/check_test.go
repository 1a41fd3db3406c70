package sharedswarm

import (
	"testing"

	"github.com/anishathalye/porcupine"
)

// A reset in pieces was met once, and in no shorter plan again: the two reports after it tell nobody anything.
func TestAFailureEndsWithTheWaveThatShowsIt(t *testing.T) {
	counted := func(n int) answer { return answer{total: total{count: n}, workers: 1} }
	u := operation{instance: 1, action: report, tool: "u", worker: "a"}
	callOfT := operation{instance: 0, action: report, tool: "t", worker: "b"}
	played := []struct {
		wave, from, to int64
		operation      operation
		answer         answer
	}{
		{0, 0, 80, u, counted(1)},
		{0, 4, 70, callOfT, counted(1)},
		{1, 88, 160, operation{instance: 1, action: clear}, answer{}},
		{1, 92, 146, callOfT, counted(2)},
		{1, 85, 137, operation{instance: 2, action: snapshot}, answer{all: map[string]total{"u": {count: 1, workers: "a"}}}},
		{2, 163, 193, operation{instance: 2, action: report, tool: "u", worker: "b"}, counted(1)},
		{3, 195, 222, callOfT, counted(1)},
	}
	p, h := make(plan, 4), history{}
	for _, o := range played {
		p[o.wave] = append(p[o.wave], o.operation)
		h = append(h, porcupine.Operation{
			ClientId: o.operation.instance, Input: o.operation, Call: o.from, Output: o.answer, Return: o.to,
		})
	}
	if h.explained() {
		t.Fatal("an order explains a snapshot in the middle of a reset")
	}
	shorter, short := beginning(p, h)
	if len(shorter) != 2 || len(short) != 5 || short.explained() {
		t.Errorf("got %d waves, %d operations, explained %t: want 2, 5, false", len(shorter), len(short), short.explained())
	}
}
