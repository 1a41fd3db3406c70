package shared

import (
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/rueidis"

	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// patience is how long a request waits for the store, all attempts together: an agent that waits longer for a verdict
// is better off without one, and a runner of the suite gives up after five seconds.
const patience = 4 * time.Second

// attemptTime is how long one attempt waits for an answer. A script takes microseconds; a full network queue, or a
// server that its machine has no time for, seconds. The rest of patience is for a connection that died without a sign.
const attemptTime = 3 * time.Second

// The pauses between attempts double from the first to the longest.
const (
	firstPause   = 8 * time.Millisecond
	longestPause = 512 * time.Millisecond
)

// keepAlive is how often an idle connection is tried.
const keepAlive = 15 * time.Second

// bufferSize is the size in bytes of the two buffers of each connection.
const bufferSize = 32 << 10

// usualLife is how long the store keeps a swarm without reports.
const usualLife = 24 * time.Hour // SW-42

// Store is a Redis, version 7 or later, with the totals of swarms. Any number of goroutines may call its methods at
// once.
//
// A request that was not answered is sent again, which is safe: the store knows the ids of what it did. If it had
// counted reports before the answer was lost, the totals of that moment are gone, and the verdict with them: the
// request is refused with unavailable.
//
// # What it rests on
//
// Redis executes one script at a time, whole. What it acknowledged survives a crash of the server only with an
// append-only file that is written before the answer (appendonly yes, appendfsync always); with everysec up to two
// seconds are lost. A failover to a replica loses what the replica did not have yet, acknowledged or not, and nobody is
// told: neither Redis nor this package promises otherwise. Totals are lost with the ids of their reports, so workers
// that send all reports with ids again after a failover bring the totals back, and count nothing twice.
type Store struct {
	client rueidis.Client
	where  string // for people; without a password
	life   time.Duration
}

// Open connects with the store at an address of the form
//
//	redis://[user:password@]host:port[/database][?life=24h]
//
// with life, how long the store keeps a swarm without reports, at least a second. If the server belongs to a cluster,
// Open asks it for the other servers; each swarm is on the server that has its slot. Open refuses a store that does not
// answer, is older than Redis 7, or discards data when its memory is full (SW-41).
func Open(ctx context.Context, address string) (*Store, error) { // SW-46
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("read the address of the store: %w", err)
	}
	s := &Store{where: u.Host, life: usualLife}
	if life := u.Query().Get("life"); life != "" {
		if s.life, err = time.ParseDuration(life); err != nil || s.life < time.Second {
			return nil, fmt.Errorf("life of a swarm: want a duration of at least 1s, got %q", life)
		}
	}
	options, err := parseAddress(u)
	if err != nil {
		return nil, fmt.Errorf("read the address of the store %s: %w", u.Redacted(), err)
	}
	if err := s.connect(ctx, options); err != nil {
		return nil, err
	}
	return s, nil
}

// parameters are what an address may have behind its question mark. The client reads all but life.
var parameters = []string{"life", "db", "protocol", "client_name", "skip_verify"}

// parseAddress returns what the client knows of an address. The client ignores a parameter that it does not know.
func parseAddress(address *url.URL) (rueidis.ClientOption, error) {
	for _, name := range slices.Sorted(maps.Keys(address.Query())) {
		if !slices.Contains(parameters, name) {
			return rueidis.ClientOption{}, fmt.Errorf("unknown parameter %q; %s", name, wording.Hint(name, parameters))
		}
	}
	return rueidis.ParseURL(address.String())
}

// Close ends the connections.
func (s *Store) Close() error {
	s.client.Close()
	return nil
}

// connect connects with the server, or with all servers of its cluster, and checks them.
func (s *Store) connect(ctx context.Context, options rueidis.ClientOption) error {
	options.Dialer.Timeout, options.ConnWriteTimeout = attemptTime, attemptTime
	options.Dialer.KeepAlive = keepAlive
	options.ReadBufferEachConn, options.WriteBufferEachConn = bufferSize, bufferSize
	options.DisableCache = true
	options.DisableAutoPipelining = true // so that a connection that stalls is closed with the attempt
	options.DisableRetry = true          // insist sends again
	err := s.insist(ctx, func(context.Context) (err error) {
		s.client, err = rueidis.NewClient(options)
		return err
	})
	if err != nil {
		return err
	}
	for _, server := range s.client.Nodes() {
		if err := s.check(ctx, server); err != nil {
			s.client.Close()
			return err
		}
	}
	return nil
}

// oldest is the first version of Redis that refuses a script as a whole if the memory is full.
const oldest = 7

