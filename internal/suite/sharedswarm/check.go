package sharedswarm

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	mathrand "math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/loopstone/loopstone/spec"
)

// Options say how much is tried.
type Options struct {
	Seed  uint64
	Plans int // at least 1
}

// Failure is a history that no order explains.
type Failure struct {
	Plan       int // which of the plans, from 1
	Operations int
	History    string // a line for each operation, in the order in which they were asked for
}

// Error tells who asked for what, and saw what.
func (f *Failure) Error() string {
	return fmt.Sprintf("SW-33: no order of these %d operations explains their answers (plan %d):\n%s",
		f.Operations, f.Plan, f.History)
}

// Result is how much was asked.
type Result struct {
	Plans      int // that were played
	Operations int // in them
	Refused    int // of the operations, with unavailable
}

// mostRefused is the share of operations, one in a hundred, that may be refused. A refused operation has no answer that
// an order could contradict, so that more would leave too little that was judged.
const mostRefused = 100

// goneAfter is how many refusals without an answer between them mean that the store is gone for good.
const goneAfter = 50

// Refusals is the error of instances whose store was away so often that nothing is decided.
type Refusals struct{ Result }

// Error tells how much was refused.
func (r *Refusals) Error() string {
	return fmt.Sprintf(
		"NOT CHECKED: %d of %d operations, in %d plans, were refused with unavailable; want at most one in %d",
		r.Refused, r.Operations, r.Plans, mostRefused)
}

// Check plays plans to the instances, which must be processes, or might be, that have one store. Its error is a
// [*Failure] where a plan shows that they are not one swarm, and a [*Refusals] where too few operations were answered.
// Any other means that an instance could not be asked.
func Check(ctx context.Context, ports []spec.Port, o Options) (Result, error) {
	var r Result
	if len(ports) < 2 {
		return r, fmt.Errorf("%d instances: want at least 2", len(ports))
	}
	for i, p := range ports {
		if err := offers(ctx, p); err != nil {
			return r, fmt.Errorf("instance %d: %w", i+1, err)
		}
	}
	f, err := newFleet(ctx, ports)
	if err != nil {
		return r, err
	}
	random := mathrand.New(mathrand.NewPCG(o.Seed, 0))
	for inTurn := 0; r.Plans < o.Plans && inTurn < goneAfter; {
		p := draw(random, len(ports))
		h, err := f.play(ctx, p)
		if err != nil {
			return r, err
		}
		r.Plans++
		inTurn = r.add(h, inTurn)
		if !h.explained() {
			if h, err = f.shrink(ctx, p, h); err != nil {
				return r, err
			}
			return r, &Failure{Plan: r.Plans, Operations: len(h), History: h.String()}
		}
	}
	if r.Refused*mostRefused > r.Operations {
		return r, &Refusals{r}
	}
	return r, nil
}

// add counts the operations of a history. It takes and returns how many of the latest were refused in turn.
func (r *Result) add(h history, inTurn int) int {
	for _, op := range h {
		inTurn++
		if op.Output.(answer).refused {
			r.Refused++
		} else {
			inTurn = 0
		}
	}
	r.Operations += len(h)
	return inTurn
}

// ErrNotShared is the error of a port that does not declare the feature.
var ErrNotShared = errors.New("NOT CHECKED: the port does not declare the feature shared of the detector swarm")

func offers(ctx context.Context, p spec.Port) error {
	d, err := p.Describe(ctx)
	if err != nil {
		return err
	}
	if offer, _ := d.Offer(spec.Swarm); !slices.Contains(offer.Features, spec.Shared) {
		return ErrNotShared
	}
	return nil
}

// fleet is the instances that are judged.
type fleet struct {
	ports    []spec.Port
	restored spec.Value // the state that a restore brings back: 3 calls of t by a and b
}

// newFleet asks the first instance how it writes the state that is restored, since a fingerprint is the port's own.
func newFleet(ctx context.Context, ports []spec.Port) (*fleet, error) {
	f := &fleet{ports: ports}
	s, err := ports[0].Open(ctx, spec.Swarm, spec.Text, spec.Value{})
	if err != nil {
		return nil, fmt.Errorf("instance 1: open a session: %w", err)
	}
	for _, worker := range []string{"a", "a", "b"} {
		o := operation{action: report, tool: "t", worker: worker}
		if _, err := s.Observe(ctx, []spec.Value{o.event()}); err != nil {
			return nil, fmt.Errorf("instance 1: %s: %w", o, err)
		}
	}
	if f.restored, err = s.Snapshot(ctx); err != nil {
		return nil, fmt.Errorf("instance 1: snapshot: %w", err)
	}
	return f, s.Close(ctx)
}

// tries is how often a shorter plan may be played until it fails again.
const tries = 12

