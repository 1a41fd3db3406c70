package benchmarks_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/internal/lab/agentlogs"
	"github.com/loopstone/loopstone/internal/lab/alarm"
	"github.com/loopstone/loopstone/internal/lab/replay"
	"github.com/loopstone/loopstone/reference"
)

// session returns a session of Claude Code with calls and answers, of the lengths that such sessions have.
func session(calls int) []byte {
	var b bytes.Buffer
	for i := range calls {
		b.WriteString(sessionCall(i))
	}
	return b.Bytes()
}

// printed is what a call of a session returns, but for a number.
var printed = strings.Repeat("a line of what a build says about one thing or another\\n", 8)

// sessionCall returns the lines of one call and its answer.
func sessionCall(i int) string {
	return fmt.Sprintf(`{"type":"assistant","sessionId":"s","isSidechain":false,"uuid":"a%d","message":{"id":"m%d","role":"assistant",`+
		`"content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{"command":"make test-%d"}}],`+
		`"usage":{"input_tokens":20,"output_tokens":35}}}`+"\n", i, i, i, i*7919%2000) +
		fmt.Sprintf(`{"type":"user","sessionId":"s","isSidechain":false,"uuid":"b%d","message":{"role":"user","content":[`+
			`{"type":"tool_result","tool_use_id":"t%d","content":"%s%d"}]}}`+"\n", i, i, printed, i%1000)
}

// BenchmarkReplay lets all detectors watch a session, beside what has to be done anyway: its reading, and the parsing of
// its JSON alone.
func BenchmarkReplay(b *testing.B) {
	log := session(2000)
	description, err := reference.Port().Describe(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	watches := alarm.ObserversOf(reference.Port(), "", description.Detectors)
	replayed := func() (int, error) {
		watcher := replay.Watcher{Observers: watches}
		if err := agentlogs.Read("log.jsonl", bytes.NewReader(log), "", watcher.Sink(b.Context())); err != nil {
			return 0, err
		}
		return watcher.Runs[0].Total.Events, watcher.Close(b.Context())
	}
	events, err := replayed()
	if err != nil {
		b.Fatal(err)
	}
	for _, by := range []struct {
		name string
		do   func() error
	}{
		{"all-detectors", func() error { _, err := replayed(); return err }},
		{"reader", func() error {
			sink := agentlogs.Sink{Event: func(agentlogs.Event) error { return nil }}
			return agentlogs.Read("log.jsonl", bytes.NewReader(log), "", sink)
		}},
		{"json", func() error { return parseLines(log) }},
	} {
		b.Run("by="+by.name, func(b *testing.B) {
			b.SetBytes(int64(len(log)))
			report := cpuTime(b, events)
			for b.Loop() {
				if err := by.do(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(events*b.N)/b.Elapsed().Seconds(), "events/s")
			report()
		})
	}
}

// parseLines parses each line with Go's standard library.
func parseLines(log []byte) error {
	for line := range bytes.Lines(log) {
		var v any
		if err := json.Unmarshal(line, &v); err != nil {
			return err
		}
	}
	return nil
}
