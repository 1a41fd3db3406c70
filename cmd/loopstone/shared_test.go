package main

import (
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/testing/redisserver"
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
	check := func(words string) []string { return strings.Fields("check-shared " + words) }
	try(t, "", []invocation{
		{
			"on one store they are one swarm", nil, check("--plans 50 -- " + builtTool + " serve --swarm " + url),
			conformance.Conformant, "conformant: 3 instances are one swarm in 50 plans from seed 1",
		},
		{
			"a swarm in memory is nobody else's", nil, check("-- " + builtTool + " serve"), conformance.NotDecided,
			"instance 1: NOT CHECKED: the port does not declare the feature shared of the detector swarm",
		},
		{
			"a port that another process describes otherwise", nil, check("-- python3 " + port), conformance.AdapterFault,
			"the adapter is at fault: instance 2 describes itself otherwise than instance 1 (PR-11)",
		},
		{
			"a store that is full from the start", nil, check("-- " + builtTool + " serve --swarm " + full),
			conformance.NotDecided, "OOM",
		},
	})
}
