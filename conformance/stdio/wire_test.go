//go:build unix

package stdio_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/loopstone/loopstone/conformance/stdio"
)

func openWire(t *testing.T, name string) *stdio.Wire {
	t.Helper()
	command, mark := catch(t, name)
	wire, err := stdio.OpenWire(t.Context(), command, brisk)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		wire.Close()
		expectGone(t, mark)
	})
	return wire
}

func send(t *testing.T, wire *stdio.Wire, text string) {
	t.Helper()
	if err := wire.Send([]byte(text)); err != nil {
		t.Fatal(err)
	}
}

func TestAWireSendsWhateverItIsGiven(t *testing.T) {
	t.Parallel()
	wire := openWire(t, "healthy")
	send(t, wire, "{\"jsonrpc\"\n")
	send(t, wire, open[:30])
	if line, err := wire.Receive(settleTime); err != nil || !strings.Contains(string(line), "-32700") {
		t.Errorf("got %q, %v, want error -32700", line, err)
	}
	_, err := wire.Receive(20 * time.Millisecond)
	expectReason(t, err, stdio.TimedOut) // half a request has no answer
	send(t, wire, open[30:]+"\n")
	if line, err := wire.Receive(settleTime); err != nil || string(line) != opened {
		t.Errorf("got %q, %v, want %s", line, err, opened)
	}
}

func TestAWireSeesTheEndOfItsInputThrough(t *testing.T) {
	t.Parallel()
	wire := openWire(t, "healthy")
	send(t, wire, open) // without a newline
	if _, ended := wire.Wait(20 * time.Millisecond); ended {
		t.Error("it ended while its input was open")
	}
	wire.CloseInput()
	if line, err := wire.Receive(settleTime); err != nil || string(line) != opened {
		t.Errorf("got %q, %v, want %s", line, err, opened)
	}
	if line, err := wire.Receive(settleTime); !errors.Is(err, io.EOF) {
		t.Errorf("got %q, %v, want the end", line, err)
	}
	if exit, ended := wire.Wait(settleTime); !ended || exit != (stdio.Exit{}) {
		t.Errorf("got %s, %t, want exit status 0", exit, ended)
	}
}

func TestAWireKeepsALineThatWasBegun(t *testing.T) {
	t.Parallel()
	wire := openWire(t, "half-exit@1")
	send(t, wire, open+"\n")
	line, err := wire.Receive(settleTime)
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasPrefix(opened, string(line)) || len(line) == 0 {
		t.Errorf("got %q, %v, want a part of %s, %v", line, err, opened, io.ErrUnexpectedEOF)
	}
}

func TestAWireLimitsLinesAndTime(t *testing.T) {
	t.Parallel()
	flood := openWire(t, "flood-stdout@1")
	send(t, flood, open+"\n")
	_, err := flood.Receive(settleTime)
	expectReason(t, err, stdio.BrokeProtocol)

	deaf := openWire(t, "deaf")
	err = deaf.Send([]byte(strings.Repeat("x", 1<<20)))
	expectReason(t, err, stdio.TimedOut)
}
