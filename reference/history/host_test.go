package history_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/reference/history"
	"github.com/loopstone/loopstone/spec"
)

func TestBatchesMayBeSplitAnywhereAndSessionsInterleaved(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		host := spec.NewHost(spec.Description{}, history.Implementation())
		config := configs().Draw(t, "config").value()
		whole, split, other := session(t, host, config), session(t, host, config), session(t, host, config)
		trace := written(traces().Draw(t, "trace"))
		noise := written(traces().Draw(t, "noise"))

		want := send(t, whole, trace)
		var got []spec.Value
		for len(trace) > 0 {
			n := rapid.IntRange(0, len(trace)).Draw(t, "batch")
			got = append(got, send(t, split, trace[:n])...)
			trace = trace[n:]
			send(t, other, noise)
		}
		if diff := cmp.Diff(texts(want), texts(got)); diff != "" {
			t.Fatalf("-in one batch +in several\n%s", diff)
		}
	})
}

func session(t *rapid.T, host *spec.Host, config spec.Value) spec.Session {
	s, err := host.Open(context.Background(), spec.History, spec.Code, config)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func send(t *rapid.T, s spec.Session, events []spec.Value) []spec.Value {
	verdicts, err := s.Observe(context.Background(), events)
	if err != nil {
		t.Fatal(err)
	}
	return verdicts
}

// written returns the events as the protocol writes them.
func written(trace []spec.Event) []spec.Value {
	values := make([]spec.Value, len(trace))
	for i, e := range trace {
		if e.Type == spec.ToolCall {
			values[i] = spec.MustParse(`{"type":"tool_call"}`).
				With("tool", spec.StringValue(e.Tool)).With("args", e.Args)
		} else {
			values[i] = spec.MustParse(`{"type":"tool_result","content":"x"}`)
		}
	}
	return values
}

func texts(values []spec.Value) []string {
	list := []string{}
	for _, v := range values {
		list = append(list, v.String())
	}
	return list
}
