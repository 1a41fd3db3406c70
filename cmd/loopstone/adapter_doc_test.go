package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
)

// myPort is what the adapter of docs/protocol.md leaves to its reader, made of the kit and of the port in Python.
const myPort = `from history import History
from loopstone import Refused, check_event


def open_detector(params):
    config = params.get("config", {})
    if type(params["reading"]) is not str or type(config) is not dict:
        raise Refused("invalid_params")
    if params["detector"] != "history":
        raise Refused("unsupported", feature=params["detector"])
    if params["reading"] != "code":
        raise Refused("unsupported", feature=params["reading"])
    return History(params["reading"], config)
`

// TestTheAdapterOfThePageConforms: the adapter that the page begins with passes the adapter check, and with one fault in
// any of the three things that it does it fails.
func TestTheAdapterOfThePageConforms(t *testing.T) {
	t.Parallel()
	if missing := missingProgram("python3"); missing != "" {
		t.Skipf("%s is not on this machine", missing)
	}
	_, rest, begins := strings.Cut(read(t, filepath.Join("..", "..", "docs", "protocol.md")), "```python\n# adapter.py\n")
	adapter, _, ends := strings.Cut(rest, "```\n")
	if !begins || !ends {
		t.Fatal("docs/protocol.md has no block of Python that begins with # adapter.py")
	}
	for _, test := range []struct{ reason, sound, fault string }{
		{"the page's own", "", ""},
		{"it answers notifications", "if not silent: ", ""},
		{"it exits before it is asked to", `== "shutdown": break`, `== "session/close": break`},
		{"it opens a session twice", `if name in sessions: raise Refused("invalid_params")`, ""},
		{"it keeps what was closed", "del sessions[name]", "pass"},
		{"it takes NaN for JSON", ", parse_constant=int", ""},
		{"it skips white space that is not JSON's", `lambda line: line.strip(b" \t\r\n")`, "bytes.strip"},
		{"it checks no events", "check_event(event)", "pass"},
		{"it refuses without a kind", `"data": fault.data`, `"data": {}`},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			if test.sound != "" && strings.Count(adapter, test.sound) != 1 {
				t.Fatalf("%q does not stand once in the adapter:\n%s", test.sound, adapter)
			}
			want := conformance.Conformant
			if test.sound != "" {
				want = conformance.AdapterFault
			}
			folder := t.TempDir()
			kit := filepath.Join("..", "..", "conformance", "adapters", "python")
			write(t, folder, "loopstone.py", read(t, filepath.Join(kit, "loopstone.py")))
			write(t, folder, "history.py", read(t, filepath.Join(kit, "history.py")))
			write(t, folder, "my_port.py", myPort)
			path := write(t, folder, "adapter.py", strings.Replace(adapter, test.sound, test.fault, 1))
			if out, got := run(t, folder, []string{"--", "python3", path}, "check-adapter"); got != want {
				t.Errorf("got %s, want %s:\n%s", got, want, out)
			}
		})
	}
}
