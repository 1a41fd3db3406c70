package pages

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/internal/lab/alarm"
	"github.com/loopstone/loopstone/internal/lab/score"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/spec"
)

// Situation is a small run of an agent that detectors differ in.
type Situation struct {
	Name    string
	Told    string   // what happens in it
	Threads []string // owner/repository#number: who reported it; it is restated in a trace of our own
	Stuck   bool     // whether a detector should report a loop
	Rounds  int
	Before  int                          // rounds that do not count
	Round   func(i int) (r []spec.Value) // what is done in a round
}

// mostRounds is for how long a stuck agent is watched. The highest threshold of a profile is 30.
const mostRounds = 60

// situations returns those in which the agent is stuck, then the others.
func situations() []Situation {
	list := slices.Clone(stuck)
	for i := range list {
		list[i].Stuck, list[i].Rounds = true, list[i].Before+mostRounds
	}
	return append(list, healthy...)
}

// What situations are made of.
var (
	reply   = event("reply")
	failing = step("bash", "command", "make", "error")
	look    = func(result string) []spec.Value { return inReplies(step("bash", "command", "make status", result)) }
)

var (
	stuck = []Situation{
		{
			Name: "one reply", Told: "the same call with the same result, all in one reply of the model",
			Threads: []string{"openclaw/openclaw#17118"}, Round: always(failing),
		},
		{
			Name: "one per reply", Told: "the same call and result, one call per reply (as in all rows below)",
			Threads: []string{"anomalyco/opencode#25254", "anomalyco/opencode#50073"}, Round: always(one(reply), failing),
		},
		{
			Name: "one per user message", Told: "the same, each call after a message of the user",
			Threads: []string{"NousResearch/hermes-agent#111635"}, Round: always(one(event("message", "role", "user", "content",
				"go on")), one(reply), failing),
		},
		{Name: "new errors", Told: "the same call fails, each time with another error", Round: func(i int) []spec.Value {
			return []spec.Value{reply, failing[0], event("error", "message", fmt.Sprint("error ", i))}
		}},
		{
			Name: "new thoughts", Told: "the same call and result, each time with another thought",
			Round: func(i int) []spec.Value {
				return []spec.Value{reply, failing[0].With("thought", spec.StringValue(fmt.Sprint("try ", i))), failing[1]}
			},
		},
		{
			Name: "A B", Told: "two alternating calls", Threads: []string{"yologdev/yoagent#145"},
			Round: always(inReplies(step("t", "n", "a", "x"), step("t", "n", "b", "y"))),
		},
		{
			Name: "A B C", Told: "three calls in turns",
			Round: always(inReplies(step("t", "n", "a", "x"), step("t", "n", "b", "y"), step("t", "n", "c", "z"))),
		},
		{Name: "A X A Y", Told: "the same call, with a new call in between", Round: func(i int) []spec.Value {
			return inReplies(failing, step("read_file", "path", fmt.Sprint(i), fmt.Sprint("text ", i)))
		}},
		{
			Name: "now and then", Told: "the same call after every four new calls",
			Round: func(i int) (events []spec.Value) {
				for k := range 4 {
					n := fmt.Sprint(4*i + k)
					events = append(events, inReplies(step("read_file", "path", n, "text "+n))...)
				}
				return append(events, inReplies(failing)...)
			},
		},
		{
			Name: "one error", Told: "one tool fails with the same error, whatever its arguments",
			Threads: []string{"aaif-goose/goose#8994"}, Round: func(i int) []spec.Value {
				call := step("bash", "command", fmt.Sprint("make ", i), "")[0]
				return []spec.Value{reply, call, event("error", "message", "no such file")}
			},
		},
		{
			Name: "a second loop", Told: "a loop stops, then starts again; the number counts from the second start",
			Threads: []string{"XiaomiMiMo/MiMo-Code#2474"}, Before: 27, Round: secondLoop,
		},
		{
			Name: "words alone", Told: "the same message of the model, without any call",
			Round: always(one(event("message", "role", "assistant", "content", "I will now begin."))),
		},
	}

	healthy = []Situation{
		{
			Name: "edit and run", Told: "ten edits; after each, the same command with another result",
			Threads: []string{"QwenLM/qwen-code#9733"}, Rounds: 10, Round: func(i int) []spec.Value {
				return inReplies(
					step("edit", "text", fmt.Sprint("line ", i), "edited"),
					step("bash", "command", "make test", fmt.Sprint(9-i, " tests fail")))
			},
		},
		{
			Name: "a build", Told: "six looks at a build; each result is longer",
			Threads: []string{"weave-os/router#1123", "macanderson/stella#359"}, Rounds: 6,
			Round: func(i int) []spec.Value { return look("building" + strings.Repeat(".", i)) },
		},
		{
			Name: "a quiet build", Told: "four looks; the first three results are equal",
			Threads: []string{"macanderson/stella#359"}, Rounds: 4, Round: lastOf(4, look),
		},
		{
			Name: "a long wait", Told: "ten looks; the first nine results are equal",
			Threads: []string{"OpenHands/OpenHands#5355", "OpenHands/software-agent-sdk#762"}, Rounds: 10, Round: lastOf(10,
				look),
		},
		{
			Name: "batch edits", Told: "the same change in twelve files; all results are equal",
			Threads: []string{"google-gemini/gemini-cli#8234", "google-gemini/gemini-cli#20701"}, Rounds: 12,
			Round: func(i int) []spec.Value {
				return inReplies(step("replace", "file", fmt.Sprintf("part%d.c", i), "replaced 1 line"))
			},
		},
		{
			Name: "a wait in turns", Told: "a pause and a look at a build in turns, six times; each look returns more",
			Rounds: 6, Round: func(i int) []spec.Value {
				return append(inReplies(step("pause", "seconds", "60", "done")), look("building"+strings.Repeat(".", i))...)
			},
		},
		{
			Name: "a long file", Told: "one file is read in twelve parts", Rounds: 12, Round: func(i int) []spec.Value {
				part := step("read_file", "path", "a.c", fmt.Sprint("part ", i))
				offset := part[0].Get("args").With("offset", spec.IntValue(2000*i))
				return inReplies([]spec.Value{part[0].With("args", offset), part[1]})
			},
		},
		{
			Name: "asked again", Told: "the user asks four times for the same command; its results differ", Rounds: 4,
			Round: func(i int) []spec.Value {
				asks := event("message", "role", "user", "content", fmt.Sprint("and now? ", i))
				return append(one(asks), inReplies(step("bash", "command", "make test", fmt.Sprint(3-i, " tests fail")))...)
			},
		},
	}
)

