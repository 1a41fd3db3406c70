package guards_test

import (
	"testing"

	"github.com/loopstone/loopstone/reference/guards"
	"github.com/loopstone/loopstone/spec"
	"pgregory.net/rapid"
)

// open opens a session with these settings.
func (s settings) open(t *rapid.T, port spec.Port) spec.Session {
	session, err := port.Open(t.Context(), spec.Guards, spec.Text, s.config())
	if err != nil {
		t.Fatalf("open under %s: %v", s.config(), err)
	}
	return session
}

// observe sends the trace in one batch and returns the verdicts as an array.
func observe(t *rapid.T, session spec.Session, trace []iteration) spec.Value {
	events := make([]spec.Value, len(trace))
	for i, it := range trace {
		events[i] = it.value()
	}
	list, err := session.Observe(t.Context(), events)
	if err != nil {
		t.Fatalf("observe %v: %v", events, err)
	}
	return spec.ArrayValue(list...)
}

func host() *spec.Host {
	return spec.NewHost(spec.Description{Name: "guards"}, guards.Implementation())
}

func TestBatchesMayBeCutAnywhere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		port, s, trace := host(), anySettings(t), iterations(t)
		cut := rapid.IntRange(0, len(trace)).Draw(t, "cut")
		whole := observe(t, s.open(t, port), trace)
		inTwo := s.open(t, port)
		first, second := observe(t, inTwo, trace[:cut]), observe(t, inTwo, trace[cut:])
		parts := spec.ArrayValue(append(first.Items(), second.Items()...)...)
		if !whole.Equal(parts) {
			t.Fatalf("whole %s\nparts %s", whole, parts)
		}
	})
}

func TestSessionsDoNotInfluenceEachOther(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		port, s, trace, other := host(), anySettings(t), iterations(t), iterations(t)
		alone := observe(t, s.open(t, port), trace)
		session, neighbour := s.open(t, port), s.open(t, port)
		for i := range trace {
			observe(t, neighbour, other[min(i, len(other)):min(i+1, len(other))])
			if got := observe(t, session, trace[i:i+1]).Items()[0]; !got.Equal(alone.Items()[i]) {
				t.Fatalf("verdict %d is %s, alone %s", i, got, alone.Items()[i])
			}
		}
	})
}

func TestConfigurationFaultsNameTheTopLevelMember(t *testing.T) {
	t.Parallel()
	port := host()
	for config, field := range map[string]string{
		`{"max_iterations":0}`:                                   "max_iterations",
		`{"max_runtime_s":60.5}`:                                 "max_runtime_s",
		`{"max_consecutive_errors":true}`:                        "max_consecutive_errors",
		`{"maxIterations":3}`:                                    "maxIterations",
		`{"signature":null}`:                                     "signature",
		`{"signature":{"reading":"prose"}}`:                      "signature",
		`{"signature":{"reading":null}}`:                         "signature",
		`{"signature":{"threshold":0}}`:                          "signature",
		`{"signature":{"window":"5"}}`:                           "signature",
		`{"signature":{"size":5}}`:                               "signature",
		`{"signature":{"reading":"code"},"max_iterations":null}`: "max_iterations",
	} {
		_, err := port.Open(t.Context(), spec.Guards, spec.Text, spec.MustParse(config))
		if fault, ok := err.(*spec.Fault); !ok || fault.Kind != spec.InvalidConfig || fault.Field != field {
			t.Errorf("%s: got %v, want invalid_config %s", config, err, field)
		}
	}
}
