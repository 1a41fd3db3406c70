package stdio

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/loopstone/loopstone/spec"
)

// gate is a port whose functions wait until they are let through.
type gate struct {
	spec.Port
	let chan struct{}
}

func (g gate) Call(context.Context, string, spec.Reading, spec.Value) (spec.Value, error) {
	<-g.let
	return spec.NullValue(), nil
}

func TestNoMoreRequestsTravelThanTheWindowHolds(t *testing.T) {
	const window, callers = 3, 20
	port := gate{spec.NewHost(spec.Description{}), make(chan struct{})}
	client, err := Pipe(t.Context(), port, Options{Window: window})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			if _, err := client.Call(t.Context(), "f", "", spec.ObjectValue()); err != nil {
				t.Error(err)
			}
		})
	}
	for range callers {
		expectInFlight(t, client.link, window)
		port.let <- struct{}{}
	}
	group.Wait()
	if client.link.pending.len() != 0 || client.link.bytes != 0 {
		t.Errorf("when all is answered, %d requests of %d bytes are still counted", client.link.pending.len(), client.link.bytes)
	}
}

// expectInFlight demands that there are soon as many requests in flight as the window holds or as callers are left,
// and never more.
func expectInFlight(t *testing.T, l *link, window int) {
	t.Helper()
	for end := time.Now().Add(time.Second); ; time.Sleep(time.Millisecond) {
		l.mu.Lock()
		n, last := l.pending.len(), l.lastID
		l.mu.Unlock()
		switch {
		case n > window:
			t.Fatalf("%d requests are in flight, want at most %d", n, window)
		case n == window || last == 21: // initialize and all callers
			return
		case time.Now().After(end):
			t.Fatalf("%d requests are in flight, want %d", n, window)
		}
	}
}
