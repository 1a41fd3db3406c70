//go:build unix

package stdio_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/faulty"
	"github.com/loopstone/loopstone/spec"
)

func TestAPanicOfAGuestFailsTheClientAlone(t *testing.T) {
	t.Parallel()
	client, err := stdio.Pipe(t.Context(), panicking{faulty.Port()}, stdio.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	_, err = client.Call(t.Context(), "history.hash", "", spec.ObjectValue())
	if gone := expectReason(t, err, stdio.Exited); *gone.Exit != (stdio.Exit{Code: 2}) {
		t.Errorf("got %s, want status 2", gone.Exit)
	}
	if stderr := client.Close().Stderr; !strings.Contains(stderr, "panic: planted") || !strings.Contains(stderr, "guest_test.go") {
		t.Errorf("stderr has not the panic and where it was:\n%s", stderr)
	}
}

type panicking struct{ spec.Port }

func (panicking) Call(context.Context, string, spec.Reading, spec.Value) (spec.Value, error) {
	panic("planted")
}

func TestAGuestThatHangsIsGivenUp(t *testing.T) {
	t.Parallel()
	options := stdio.Options{RequestTimeout: 50 * time.Millisecond, StopTimeout: 50 * time.Millisecond}
	client, err := stdio.Pipe(t.Context(), slowPort{faulty.Port(), time.Hour}, options)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	_, err = client.Call(t.Context(), "history.hash", "", spec.ObjectValue())
	expectReason(t, err, stdio.TimedOut)
}

// deafPort heeds not even its context, until it is released.
type deafPort struct {
	spec.Port
	release chan struct{}
}

func (d deafPort) Call(context.Context, string, spec.Reading, spec.Value) (spec.Value, error) {
	<-d.release
	return spec.Value{}, nil
}

func TestAGuestThatCannotBeEndedIsAbandoned(t *testing.T) {
	t.Parallel()
	port := deafPort{faulty.Port(), make(chan struct{})}
	defer close(port.release)
	options := stdio.Options{RequestTimeout: 50 * time.Millisecond, StopTimeout: 50 * time.Millisecond}
	client, err := stdio.Pipe(t.Context(), port, options)
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Call(t.Context(), "history.hash", "", spec.ObjectValue())
	expectReason(t, err, stdio.TimedOut)
	if ending := client.Close(); ending.Needed != stdio.Abandoned {
		t.Errorf("Close: got %s, want %s", ending.Needed, stdio.Abandoned)
	}
}
