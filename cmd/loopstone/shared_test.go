package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/guard/redisserver"
)

// changeling describes itself by its process.
const changeling = `import json, os, sys
for line in sys.stdin:
    says = {"protocol": 1, "name": str(os.getpid()), "version": "", "language": "", "detectors": []}
    print(json.dumps({"jsonrpc": "2.0", "id": json.loads(line)["id"], "result": says}), flush=True)
`

func TestCheckSharedOfProcesses(t *testing.T) {
	t.Parallel()
	url, full := redisserver.Start(t).URL(), redisserver.Start(t, "--maxmemory", "1", "--maxmemory-policy", "noeviction").URL()
	port := filepath.Join(t.TempDir(), "changing.py")
	if err := os.WriteFile(port, []byte(changeling), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		reason, args string
		outcome      conformance.Outcome
		want         string
	}{
		{
			"on one store they are one swarm", "--plans 50 -- " + builtTool + " serve --swarm " + url, conformance.Conformant,
			"conformant: 3 instances are one swarm in 50 plans from seed 1\n",
		},
		{
			"a swarm in memory is nobody else's", "-- " + builtTool + " serve", conformance.NotDecided,
			"loopstone check-shared: instance 1: NOT CHECKED: the port does not declare the feature shared of the detector swarm\n",
		},
		{
			"a port that another process describes otherwise", "-- python3 " + port, conformance.AdapterFault,
			"loopstone check-shared: the adapter is at fault: instance 2 describes itself otherwise than instance 1 (PR-11)\n",
		},
		{
			"a store that is full from the start", "-- " + builtTool + " serve --swarm " + full, conformance.NotDecided,
			"OOM",
		},
		{
			"one instance is no fleet", "--instances 1 -- " + builtTool, conformance.Usage,
			"loopstone check-shared: --instances 1, --plans 1000: want at least 2 and 1\n" +
				"  usage: loopstone check-shared [flags] -- COMMAND…\n",
		},
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			command := exec.CommandContext(context.Background(), builtTool, append([]string{"check-shared"}, strings.Fields(test.args)...)...)
			command.Stdout, command.Stderr = &out, &out
			command.Run() // the code is looked at below
			if code := command.ProcessState.ExitCode(); code != int(test.outcome) || !strings.Contains(out.String(), test.want) {
				t.Errorf("exit %d with\n%s\nwant %d with\n%s", code, &out, test.outcome, test.want)
			}
		})
	}
}