// check refuses a server that is configured to break what the clauses promise. A replica may be as it likes.
func (s *Store) check(ctx context.Context, server rueidis.Client) error { // SW-41
	var info string
	err := s.insist(ctx, func(ctx context.Context) (err error) {
		info, err = server.Do(ctx, server.B().Info().Build()).ToString()
		return err
	})
	if err != nil || field(info, "role") == "slave" {
		return err
	}
	version := field(info, "redis_version")
	major, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(major); err != nil || n < oldest {
		return fmt.Errorf("the store at %s is Redis %q; want %d or later", s.where, version, oldest)
	}
	if policy := field(info, "maxmemory_policy"); policy != "noeviction" && field(info, "maxmemory") != "0" {
		return fmt.Errorf("the store at %s throws totals away when its memory is full (maxmemory-policy %s); set noeviction",
			s.where, policy)
	}
	return nil
}

// field returns the value of a line of INFO; empty if there is no such line.
func field(info, name string) string {
	for line := range strings.Lines(info) {
		if value, found := strings.CutPrefix(line, name+":"); found {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

//go:embed ids.lua
var idsText string // SW-36

//go:embed report.lua
var reportText string

//go:embed replace.lua
var replaceText string

//go:embed snapshot.lua
var snapshotText string

// If the memory is full, Redis refuses a script that writes, but not a script that only reads.
const writes, reads = "#!lua\n", "#!lua flags=no-writes\n"

var (
	reportScript   = rueidis.NewLuaScript(writes + idsText + reportText)
	replaceScript  = rueidis.NewLuaScript(writes + idsText + replaceText)
	snapshotScript = rueidis.NewLuaScript(reads + idsText + snapshotText)
)

// margin is how much longer than its life a swarm is kept, so that not every request must extend its life: a session
// extends it once in this time.
func (s *Store) margin() time.Duration { return max(s.life/16, time.Second).Round(time.Second) }

// answer is what a script returned. An attempt before it may have been executed if it got no answer.
type answer struct {
	value   any
	isFirst bool // no attempt before it was left without an answer
}

// run executes a script in one round trip; in two if the server does not know the script yet.
func (s *Store) run(ctx context.Context, script *rueidis.Lua, keys []string, asked []byte) (answer, error) { // SW-33
	args := []string{strconv.Itoa(int((s.life + s.margin()) / time.Second)), string(asked)}
	a := answer{isFirst: true}
	err := s.insist(ctx, func(ctx context.Context) (err error) {
		a.value, err = script.Exec(ctx, s.client, keys, args).ToAny()
		if _, answered := rueidis.IsRedisErr(err); err != nil && !answered {
			a.isFirst = false
		}
		return err
	})
	return a, err
}

// insist asks the store until it answers, or until patience ends. It returns the fault of a store that did not answer,
// or answered with an error.
func (s *Store) insist(ctx context.Context, ask func(context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		err := attempt(limited, ask)
		if err == nil {
			return nil
		}
		if !passing(err) || !wait(limited, pause) {
			return s.away(ctx, err)
		}
	}
}

// attempt asks once.
func attempt(ctx context.Context, ask func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, attemptTime)
	defer cancel()
	return ask(ctx)
}

// wait reports whether the context lasts longer than the pause.
func wait(ctx context.Context, pause time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pause):
		return true
	}
}

// passing reports whether another attempt may succeed: the connection failed, or the server says that it cannot answer
// yet.
func passing(err error) bool {
	answer, isAnswer := rueidis.IsRedisErr(err)
	if !isAnswer {
		return !errors.Is(err, rueidis.ErrClosing)
	}
	return slices.ContainsFunc(notYet, func(state string) bool { return strings.HasPrefix(answer.Error(), state) })
}

// notYet are the errors of a server that may answer in a moment.
var notYet = []string{"LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "max number of clients"}

// loss is the fault that totals are gone although a session, or the ids of reports, show that they existed.
type loss struct{ error } // SW-44, SW-45

// Unwrap returns the fault that the runner gets.
func (l *loss) Unwrap() error { return l.error }

// away returns the fault of a store that gave no answer, or an error.
func (s *Store) away(ctx context.Context, err error) error { // SW-40
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.New("no answer in time")
	}
	fault := s.unavailable(err)
	if answer, isAnswer := rueidis.IsRedisErr(err); isAnswer && strings.HasPrefix(answer.Error(), "LOST ") {
		return &loss{fault}
	}
	return fault
}

// unavailable returns the fault of a request of which nobody knows whether it took effect.
func (s *Store) unavailable(err error) *spec.Fault {
	return &spec.Fault{Kind: spec.Unavailable, Message: fmt.Sprintf("the store at %s: %v", s.where, err)}
}

// newID returns a random text that is unique in practice.
func newID() string { return rand.Text() }
