package benchmarks_test

import (
	"flag"
	"fmt"
	"io"
	"testing"

	"github.com/loopstone/loopstone/internal/lab/agentlogs"
	"github.com/loopstone/loopstone/internal/lab/alarm"
	"github.com/loopstone/loopstone/internal/lab/replay"
	"github.com/loopstone/loopstone/reference"
)

var logBytes = flag.Int("log-bytes", 8_000_000, "how long the logs of TestMemoryOfALogIsBounded are; 1000000000 is the full run")

// shape is how a format writes a log of any length: a beginning, a record for each call, and an end.
type shape struct {
	begin, end string
	record     func(i int) string
}

var shapes = map[string]shape{
	"claude-code": {"", "", sessionCall},
	"openai-chat": {`[{"role":"user","content":"Go."}`, `]`, func(i int) string {
		return fmt.Sprintf(`,{"role":"assistant","tool_calls":[{"id":"t%d","function":{"name":"bash","arguments":"{\"command\":\"make test-%d\"}"}}]}`+
			`,{"role":"tool","tool_call_id":"t%d","content":"%s%d"}`, i, i*7919%2000, i, printed, i%1000)
	}},
	"atif": {`{"schema_version":"ATIF-v1.4","steps":[{"source":"user","message":"Go."}`, `]}`, func(i int) string {
		return fmt.Sprintf(`,{"source":"agent","message":"","tool_calls":[{"tool_call_id":"t%d","function_name":"bash","arguments":{"command":"make test-%d"}}],`+
			`"observation":{"results":[{"source_call_id":"t%d","content":"%s%d"}]}}`, i, i*7919%2000, i, printed, i%1000)
	}},
}

// growing is a log of that shape, written while it is read. It calls atHalf when half of it was read.
type growing struct {
	shape
	size   int
	atHalf func()

	text    string // that is to be read next
	records int
	read    int
}

func (g *growing) Read(p []byte) (int, error) {
	switch {
	case g.text != "":
	case g.read == 0 && g.begin != "":
		g.text = g.begin
	case g.read < g.size:
		g.text = g.record(g.records)
		g.records++
	case g.end != "":
		g.text, g.end = g.end, ""
	default:
		return 0, io.EOF
	}
	n := copy(p, g.text)
	g.text = g.text[n:]
	if g.read < g.size/2 && g.read+n >= g.size/2 {
		g.atHalf()
	}
	g.read += n
	return n, nil
}

// TestMemoryOfALogIsBounded replays a log with all detectors, and looks at the memory in use when half of it was read and
// when all was: one of lines, one that is an array, and one that is an object. The full run is
//
//	go test ./benchmarks -run TestMemoryOfALogIsBounded -log-bytes 1000000000 -timeout 60m -v
func TestMemoryOfALogIsBounded(t *testing.T) { // not parallel: the heap belongs to all
	if testing.Short() {
		t.Skip("it reads a large log: make long runs it")
	}
	description, err := reference.Port().Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for format, shape := range shapes {
		t.Run(format, func(t *testing.T) {
			watcher := replay.Watcher{Observers: alarm.ObserversOf(reference.Port(), "", description.Detectors)}
			var half, whole int64
			empty := heapInUse()
			log := &growing{shape: shape, size: *logBytes, atHalf: func() { half = heapInUse() - empty }}
			if err := agentlogs.Read("log", log, format, watcher.Sink(t.Context())); err != nil {
				t.Fatal(err)
			}
			whole = heapInUse() - empty
			if err := watcher.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := watcher.Runs[0].Total.Calls; got != log.records {
				t.Errorf("%d calls were watched, want %d", got, log.records)
			}
			t.Logf("%d bytes: %.2f MB, %d bytes, %d calls: %.2f MB", log.size/2, megabytes(half), log.read, log.records, megabytes(whole))
			if whole > mostMemory || whole-half > mostGrowth {
				t.Errorf("%.2f MB after %d bytes, %.2f MB after half of them", megabytes(whole), log.read, megabytes(half))
			}
		})
	}
}
