package declared

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// servedEnv makes this binary an adapter, whose verdicts have no member but loop.
const servedEnv = "LOOPSTONE_DECLARES_LOOP"

func TestMain(m *testing.M) {
	if os.Getenv(servedEnv) == "" {
		os.Exit(m.Run())
	}
	impl := reference.Implementation(spec.History)
	impl.Members = []string{"loop"}
	port := spec.NewHost(spec.Description{Name: "small", Version: "1", Language: "go"}, impl)
	if err := stdio.Serve(context.Background(), port, os.Stdin, os.Stdout); err != nil {
		os.Exit(1)
	}
}

// TestAnotherInstanceIsAProcessOfItsOwn: an adapter that declares the members of its verdicts has several instances all
// the same, and of none is a verdict compared in what it does not declare.
func TestAnotherInstanceIsAProcessOfItsOwn(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := stdio.Command{Path: self, Env: []string{servedEnv + "=1", "GORACE=atexit_sleep_ms=0"}}
	adapter, err := stdio.StartAdapter(t.Context(), command, stdio.Options{StartTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	defer adapter.Close()
	description, _ := adapter.Describe(t.Context())
	spawner, can := Port(adapter, description).(stdio.Spawner)
	if !can {
		t.Fatal("no other instance can be started")
	}
	other, end, err := spawner.Spawn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	session, err := other.Open(t.Context(), spec.History, spec.Code, spec.Value{})
	if err != nil {
		t.Fatal(err)
	}
	verdicts, err := session.Observe(t.Context(), []spec.Value{spec.MustParse(`{"type":"tool_call","tool":"t"}`)})
	if err != nil || verdicts[0].String() != `{"loop":false}` {
		t.Errorf("got %v, %v, want the member that is declared", verdicts, err)
	}
}
