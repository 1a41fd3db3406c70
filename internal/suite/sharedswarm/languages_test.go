package sharedswarm_test

import (
	"testing"
	"time"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/suite/sharedswarm"
	"github.com/loopstone/loopstone/internal/testing/redisserver"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/reference/swarm/shared"
	"github.com/loopstone/loopstone/spec"
)

// python starts the Python port on a server.
func python(t *testing.T, server *redisserver.Server) spec.Port {
	t.Helper()
	command := stdio.Command{Path: "python3", Args: []string{"../../../conformance/adapters/python/ports/fleet.py", server.URL()}}
	adapter, err := stdio.StartAdapter(t.Context(), command, stdio.Options{RequestTimeout: time.Minute, StartTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { adapter.Close() })
	return adapter
}

func TestInstancesInTwoLanguagesAreOneSwarm(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t)
	store, err := shared.Open(t.Context(), server.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	ports := []spec.Port{store.Port(reference.Port()), python(t, server), python(t, server)}
	if _, err := sharedswarm.Check(t.Context(), ports, sharedswarm.Options{Seed: 3, Plans: 100}); err != nil {
		t.Error(err)
	}
}

func TestBothLanguagesWriteAFingerprintAlike(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t)
	store, err := shared.Open(t.Context(), server.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	args := `{"b":[1,1.0,-0,0.00001,1e-7,1.5e300,123456789012345680000,1e21,true,null],"ä😀ｗ":"\u0001\n\"é","😀":{},"ｗ":""}`
	event := spec.MustParse(`{"type":"tool_call","tool":"é\"","worker":"w","args":` + args + `}`)
	config := spec.MustParse(`{"swarm":"s","threshold":1,"min_workers":1}`)
	for i, port := range []spec.Port{store.Port(reference.Port()), python(t, server)} {
		s, err := port.Open(t.Context(), spec.Swarm, spec.Text, config)
		if err != nil {
			t.Fatal(err)
		}
		verdicts, err := s.Observe(t.Context(), []spec.Value{event})
		if err != nil {
			t.Fatal(err)
		}
		if count, _ := verdicts[0].Get("count").Int(); count != i+1 {
			t.Errorf("port %d: count %d, want %d", i+1, count, i+1)
		}
	}
}
