package composed

import (
	"fmt"
	"reflect"
	"slices"
	"sync"

	"github.com/loopstone/loopstone/reference/composed"
	"github.com/loopstone/loopstone/spec"
)

// plan is what follows from a configuration. It does not change, and sessions share it.
type plan struct {
	rules        []rule
	callWays     []composed.Same // in which rules compare calls; a rule knows which is its own
	answerWays   []composed.Same // in which rules compare answers; likewise
	readsAnswers bool            // some rule does
}

type rule struct {
	composed.Rule
	starts, completes  kinds
	callWay, answerWay int // places of its ways in the plan's lists
	remembers          int // the place of the rule whose items it remembers: its own, or that of an earlier rule
}

// latestPlan makes plans, and keeps the latest one: most sessions of a process have one configuration.
type latestPlan struct {
	lock  sync.Mutex
	rules string // of the plan, as JSON
	plan  *plan
}

func (l *latestPlan) of(s spec.Settings) (*plan, error) {
	written := s.Value("rules").String()
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.plan != nil && l.rules == written {
		return l.plan, nil
	}
	rules, err := composed.RulesOf(s)
	if err != nil {
		return nil, err
	}
	l.rules, l.plan = written, planOf(rules)
	return l.plan, nil
}

func planOf(rules []composed.Rule) *plan {
	p := &plan{rules: make([]rule, len(rules))}
	for i, r := range rules {
		p.rules[i] = rule{
			Rule: r, starts: starts(r), completes: completes(r),
			callWay: place(&p.callWays, r.Same, nameOfCallWay), answerWay: place(&p.answerWays, r.Same, nameOfAnswerWay),
			remembers: slices.IndexFunc(rules[:i+1], func(o composed.Rule) bool { return remembersAs(r, o) }),
		}
		if p.rules[i].remembers < 0 {
			p.rules[i].remembers = i
		}
		p.readsAnswers = p.readsAnswers || r.Same.WithAnswers() || r.Changes != nil
	}
	return p
}

// place returns the place of a way in a list, and adds the way if the list lacks it. Equal ways have equal names.
func place(list *[]composed.Same, s composed.Same, name func(composed.Same) string) int {
	i := slices.IndexFunc(*list, func(o composed.Same) bool { return name(o) == name(s) })
	if i < 0 {
		i = len(*list)
		*list = append(*list, s)
	}
	return i
}

func nameOfCallWay(s composed.Same) string {
	return fmt.Sprintf("%s %s %v %q", s.By, s.KeyOrder, s.Thought, s.Keep)
}

func nameOfAnswerWay(s composed.Same) string { return fmt.Sprint(s.Results, s.Prefix) }

// remembersAs reports whether two rules keep the same items, so that one window serves both. What they keep of calls
// without answers is not the same while calls are judged before they are recorded, and a rule that restarts or stays
// keeps what its own reports leave.
func remembersAs(r, other composed.Rule) bool {
	if !isWindow(r) || !r.Same.WithAnswers() || r.Same.By == "step" {
		return false
	}
	lasting := func(g composed.Rung) bool { return g.Speaks == "restart" || g.Speaks == "stays" }
	return !slices.ContainsFunc(slices.Concat(r.Rungs, other.Rungs), lasting) &&
		reflect.DeepEqual(itemsOf(r), itemsOf(other))
}

// itemsOf returns what decides about the items in the window of a rule.
func itemsOf(r composed.Rule) composed.Rule {
	return composed.Rule{
		Same: r.Same, Pattern: r.Pattern, Fresh: r.Fresh, Changes: r.Changes,
		Tools: composed.Tools{Only: r.Tools.Only, Except: r.Tools.Except},
	}
}

// starts returns the kinds of events at which the rule may start afresh.
func starts(r composed.Rule) (set kinds) { // CO-23
	for _, start := range r.Fresh {
		set |= map[string]kinds{
			"user": userMessages, "reply": replies, "message": agentMessages, "call": calls, "change": answered,
		}[start]
	}
	return set
}

// completes returns the kinds of events that may extend or complete an item of the rule, or that it judges before.
func completes(r composed.Rule) kinds {
	switch {
	case r.Same.By == "step":
		return replies | calls | answered
	case r.Same.By == "speech":
		return agentMessages
	case !r.Same.WithAnswers():
		return calls
	case r.JudgesBefore:
		return calls | answered
	default:
		return answered
	}
}

// asksArguments reports whether a set of the rule depends on the arguments of the tool's calls.
func (r *rule) asksArguments(tool string) bool {
	entries := slices.Concat(r.Tools.Only, r.Tools.Except, r.Tools.Silent, r.Tools.Watched, r.Changes)
	return slices.ContainsFunc(entries, func(e composed.Entry) bool {
		return e.Argument != "" && e.Tool.Matches(tool)
	})
}
