package conformance

import (
	"slices"
	"sync"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// facts are what is known of a case of the built-in suite, whatever the port: what fault localisation asks.
type facts struct {
	known    bool
	feature  bool               // it needs one
	settings int                // members of its configurations
	events   int                // and other steps
	kinds    []spec.VerdictKind // of loops that it wants by their names
	shows    [symptoms]bool     // what it can show of a port
}

// A symptom is what the verdict of a port looks like that fails.
type symptom int

const (
	missedLoop symptom = iota // a loop is wanted, and none is said
	falseLoop
	wrongKind  // another rule is wanted than said
	wrongValue // a member, a value or a refusal is wrong
	symptoms   // how many there are
)

// factsOf returns what is known of a case; of one that is not in the built-in suite, nothing.
func factsOf(id string) facts { return allFacts()[id] }

var allFacts = sync.OnceValue(func() map[string]facts {
	all, _ := cases.All() // a suite that cannot be read has been told before a port was judged
	list := map[string]facts{}
	for _, c := range all {
		f := facts{
			known: true, feature: len(c.Needs) > 0,
			settings: len(c.Config.Members()) + len(c.Sessions.Members()),
		}
		for _, step := range c.Steps {
			f.events += max(1, len(step.Events)*step.Times)
		}
		for _, half := range c.Halves() {
			f.kinds = append(f.kinds, namedKinds(half.Case)...)
			f.look(half.Case)
		}
		list[c.ID] = f
	}
	return list
})

// look notes what a case can show.
func (f *facts) look(c cases.Case) {
	f.shows[wrongValue] = f.shows[wrongValue] || c.Call != nil || c.Refuse != nil
	for _, step := range c.Steps {
		for _, expect := range step.Expect {
			for _, m := range expect.Members {
				switch {
				case m.Name == "loop" && m.Want.Equal.IsTrue():
					f.shows[missedLoop] = true
				case m.Name == "loop":
					f.shows[falseLoop] = true
				case m.Name == "kind":
					f.shows[wrongKind] = true
				default:
					f.shows[wrongValue] = true
				}
			}
		}
	}
}

// least is what a test counts that passed and could not have shown what is wrong.
const least = 0.05

// couldShow returns how much it says that a test passed, from the shares of the failures' symptoms: a test that wants
// no loop does not acquit a port that misses some.
func (f facts) couldShow(share [symptoms]float64) float64 {
	if f.shows == [symptoms]bool{} {
		return 1
	}
	could := 0.0
	for s, shows := range f.shows {
		if shows {
			could += share[s]
		}
	}
	return max(could, least)
}

// shares returns how many of the failures have each symptom, as parts of 1.
func shares(failures []Result) (share [symptoms]float64) {
	for _, f := range failures {
		share[f.symptom()] += 1 / float64(len(failures))
	}
	return share
}

func (r *Result) symptom() symptom {
	if r.Failure == nil {
		return wrongValue
	}
	i := slices.IndexFunc(r.Failure.Differences, func(d Difference) bool { return d.Path == "loop" })
	switch {
	case i < 0 && slices.ContainsFunc(r.Failure.Differences, func(d Difference) bool { return d.Path == "kind" }):
		return wrongKind
	case i < 0:
		return wrongValue
	case r.Failure.Differences[i].Want == "true":
		return missedLoop
	default:
		return falseLoop
	}
}

// namedKinds returns the kinds of loop that a case demands by their names, each once.
func namedKinds(c cases.Case) (kinds []spec.VerdictKind) {
	for _, step := range c.Steps {
		for _, expect := range step.Expect {
			kind, _ := expect.Want("kind")
			if name, isText := kind.Equal.Str(); isText && !slices.Contains(kinds, spec.VerdictKind(name)) {
				kinds = append(kinds, spec.VerdictKind(name))
			}
		}
	}
	return kinds
}
