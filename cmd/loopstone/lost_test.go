package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loopstone/loopstone/conformance"
)

// lostPort is a right port of history that is lost in the way that its first word says: at each event of a type or, once
// in its life, at the hundredth event. The second word is a file that remembers.
const lostPort = `
import collections, json, os, signal, sys, time
import loopstone

how, memory = sys.argv[1:]
events = 0


def once():
    global events
    events += 1
    if events != 100:
        return False
    try:
        os.close(os.open(memory, os.O_CREAT | os.O_EXCL))
        return True
    except FileExistsError:
        return False


class History:
    detector, readings, features = "history", ["code"], []

    def __init__(self, reading, config):
        self.settings = loopstone.settings(config, repeat_threshold=3, history_size=20)
        self.reset()

    def reset(self):
        self.calls = []

    def observe(self, event):
        if event["type"] == "tool_result":
            if how == "raise":
                return {}["content"]
            if how == "hang":
                time.sleep(3600)
            if how == "print":
                print("debug", event["type"])
        if once():
            if how == "die":
                os.kill(os.getpid(), signal.SIGSEGV)
            if how == "leave":
                os._exit(0)
            if how == "stop":
                os.kill(os.getpid(), signal.SIGSTOP)
            if how == "close":
                os.close(0)
                time.sleep(3600)
            if how == "half":
                os.write(1, b'{"jsonrpc":')
                time.sleep(3600)
            if how == "sleep":
                time.sleep(3600)
        if event["type"] != "tool_call":
            return {"loop": False}
        self.calls.append(event["tool"] + json.dumps(event["args"], sort_keys=True))
        del self.calls[:-self.settings["history_size"]]
        count = max(collections.Counter(self.calls).values())
        if count >= self.settings["repeat_threshold"]:
            return {"loop": True, "kind": "repeat", "count": count}
        return {"loop": False, "count": count}


if __name__ == "__main__":
    loopstone.serve("lost", "1", History)
`

// TestALostPortIsNoSuccess: whatever befalls a port, even once, the run is no success, and the report says what happened
// and at which event. What is found out costs few starts and few waits.
func TestALostPortIsNoSuccess(t *testing.T) {
	long(t, "ten runs that lose a port")
	t.Parallel()
	const limit = 2 * time.Second
	// Without the cases whose requests no pipe takes whole: their port would be lost before it has read them.
	const shortCases = "history-c*,history-d*,history-e*,history-o*,history-s*,history-t*,history-w*,history-law*"
	for _, test := range []struct {
		how      string
		want     conformance.Outcome
		says     []string // in the report, wherever its lines are broken
		lines    []string // as they are
		restarts int      // at most
	}{
		{"not", conformance.Conformant, nil, nil, 0},
		{
			"raise", conformance.NotConformant,
			[]string{"step 3 of 5: tool_result {\"content\":\"x\"}; standard error: KeyError: 'content'"},
			[]string{"return {}[\"content\"]", "           KeyError: 'content'"},
			32, // for six cases and five checks of generated traces
		},
		{"hang", conformance.NotDecided, []string{"no answer within ", "; step ", ": tool_result ", "not run: the port gave no answer in time 3 times"}, nil, 14},
		{
			"print", conformance.AdapterFault,
			[]string{"PR-7 MUST", `"debug tool_result"; step`, "3 broken by the adapter", "not run: the adapter broke the protocol in 3 cases of history"},
			nil, 14,
		},
		{"die", conformance.NotDecided, []string{"LOST, and no case alone shows why", "signal segmentation fault"}, nil, 1},
		{"leave", conformance.NotDecided, []string{"LOST, and no case alone shows why", "exit status 0"}, nil, 1},
		{"stop", conformance.NotDecided, []string{"no answer within 2s, and its process is stopped"}, nil, 1},
		{"close", conformance.NotDecided, []string{"no answer within 2s, and it has closed its input"}, nil, 1},
		{"half", conformance.NotDecided, []string{"no answer within 2s", "only the beginning of one"}, nil, 1},
		{"sleep", conformance.NotDecided, []string{"LOST, and no case alone shows why", "no answer within 2s"}, nil, 1},
	} {
		t.Run(test.how, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			port := []string{
				"--", "env", "PYTHONPATH=" + kit(t), "PYTHONDONTWRITEBYTECODE=1", "python3", "-S",
				write(t, folder, "port.py", lostPort), test.how, filepath.Join(folder, "memory"),
			}
			out, outcome := tool(t, folder, append([]string{
				"test", "--timeout", limit.String(), "--case", shortCases, "--checks", "20", "--report", "text", "--report", "jsonl=out.jsonl",
			}, port...)...)
			if outcome != test.want {
				t.Errorf("it is %s", outcome)
			}
			for _, words := range test.says {
				if !says(out, words) {
					t.Errorf("the report does not say %q", words)
				}
			}
			for _, line := range test.lines {
				if !strings.Contains(out, line+"\n") {
					t.Errorf("the report has no line %q", line)
				}
			}
			restarts := 0
			summary := read(t, filepath.Join(folder, "out.jsonl"))
			_, number, _ := strings.Cut(summary, `"restarts":`)
			if _, err := fmt.Sscan(strings.NewReplacer(",", " ", "}", " ").Replace(number), &restarts); err != nil || restarts > test.restarts {
				t.Errorf("%d restarts, want at most %d: %v", restarts, test.restarts, err)
			}
			if t.Failed() {
				t.Log(out)
			}
		})
	}
}
