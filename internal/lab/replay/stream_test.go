package replay

import (
	"bytes"
	"path/filepath"
	"testing"

	"github.com/loopstone/loopstone/internal/lab/agentlogs"
	"github.com/loopstone/loopstone/internal/lab/alarm"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/internal/testing/golden"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// TestAStreamedLoopIsReplayed: of a recording with streamed text, the detectors of such text report the answer that
// repeats, and not the list before it. What they name is shown as text, and what comes after it is counted.
func TestAStreamedLoopIsReplayed(t *testing.T) {
	t.Parallel()
	profiles, err := profile.Named([]string{"@*-stream"})
	if err != nil {
		t.Fatal(err)
	}
	watch := alarm.Observer{
		Port: reference.Port(), Detector: spec.Stream, Reading: spec.Code,
		Offer: spec.Offer{Detector: spec.Stream, Readings: []spec.Reading{spec.Code}},
	}
	watcher := Watcher{Observers: append(watch.Profiles(profiles), watch)}
	recorded := filepath.Join("..", "..", "..", "recordings", "repeating-answer.jsonl")
	if err := agentlogs.Walk(t.Context(), []string{recorded}, "", watcher.Sink(t.Context())); err != nil {
		t.Fatal(err)
	}
	if err := watcher.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := Summary(&got, &watcher, Page{Width: 100}); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join("testdata", "stream-100.txt"), got.String())
}
