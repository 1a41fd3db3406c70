//go:build unix

package stdio_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/faulty"
	"github.com/loopstone/loopstone/spec"
)

// An adapter for detectors in Go is one call: with os.Stdin instead of the two lines.
func ExampleServe() {
	requests := strings.NewReader(`
{"jsonrpc":"2.0","id":1,"method":"session/open","params":{"session":"s1","detector":"history","reading":"code"}}
{"jsonrpc":"2.0","id":2,"method":"session/observe","params":{"session":"s1","events":[{"type":"tool_call","tool":"ls"}]}}
`)
	if err := stdio.Serve(context.Background(), faulty.Port(), requests, os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{}}
	// {"jsonrpc":"2.0","id":2,"result":{"verdicts":[{"loop":false,"count":1}]}}
}

// A runner talks to a port in this process as it does to a foreign one.
func ExamplePipe() {
	ctx := context.Background()
	client, err := stdio.Pipe(ctx, faulty.Port(), stdio.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = client.Open(ctx, spec.History, spec.Code, spec.MustParse(`{"repeat_threshold":0}`))
	fmt.Println(err)
	fmt.Println(client.Close())
	// Output:
	// invalid_config repeat_threshold: want an integer of at least 1, got 0
	// after shutdown: exit status 0
}