// event returns an event with members that are texts.
func event(typ string, members ...string) spec.Value {
	v := spec.ObjectValue(spec.Member{Name: "type", Value: spec.StringValue(typ)})
	for i := 0; i < len(members); i += 2 {
		v = v.With(members[i], spec.StringValue(members[i+1]))
	}
	return v
}

// step returns a call with one argument, and its answer.
func step(tool, argument, text, result string) []spec.Value {
	args := spec.ObjectValue(spec.Member{Name: argument, Value: spec.StringValue(text)})
	return []spec.Value{event("tool_call", "tool", tool).With("args", args), event("tool_result", "content", result)}
}

func one(v spec.Value) []spec.Value { return []spec.Value{v} }

// always returns a round that does the same each time.
func always(parts ...[]spec.Value) func(int) []spec.Value {
	return func(int) []spec.Value { return slices.Concat(parts...) }
}

// inReplies returns steps, each in a reply of its own.
func inReplies(steps ...[]spec.Value) (events []spec.Value) {
	for _, s := range steps {
		events = append(append(events, event("reply")), s...)
	}
	return events
}

// lastOf returns a round that looks at a build that is finished in the last of n rounds.
func lastOf(n int, look func(result string) []spec.Value) func(int) []spec.Value {
	return func(i int) []spec.Value {
		if i == n-1 {
			return look("finished")
		}
		return look("building")
	}
}

// secondLoop is fifteen rounds of a loop, twelve of other calls, and the loop again.
func secondLoop(i int) []spec.Value {
	if i >= 15 && i < 27 {
		return inReplies(step("read_file", "path", fmt.Sprint(i), fmt.Sprint("text ", i)))
	}
	return inReplies(step("bash", "command", "make", "error"))
}

// said is how severely a detector spoke.
type said int

const (
	silent  said = iota
	warned       // a notice or a warning, after which the agent goes on
	stopped      // critical
)

// answer is what a detector says of a situation: how severely at the most, and in which round first.
type answer struct {
	Situation
	Most  said
	First int // from 1; 0 where it says nothing
}

// asked plays a situation to a detector, of which the profile says what comes of its verdicts.
func asked(ctx context.Context, c score.Contender, p profile.Profile, s Situation) (answer, error) {
	var events []spec.Value
	var roundOf []int
	for i := range s.Rounds {
		events = append(events, s.Round(i)...)
		for len(roundOf) < len(events) {
			roundOf = append(roundOf, i)
		}
	}
	a, effects := answer{Situation: s}, effects{p.Effects, false}
	err := c.Observe(ctx, events, roundOf, func(in int, event spec.Value, reported *alarm.Alarm) {
		round := in - s.Before
		if most := effects.says(event, reported); most > silent && round >= 0 {
			a.Most = max(a.Most, most)
			a.First = cmp.Or(a.First, round+1)
		}
	})
	return a, err
}

// effects is what comes of verdicts, and whether the model has had a hint since the user's message.
type effects struct {
	of     map[string]profile.Effect
	hinted bool
}

func (e *effects) says(event spec.Value, reported *alarm.Alarm) said {
	if role, _ := event.Get("role").Str(); role == string(spec.User) {
		e.hinted = false
	}
	if reported == nil {
		return silent
	}
	rule, _ := reported.Verdict.Get("rule").Str()
	severity, _ := reported.Verdict.Get("severity").Str()
	switch effect := e.of[rule]; {
	case effect == profile.NoEffect:
		return silent
	case effect == profile.HintFirst && !e.hinted:
		e.hinted = true
		return warned
	case severity == "critical":
		return stopped
	default:
		return warned
	}
}

// Right reports whether the detector reports a loop where there is one, and none elsewhere.
func (a answer) Right() bool { return a.Stuck == (a.Most > silent) }

// String writes the answer in a cell of a table.
func (a answer) String() string {
	switch {
	case a.Most == silent:
		return "–"
	case a.Stuck:
		return fmt.Sprint(a.First)
	case a.Most == stopped:
		return "stop"
	default:
		return "warn"
	}
}
