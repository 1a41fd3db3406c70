package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/lab/agentlogs"
	"github.com/loopstone/loopstone/internal/lab/alarm"
	"github.com/loopstone/loopstone/internal/lab/demoport"
	"github.com/loopstone/loopstone/internal/lab/replay"
	"github.com/loopstone/loopstone/internal/suite/porttest"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/recordings"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// demoRecording is the recording of the demonstration, and demoProfiles are the agents whose detectors watch it.
const demoRecording = "three-in-turn.jsonl"

var demoProfiles = []string{"@cline", "@gemini-cli", "@loopstone", "@openhands", "@roo"}

// The texts of the demonstration.
const (
	demoReplays = `An agent repeats three calls: it writes a setting, reads the setting, builds.
Which detectors report a loop, and when? my-port is a port of the detector history.

`
	demoTests = `history reports the loop, my-port does not. loopstone test shows why:

`
	demoNext = `
Next, after go install ./cmd/loopstone in this checkout:
  # your own logs: which detectors would have raised an alarm
  loopstone replay ~/.claude/projects
  # a port to start from, in your language
  loopstone init python my_port
  # all failures of this port
  loopstone test --verbose -- loopstone demo --port
`
)

// demoCommand tests and replays a port that has a fault, so that a fresh checkout shows what the tool is for.
func demoCommand(flags *pflag.FlagSet) runner {
	serves := flags.Bool("port", false, "start the port with the fault, which the demo tests over the protocol")
	return func(ctx context.Context, std streams, c call) (conformance.Outcome, error) {
		if err := c.nothing(); err != nil {
			return conformance.Usage, err
		}
		if *serves {
			return served(answer(ctx, demoport.Port(), std))
		}
		port, err := demoTarget()
		if err != nil {
			return conformance.AdapterFault, err
		}
		fmt.Fprint(std.out, wrapLines(demoReplays, widthOf(std, usualWidth)))
		if err := replayDemo(ctx, std, port); err != nil {
			return attribute(err), err
		}
		fmt.Fprintf(std.out, "\n%s", wrapLines(demoTests, widthOf(std, usualWidth)))
		return testDemo(ctx, std, port)
	}
}

// wrapLines wraps each line of a text.
func wrapLines(text string, width int) string {
	var wrapped []string
	for line := range strings.SplitSeq(text, "\n") {
		wrapped = append(wrapped, strings.Join(wording.Wrap(line, width), "\n"))
	}
	return strings.Join(wrapped, "\n")
}

// demoTarget returns the port, which this very program serves.
func demoTarget() (target, error) {
	t, err := usualTimeouts.target()
	if err != nil {
		return t, err
	}
	t.Command = stdio.Command{Path: self(), Args: []string{"demo", "--port"}}
	t.again, t.named = " -- loopstone demo --port", []string{"loopstone", "demo", "--port"}
	return t, err
}

// replayDemo shows the lanes of the recording.
func replayDemo(ctx context.Context, std streams, port target) error {
	text, err := recordings.Files.ReadFile(demoRecording)
	if err != nil {
		return err
	}
	watcher := replay.Watcher{}
	if watcher.Observers, err = demoObservers(ctx, std, port); err != nil {
		return err
	}
	if err := agentlogs.Read(demoRecording, bytes.NewReader(text), "", watcher.Sink(ctx)); err != nil {
		return err
	}
	if err := watcher.Close(ctx); err != nil {
		return err
	}
	return replay.Lanes(std.out, watcher.Runs[0], replay.Page{Width: widthOf(std, usualWidth), Colour: colourful(std)})
}

// demoObservers returns the reference's history, the port and the profiles.
func demoObservers(ctx context.Context, std streams, port target) ([]alarm.Observer, error) {
	started, err := std.ports.Start(ctx, port.Target, nil)
	if err != nil {
		return nil, err
	}
	profiles, err := profile.Named(demoProfiles)
	if err != nil {
		return nil, err
	}
	oracle := reference.Port()
	description, err := oracle.Describe(ctx)
	if err != nil {
		return nil, err
	}
	var list, known []alarm.Observer
	for _, o := range alarm.ObserversOf(oracle, "", description.Detectors) {
		if o.Detector == spec.History {
			list = append(list, o)
		}
		known = append(known, o.Profiles(profiles)...)
	}
	list = append(list, alarm.ObserversOf(started.Adapter, started.Description.Name, started.Description.Detectors)...)
	return append(list, known...), nil
}

// testDemo prints the report of the port. That the port fails is what it is for.
func testDemo(ctx context.Context, std streams, port target) (conformance.Outcome, error) {
	settings := withTraces(conformance.Settings{Jobs: conformance.DefaultJobs}, false)
	all, err := suiteOf(ctx, settings)
	if err != nil {
		return conformance.SuiteFault, err
	}
	started := time.Now()
	r, err := judge(ctx, std, port, &porttest.Plan{Settings: settings, All: all})
	if err != nil {
		return faultOf(err), err
	}
	err = targets{}.orText().write(ctx, std, r, report.Options{Started: started, Again: "loopstone test%s" + port.again})
	if outcome := r.Outcome(); err != nil || outcome != conformance.NotConformant {
		return outcome, cmp.Or(err, fmt.Errorf("the port of the demonstration is %s", outcome))
	}
	_, err = fmt.Fprint(std.out, demoNext)
	return conformance.Conformant, err
}
