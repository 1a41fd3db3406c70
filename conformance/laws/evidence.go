package laws

import (
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// Observed is what a session has seen, kept to verify the evidence of its verdicts by rules of their own, not by those
// of any detector. The zero Observed has seen nothing.
type Observed struct {
	events   []spec.Value
	decoded  []*spec.Event // those that were asked for, by their places; nil for the others
	from     int           // the first event that a rule can count: the one after the last reset
	restored bool          // events from before a restore have no index, so evidence may fall short of the count
}

// Add notes the next event.
func (o *Observed) Add(v spec.Value) { o.events = append(o.events, v) }

// event returns the event of an index that was observed. Most are never asked for: only loops have evidence.
func (o *Observed) event(index int) *spec.Event {
	o.decoded = append(o.decoded, make([]*spec.Event, len(o.events)-len(o.decoded))...)
	if o.decoded[index] == nil {
		e, err := spec.DecodeEvent(o.events[index])
		if err != nil {
			e = spec.Event{} // a port that accepted it is judged by its verdict; the event can be no evidence
		}
		e.Index = index
		o.decoded[index] = &e
	}
	return o.decoded[index]
}

// Reset notes that the session was reset.
func (o *Observed) Reset() { o.from, o.restored = len(o.events), false }

// Restore notes that the session's state was replaced.
func (o *Observed) Restore() { o.from, o.restored = len(o.events), true }

var evidenceHolds = Law{
	ID: "evidence",
	Own: map[spec.DetectorID][]string{
		spec.Fingerprint: {"FP-42"}, spec.Signature: {"SG-32"}, spec.History: {"HI-23"},
		spec.Crow: {"CR-61", "CR-62"}, spec.Swarm: {"SW-10"}, spec.Ralph: {"RA-9"}, spec.Guards: {"GU-11"},
		spec.Composed: {"CO-38"}, spec.Stream: {"ST-18"},
	},
	Clause:   "PR-34",
	Sentence: "The events that a verdict names have the type that its rule counts, and their number is the count.",
	Why:      "Wrong evidence leads the person who debugs the agent to the wrong place.",
	Needs:    []spec.Feature{spec.Evidence},
	check: func(a *asking, t Trace) {
		verdicts, offer := a.play(t), a.offer(t)
		seen := map[int]*Observed{}
		for i, s := range t.Steps {
			o := seen[s.Session]
			if o == nil {
				o = &Observed{}
				seen[s.Session] = o
			}
			if s.IsReset() {
				o.Reset()
				continue
			}
			o.Add(s.Event)
			problem := CheckEvidence(o, verdicts[i])
			if lacksEvidence(offer, verdicts[i]) {
				problem = "a loop without the evidence that the port declares"
			}
			if problem != "" {
				a.breach(i, problem, spec.Value{}, verdicts[i])
			}
		}
	},
}

// lacksEvidence reports whether a verdict of a rule that the port declares has no evidence.
func lacksEvidence(offer spec.Offer, verdict spec.Value) bool {
	kind, named := verdict.Get("kind").Str()
	return named && verdict.Get("loop").IsTrue() && verdict.Get("evidence").IsAbsent() &&
		offer.HasRule(spec.VerdictKind(kind)) && offer.HasMember("evidence")
}

// proof is the evidence of one verdict, with the events that it names.
type proof struct {
	seen  *Observed
	count int
	lap   int // how many events each of what is counted has
	named []*spec.Event
}

// tooOld says that evidence names an event of this index, which is from before the latest reset or restore.
func (o *Observed) tooOld(index int) string {
	what, clause := "reset", "PR-16"
	if o.restored {
		what, clause = "restore", "PR-35"
	}
	return fmt.Sprintf("it names the event %d, which is from before the %s at %d (%s)", index, what, o.from, clause)
}

// CheckEvidence returns what is wrong with the evidence of a verdict, or nothing. A verdict without a loop, or
// without evidence, proves nothing and claims nothing.
func CheckEvidence(seen *Observed, verdict spec.Value) string {
	indices := verdict.Get("evidence")
	if !verdict.Get("loop").IsTrue() || indices.IsAbsent() {
		return ""
	}
	kind := spec.VerdictKind(verdict.Get("kind").Text())
	count, _ := verdict.Get("count").Whole()
	period, _ := verdict.Get("period").Whole()
	p := proof{seen: seen, count: count, lap: max(period, 1)}
	last := seen.from - 1
	for _, v := range indices.Items() {
		index, _ := v.Whole() // CheckVerdict has seen that it is one
		if index >= 0 && index < seen.from {
			return seen.tooOld(index)
		}
		if index <= last || index >= len(seen.events) {
			return fmt.Sprintf("%s is no ascending list of indices from %d to %d", indices, seen.from, len(seen.events)-1)
		}
		last = index
		p.named = append(p.named, seen.event(index))
	}
	if want, known := evidenceOf[kind]; known {
		if problem := p.problem(want); problem != "" {
			return fmt.Sprintf("the evidence %s of %s does not hold: %s", indices, kind, problem)
		}
	}
	return ""
}

// problem returns what is wrong with the proof of a rule that wants it so, or nothing.
func (p *proof) problem(want grounds) string {
	if problem := p.unlike(want); problem != "" {
		return problem
	}
	among := want.among
	if among == nil {
		among = want.of
	}
	if want.run {
		if problem := p.interrupted(among); problem != "" {
			return problem
		}
	}
	if want.latest {
		if problem := p.outdated(among); problem != "" {
			return problem
		}
	}
	if want.some {
		return ""
	}
	if want.exactly > 0 {
		return p.isNot(want.exactly)
	}
	if p.count == 0 { // a port may not tell it, and where it must, others see that it is missing
		return ""
	}
	if want.items {
		return p.isNotAsManyAs(p.count)
	}
	return p.isNotAsManyAs(max(want.cycle, p.lap) * p.count)
}

// unlike demands that every named event is of the sort, and that all have in common what they should: with the first
// one or, where they come in turns, with the one a turn before.
func (p *proof) unlike(want grounds) string {
	for _, e := range p.named {
		if !want.of(*e) {
			return fmt.Sprintf("event %d, a %s, is nothing that the rule counts", e.Index, e.Type)
		}
	}
	for _, alike := range want.alike {
		for i := want.cycle; i < len(p.named); i++ {
			other := p.named[0]
			if want.cycle > 0 {
				other = p.named[i-want.cycle]
			}
			if !alike.holds(*other, *p.named[i]) {
				return fmt.Sprintf(alike.otherwise, other.Index, p.named[i].Index)
			}
		}
	}
	return ""
}

// interrupted demands that no event of the sort stands between the named ones.
func (p *proof) interrupted(is func(spec.Event) bool) string {
	if len(p.named) == 0 {
		return ""
	}
	first, last := p.named[0].Index, p.named[len(p.named)-1].Index
	for i := first; i < last; i++ {
		if e := p.seen.event(i); is(*e) && !slices.ContainsFunc(p.named, func(n *spec.Event) bool { return n.Index == i }) {
			return fmt.Sprintf("event %d is between them", i)
		}
	}
	return ""
}

// outdated demands that the last named event is the last of the sort in the trace.
func (p *proof) outdated(is func(spec.Event) bool) string {
	for i := len(p.seen.events) - 1; i >= p.seen.from; i-- {
		if !is(*p.seen.event(i)) {
			continue
		}
		if len(p.named) == 0 || p.named[len(p.named)-1].Index != i {
			return fmt.Sprintf("it does not reach event %d, the latest", i)
		}
		return ""
	}
	return ""
}

// isNot demands that so many events are named; of several, all but one may lie before a restore.
func (p *proof) isNot(n int) string {
	got := len(p.named)
	if got == n || 0 < got && got < n && p.seen.restored {
		return ""
	}
	return fmt.Sprintf("it names %d events instead of %d", got, n)
}

// isNotAsManyAs demands that as many events are named as the verdict counts, but no more than [spec.MaxEvidence]. A
// list may fall short where events from before a restore were counted.
func (p *proof) isNotAsManyAs(want int) string {
	got := len(p.named)
	want = min(want, spec.MaxEvidence)
	if got == want || got < want && p.seen.restored {
		return ""
	}
	return fmt.Sprintf("it names %d events, and the count is %d", got, p.count)
}
