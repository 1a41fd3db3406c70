package shared

import (
	"context"
	"crypto/rand"
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/loopstone/loopstone/spec"
)

// patience is how long a request waits for the store, all attempts together: an agent that waits longer for a verdict
// is better off without one, and a runner of the suite gives up after five seconds.
const patience = 4 * time.Second

// attemptTime is how long one attempt waits for an answer. A script takes microseconds; a full network queue, seconds.
const attemptTime = time.Second

// attempts is how often a request is sent, with pauses that grow to half a second: patience ends first.
const attempts = 40

// usualLife is how long the store keeps a swarm without reports.
const usualLife = 24 * time.Hour // SW-42

// Store is a Redis, version 7 or later, with the totals of swarms. Any number of goroutines may call its methods at
// once.
//
// A request that was executed and not answered is sent again, which is safe: the store knows the ids of what it did.
//
// # What it rests on
//
// Redis executes one script at a time, whole. What it acknowledged survives a crash of the server only with an
// append-only file that is written before the answer (appendonly yes, appendfsync always); with everysec up to two
// seconds are lost. A failover to a replica loses what the replica did not have yet, acknowledged or not, and nobody is
// told: neither Redis nor this package promises otherwise. Totals are lost with the ids of their reports, so workers
// that send all reports with ids again after a failover bring the totals back, and count nothing twice.
type Store struct {
	client client
	where  string // for people; without a password
	life   time.Duration
}

// client is what a store uses of a Redis, one server or a cluster. The types of the library stand neither in a Store
// nor in the signature of a method, because every package that imports this one would compile their many methods again.
type client interface {
	redis.Scripter
	Info(ctx context.Context, sections ...string) *redis.StringCmd
	Unlink(ctx context.Context, keys ...string) *redis.IntCmd
	Close() error
}

// Open connects with the store at an address of the form
//
//	redis://[user:password@]host:port[/database][?life=24h]
//
// with life, how long the store keeps a swarm without reports, at least a second. If the server belongs to a cluster,
// Open asks it for the other servers; each swarm is on the server that has its slot. Open refuses a store that does not
// answer, is older than Redis 7, or discards data when its memory is full (SW-41).
func Open(ctx context.Context, address string) (*Store, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("read the address of the store: %w", err)
	}
	s := &Store{where: u.Host, life: usualLife}
	query := u.Query()
	if life := query.Get("life"); life != "" {
		if s.life, err = time.ParseDuration(life); err != nil || s.life < time.Second {
			return nil, fmt.Errorf("life of a swarm: want a duration of at least 1s, got %q", life)
		}
		query.Del("life")
		u.RawQuery = query.Encode()
	}
	options, err := redis.ParseURL(u.String())
	if err != nil {
		return nil, fmt.Errorf("read the address of the store %s: %w", u.Redacted(), err)
	}
	options.ContextTimeoutEnabled = true
	options.ReadTimeout, options.WriteTimeout, options.MaxRetries = attemptTime, attemptTime, attempts
	if err := connect(ctx, s, options); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close ends the connections.
func (s *Store) Close() error { return s.client.Close() }

// oldest is the first version of Redis that refuses a script as a whole if the memory is full.
const oldest = 7

// connect finds out whether the server belongs to a cluster, and checks all servers.
func connect(ctx context.Context, s *Store, options *redis.Options) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	one := redis.NewClient(options)
	s.client = one
	server, err := one.Info(ctx, "server").Result()
	if err != nil {
		return s.away(ctx, err)
	}
	if field(server, "redis_mode") != "cluster" {
		return s.check(ctx, one)
	}
	all := redis.NewClusterClient(&redis.ClusterOptions{
		Addrs: []string{options.Addr}, Username: options.Username, Password: options.Password, TLSConfig: options.TLSConfig,
		ReadTimeout: attemptTime, WriteTimeout: attemptTime, MaxRedirects: attempts, ContextTimeoutEnabled: true,
	})
	s.client = all
	return errors.Join(one.Close(), all.ForEachMaster(ctx, func(ctx context.Context, master *redis.Client) error {
		return s.check(ctx, master)
	}))
}

// check refuses a server that is configured to break what the clauses promise.
func (s *Store) check(ctx context.Context, server client) error { // SW-41
	about, err := server.Info(ctx, "server").Result()
	if err != nil {
		return s.away(ctx, err)
	}
	memory, err := server.Info(ctx, "memory").Result()
	if err != nil {
		return s.away(ctx, err)
	}
	version := field(about, "redis_version")
	major, _, _ := strings.Cut(version, ".")
	if n, err := strconv.Atoi(major); err != nil || n < oldest {
		return fmt.Errorf("the store at %s is Redis %q; want %d or later", s.where, version, oldest)
	}
	if policy := field(memory, "maxmemory_policy"); policy != "noeviction" && field(memory, "maxmemory") != "0" {
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
	reportScript   = redis.NewScript(writes + idsText + reportText)
	replaceScript  = redis.NewScript(writes + idsText + replaceText)
	snapshotScript = redis.NewScript(reads + idsText + snapshotText)
)

// margin is how much longer than its life a swarm is kept, so that not every request must extend its life: a session
// extends it once in this time.
func (s *Store) margin() time.Duration { return max(s.life/16, time.Second).Round(time.Second) }

// run executes a script in one round trip; in two if the server does not know the script yet.
func (s *Store) run(ctx context.Context, script *redis.Script, keys []string, asked []byte) (any, error) { // SW-33
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	answer, err := script.Run(ctx, s.client, keys, int((s.life+s.margin())/time.Second), asked).Result()
	switch {
	case err != nil && strings.HasPrefix(err.Error(), "LOST "):
		return nil, &loss{s.away(ctx, err)}
	case err != nil:
		return nil, s.away(ctx, err)
	default:
		return answer, nil
	}
}

// loss is the fault that totals are gone although a session, or the ids of reports, show that they existed.
type loss struct{ error } // SW-41

// Unwrap returns the fault that the runner gets.
func (l *loss) Unwrap() error { return l.error }

// away returns the fault of a store that gave no answer, or an error.
func (s *Store) away(ctx context.Context, err error) error { // SW-40
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	return &spec.Fault{Kind: spec.Unavailable, Message: fmt.Sprintf("the store at %s: %v", s.where, err)}
}

// newID returns a random text that is unique in practice.
func newID() string { return rand.Text() }
