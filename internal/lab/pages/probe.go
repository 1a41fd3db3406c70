package pages

import (
	"fmt"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// Probe is a loop that is played to a detector until the detector reports it, or for mostRounds rounds.
type Probe struct {
	Name  string
	Round func(n int) []spec.Value // what is done in each round
}

// mostRounds is for how long a probe is played. The highest threshold of a profile is 30.
const mostRounds = 60

// probes are the loops that detectors differ in.
func probes() []Probe {
	reply := event("reply")
	user := event("message", "role", "user", "content", "go on")
	other := func(i int) []spec.Value { return step("read_file", "path", fmt.Sprint(i), fmt.Sprint("text ", i)) }
	make1 := step("bash", "command", "make", "error")
	with := func(parts ...[]spec.Value) func(int) []spec.Value {
		return func(int) []spec.Value {
			var all []spec.Value
			for _, p := range parts {
				all = append(all, p...)
			}
			return all
		}
	}
	one := func(v spec.Value) []spec.Value { return []spec.Value{v} }
	a, b, c := step("t", "n", "a", "x"), step("t", "n", "b", "y"), step("t", "n", "c", "z")
	return []Probe{
		{Name: "the same call, all in one reply", Round: with(make1)},
		{Name: "the same call, one per reply", Round: with(one(reply), make1)},
		{Name: "the same call, one per user message", Round: with(one(user), one(reply), make1)},
		{Name: "the same call, a new result each time", Round: func(i int) []spec.Value {
			return append(one(reply), step("bash", "command", "make", fmt.Sprint("error ", i))...)
		}},
		{Name: "the same call, a new thought each time", Round: func(i int) []spec.Value {
			return []spec.Value{reply, make1[0].With("thought", spec.StringValue(fmt.Sprint("try ", i))), make1[1]}
		}},
		{Name: "two calls in turns (A B)", Round: with(one(reply), a, one(reply), b)},
		{Name: "three calls in turns (A B C)", Round: with(one(reply), a, one(reply), b, one(reply), c)},
		{Name: "the same call, with a new call in between (A X A Y A Z)", Round: func(i int) []spec.Value {
			return append(append(append(one(reply), make1...), reply), other(i)...)
		}},
		{Name: "one tool, new arguments, equal results", Round: func(i int) []spec.Value {
			return append(one(reply), step("bash", "command", fmt.Sprint("make ", i), "error")...)
		}},
		{
			Name:  "the same message of the agent",
			Round: with(one(event("message", "role", "assistant", "content", "I will now begin."))),
		},
	}
}

// until returns the round in which a session first reports a loop; 0 if it never does.
func (p Probe) until(observe func([]spec.Value) (said, error)) (int, error) {
	for i := range mostRounds {
		most, err := observe(p.Round(i))
		if err != nil || most > silent {
			return i + 1, err
		}
	}
	return 0, nil
}

// cell writes an answer: the round, or never.
func cell(round int) string {
	if round == 0 {
		return "never"
	}
	return fmt.Sprint(round)
}

// joined writes texts in one cell of a table.
func joined(list []string) string { return strings.ReplaceAll(strings.Join(list, "; "), "|", `\|`) }
