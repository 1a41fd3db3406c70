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

// usualLife is how long a swarm is kept that nobody reports to.
const usualLife = 24 * time.Hour // SW-42

// Store is a Redis, version 7 or later, in which the totals of swarms are. Its methods may be called by any number of
// goroutines at once.
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

// client is what a store uses of a Redis, be it one server or a cluster. The library's own stand neither in a Store
// nor in the signature of a method: every package that imports this one would compile their many methods once more.
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
// where life is how long a swarm is kept that nobody reports to, at least a second. Where the server is one of a
// cluster, each swarm is on the server that has its slot; the others are found by asking. A store that does not answer,
// that is older than Redis 7, or that throws data away when its memory is full (SW-41) is refused.
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

// oldest is the first version of Redis whose scripts are refused whole where the memory is full.
const oldest = 7

// connect finds out whether the server is one of a cluster, and checks all that there are.
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

// check refuses a server that knowingly breaks what the clauses promise.
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

// field returns a line of what INFO tells; nothing where there is none.
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

// A script that writes is refused where the memory is full; one that only reads is not.
const writes, reads = "#!lua\n", "#!lua flags=no-writes\n"

var (
	reportScript   = redis.NewScript(writes + idsText + reportText)
	replaceScript  = redis.NewScript(writes + idsText + replaceText)
	snapshotScript = redis.NewScript(reads + idsText + snapshotText)
)

// margin is how much longer than its life a swarm is kept, so that not every request must make it live on: those of a
// session do so once in that time.
func (s *Store) margin() time.Duration { return max(s.life/16, time.Second).Round(time.Second) }

// run asks a script in one round trip; in two where the server does not know it yet.
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

// loss is the fault of totals that are gone though a session, or the ids of reports, still knew them.
type loss struct{ error } // SW-41

// Unwrap returns the fault that a runner is told.
func (l *loss) Unwrap() error { return l.error }

// away returns the fault of a store that gave no answer, or none but an error.
func (s *Store) away(ctx context.Context, err error) error { // SW-40
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	return &spec.Fault{Kind: spec.Unavailable, Message: fmt.Sprintf("the store at %s: %v", s.where, err)}
}

// newID returns a text that nobody else makes.
func newID() string { return rand.Text() }
