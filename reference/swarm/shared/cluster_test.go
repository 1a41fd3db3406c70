package shared_test

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/loopstone/loopstone/internal/testing/redisserver"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/reference/swarm/shared"
	"github.com/loopstone/loopstone/spec"
)

// startCluster starts servers that share the slots of a cluster, and waits until they know each other.
func startCluster(t *testing.T, n int) []*redisserver.Server {
	t.Helper()
	const slots = 16384
	servers, buses := make([]*redisserver.Server, n), make([]string, n)
	for i := range servers {
		_, buses[i], _ = net.SplitHostPort(redisserver.FreeAddress(t))
		servers[i] = redisserver.Start(t, "--cluster-enabled", "yes", "--cluster-port", buses[i])
		first, last := strconv.Itoa(i*slots/n), strconv.Itoa((i+1)*slots/n-1)
		do("CLUSTER", "ADDSLOTSRANGE", first, last)(t, nil, servers[i].Client())
	}
	for i, s := range servers[1:] {
		host, port, _ := net.SplitHostPort(s.Address)
		do("CLUSTER", "MEET", host, port, buses[i+1])(t, nil, servers[0].Client())
	}
	for _, s := range servers {
		client := s.Client()
		for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
			info, err := client.Ask(t.Context(), "CLUSTER", "INFO").ToString()
			if err == nil && strings.Contains(info, "cluster_state:ok") && strings.Contains(info, fmt.Sprintf("cluster_known_nodes:%d", n)) {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("the cluster does not come up: %v\n%s", err, info)
			}
		}
	}
	return servers
}

func TestSwarmsSpreadOverAClusterAndABatchIsOneRoundTrip(t *testing.T) {
	t.Parallel()
	servers := startCluster(t, 3)
	var stores [2]*shared.Store
	for i := range stores {
		var err error
		if stores[i], err = shared.Open(t.Context(), servers[2*i].URL()); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { stores[i].Close() })
	}
	const swarms = 30
	for n := range swarms {
		var sessions [2]spec.Session
		for i, store := range stores {
			config := spec.MustParse(fmt.Sprintf(`{"swarm":"task %d","threshold":1,"min_workers":1}`, n))
			var err error
			if sessions[i], err = store.Port(reference.Port()).Open(t.Context(), spec.Swarm, spec.Text, config); err != nil {
				t.Fatal(err)
			}
		}
		want(t, "the first session", observe(t, sessions[0], callOfA, other), seen{1, 1, "[0]"}, seen{1, 1, "[1]"})
		want(t, "the second counts on", observe(t, sessions[1], callOfB, answered), seen{2, 2, "[0]"}, seen{3, 2, "[0,1]"})
	}
	requests, elsewhere := 0, 0
	for _, s := range servers {
		stats, err := s.Client().Info(t.Context(), "commandstats", "errorstats", "keyspace")
		if err != nil {
			t.Fatal(err)
		}
		scripts := stats["cmdstat_evalsha"]
		here := number(scripts, "calls=") - number(scripts, "failed_calls=")
		requests += here + number(stats["cmdstat_eval"], "calls=")
		elsewhere += number(stats["errorstat_MOVED"], "count=")
		if here == 0 || number(stats["db0"], "keys=") == 0 {
			t.Errorf("the server at %s has no swarm", s.Address)
		}
	}
	if requests != 2*swarms || elsewhere > 0 {
		t.Errorf("%d batches were %d requests, and %d came to a server that did not have the swarm", 2*swarms, requests, elsewhere)
	}
}

// number returns what follows the name in a text such as calls=3,failed_calls=1.
func number(text, name string) int {
	for part := range strings.SplitSeq(text, ",") {
		if digits, found := strings.CutPrefix(part, name); found {
			n, _ := strconv.Atoi(digits)
			return n
		}
	}
	return 0
}