// shrink returns the shortest history that it finds. A plan from which nothing can be taken is not tried again.
func (f *fleet) shrink(ctx context.Context, p plan, h history) (history, error) {
	for again := true; again; {
		again = false
		p, h = beginning(p, h)
		for _, shorter := range p.simpler() {
			found, err := f.fails(ctx, shorter)
			if err != nil {
				return h, err
			}
			if found != nil {
				p, h, again = shorter, found, true
				break
			}
		}
	}
	return h, nil
}

// beginning returns the first waves of a plan that was played, as few as no order explains: what came after them is not
// needed, and to play it again is not, either.
func beginning(p plan, h history) (plan, history) {
	end := 0
	for i, wave := range p {
		end += len(wave)
		if first := h[:end]; !first.explained() {
			return p[:i+1], first
		}
	}
	return p, h
}

// fails returns a history of the plan that no order explains; nil where none was seen.
func (f *fleet) fails(ctx context.Context, p plan) (history, error) {
	for range tries {
		h, err := f.play(ctx, p)
		if err != nil {
			return nil, err
		}
		if !h.explained() {
			return h, nil
		}
	}
	return nil, nil
}

// history is what was asked and answered.
type history []porcupine.Operation

// explained reports whether there is an order of the operations in which the clauses allow all answers.
func (h history) explained() bool { return porcupine.CheckOperations(model, h) }

// String tells the history, a line for each operation, in the order in which they were asked for.
func (h history) String() string {
	var b strings.Builder
	for _, op := range h {
		o := op.Input.(operation)
		fmt.Fprintf(&b, "  %5.2f to %5.2f ms  instance %d: %s", float64(op.Call)/1e6,
			float64(min(op.Return, lastMoment(h)))/1e6,
			o.instance+1, o)
		if text := op.Output.(answer).text; text != "" {
			fmt.Fprintf(&b, ", answer: %s", text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// lastMoment is when the last answer came.
func lastMoment(h history) int64 {
	last := int64(0)
	for _, op := range h {
		last = max(last, op.Call)
		if op.Return != math.MaxInt64 {
			last = max(last, op.Return)
		}
	}
	return last
}

// play plays the plan on a swarm that nobody has used.
func (f *fleet) play(ctx context.Context, p plan) (h history, err error) {
	config := spec.MustParse(`{"threshold":1,"min_workers":1}`).With("swarm", spec.StringValue("check "+rand.Text()))
	sessions := map[int]spec.Session{}
	for _, i := range p.instances() {
		s, err := f.ports[i].Open(ctx, spec.Swarm, spec.Text, config)
		if err != nil {
			return h, fmt.Errorf("instance %d: open a session: %w", i+1, err)
		}
		defer func() { err = errors.Join(err, s.Close(ctx)) }()
		sessions[i] = s
	}
	start := time.Now()
	for _, wave := range p {
		done, err := f.playWave(ctx, sessions, wave, start)
		h = append(h, done...)
		if err != nil {
			return h, err
		}
	}
	return h, nil
}

// playWave asks for all operations of a wave at the same time, and waits for all answers.
func (f *fleet) playWave(
	ctx context.Context, sessions map[int]spec.Session, wave []operation, start time.Time,
) ([]porcupine.Operation, error) {
	done, problems := make([]porcupine.Operation, len(wave)), make([]error, len(wave))
	var all sync.WaitGroup
	for i, o := range wave {
		all.Go(func() {
			call := time.Since(start)
			a, err := f.ask(ctx, sessions[o.instance], o)
			end := int64(time.Since(start))
			if a.refused {
				end = math.MaxInt64 // SW-40: it may take effect late
			}
			done[i] = porcupine.Operation{ClientId: o.instance, Input: o, Call: int64(call), Output: a, Return: end}
			if err != nil {
				problems[i] = fmt.Errorf("instance %d: %s: %w", o.instance+1, o, err)
			}
		})
	}
	all.Wait()
	return done, errors.Join(problems...)
}

// ask asks for one operation. That the store is away is an answer, too.
func (f *fleet) ask(ctx context.Context, s spec.Session, o operation) (answer, error) {
	a, err := f.request(ctx, s, o)
	var fault *spec.Fault
	if errors.As(err, &fault) && fault.Kind == spec.Unavailable {
		return answer{refused: true, text: "unavailable"}, nil
	}
	return a, err
}

func (f *fleet) request(ctx context.Context, s spec.Session, o operation) (answer, error) {
	switch o.action {
	case clear:
		return answer{}, s.Reset(ctx)
	case restore:
		return answer{}, s.Restore(ctx, f.restored)
	case snapshot:
		v, err := s.Snapshot(ctx)
		if err != nil {
			return answer{}, err
		}
		return readSnapshot(v)
	default:
		verdicts, err := s.Observe(ctx, []spec.Value{o.event()})
		if err != nil {
			return answer{}, err
		}
		return readVerdict(verdicts[0]), nil
	}
}
