//go:build unix

package stdio_test

import (
	"bufio"
	"context"
	"os"
	"sync"
	"testing"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/testing/faultyadapter"
	"github.com/loopstone/loopstone/spec"
)

const observeLine = `{"jsonrpc":"2.0","id":2,"method":"session/observe","params":{"session":"s1",` +
	`"events":[{"type":"tool_call","tool":"read_file","args":{"path":"src/main.go"}}]}}` + "\n"

// BenchmarkEcho measures what there is to be reached: a process that parses each line and answers it with a constant,
// and a runner that keeps a window of requests in flight and parses the answers.
func BenchmarkEcho(b *testing.B) {
	command, _ := catch(b, "healthy")
	command.Env = append(command.Env, faultyadapter.Env+"=echo")
	wire, err := stdio.OpenWire(context.Background(), command, stdio.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer wire.Close()
	window := make(chan struct{}, stdio.DefaultWindow)
	b.ResetTimer()
	var group sync.WaitGroup
	group.Go(func() { sendAll(b, wire, window) })
	for range b.N {
		line, err := wire.Receive(stdio.DefaultRequestTimeout)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := spec.ParseValue(line); err != nil {
			b.Fatal(err)
		}
		<-window
	}
	group.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
}

// sendAll sends b.N requests, as many at once as the window has room for.
func sendAll(b *testing.B, wire *stdio.Wire, window chan struct{}) {
	var batch []byte
	for sent := 0; sent < b.N; {
		window <- struct{}{}
		batch, sent = append(batch, observeLine...), sent+1
		if len(window) < cap(window) && sent < b.N && len(batch) < 32<<10 {
			continue
		}
		if err := wire.Send(batch); err != nil {
			b.Error(err)
			return
		}
		batch = batch[:0]
	}
}

// echo is the child of BenchmarkEcho.
func echo() {
	in, out := bufio.NewReaderSize(os.Stdin, 64<<10), bufio.NewWriterSize(os.Stdout, 64<<10)
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			os.Exit(0)
		}
		if _, err := spec.ParseValue(line); err != nil {
			os.Exit(1)
		}
		_, _ = out.WriteString(`{"jsonrpc":"2.0","id":2,"result":{"verdicts":[{"loop":false}]}}` + "\n")
		if in.Buffered() == 0 {
			_ = out.Flush()
		}
	}
}
