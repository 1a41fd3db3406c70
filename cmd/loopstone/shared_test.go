package main

import (
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
	port := write(t, t.TempDir(), "changing.py", changeling)
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
	} {
		t.Run(test.reason, func(t *testing.T) {
			t.Parallel()
			out, outcome := tool(t, "", append([]string{"check-shared"}, strings.Fields(test.args)...)...)
			if outcome != test.outcome || !strings.Contains(out, test.want) {
				t.Errorf("%s with\n%s\nwant %s with\n%s", outcome, out, test.outcome, test.want)
			}
		})
	}
}
