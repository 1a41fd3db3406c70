package guessfloor

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

// Guess is a way to say loop without knowing when.
type Guess struct {
	Name string // what it does, as a phrase

	// loop says whether it speaks after the events seen so far, and what it calls the count.
	loop func(seen) (loop bool, count int)
}

// seen is what a guess may look at, the current event included. It knows no rule, no threshold and no window.
type seen struct {
	events int  // observed so far
	run    int  // how many of the latest events are the same as the current one
	tools  int  // how many of the latest events have the current one's tool, or first word
	copies int  // how many events are the same as the current one, wherever they stand
	coin   bool // by chance
}

// guesses lists the ways to guess. What a rule of the specification counts, some of them count nearly: that is what
// makes the floor honest.
func guesses() []Guess {
	list := []Guess{
		{"never", func(seen) (bool, int) { return false, 0 }},
		{"by chance", func(s seen) (bool, int) { return s.coin, s.events }},
		{"always, counting events", func(s seen) (bool, int) { return true, s.events }},
	}
	for n := 1; n <= 5; n++ {
		list = append(list,
			Guess{fmt.Sprintf("always, count %d", n), func(seen) (bool, int) { return true, n }})
	}
	for n := 2; n <= 5; n++ {
		list = append(list,
			Guess{fmt.Sprintf("from event %d on", n), func(s seen) (bool, int) { return s.events >= n, s.events }},
			Guess{fmt.Sprintf("at every event number %d", n), func(s seen) (bool, int) { return s.events%n == 0, n }},
			Guess{fmt.Sprintf("same tool %d times", n), func(s seen) (bool, int) { return s.tools >= n, s.tools }},
			Guess{fmt.Sprintf("same event %d times", n), func(s seen) (bool, int) { return s.run >= n, s.run }},
			Guess{fmt.Sprintf("same event %d times, count %d", n, n), func(s seen) (bool, int) { return s.run >= n, n }},
			Guess{fmt.Sprintf("same event %d times anywhere", n), func(s seen) (bool, int) { return s.copies >= n, s.copies }},
		)
	}
	return list
}

// guesser is a [spec.Detector] that guesses.
type guesser struct {
	guess Guess
	rules []spec.Rule

	seen
	event  essence // of the latest event
	tool   string  // of the latest event
	known  map[essence]int
	random *rand.Rand
}

// seed makes the guesses by chance the same in every run.
const seed = 1

func newGuesser(guess Guess, rules []spec.Rule) *guesser {
	g := &guesser{guess: guess, rules: rules}
	g.Reset()
	return g
}

// Reset implements [spec.Detector].
func (g *guesser) Reset() {
	g.seen, g.event, g.tool = seen{}, essence{}, ""
	g.known = map[essence]int{}
	g.random = rand.New(rand.NewPCG(seed, seed))
}

// Observe implements [spec.Detector]. It has read the headlines: its kind is that of the first rule that is on by
// default and counts such events. An event that no such rule counts is passed over.
func (g *guesser) Observe(e spec.Event) spec.Verdict {
	rule := slices.IndexFunc(g.rules, func(r spec.Rule) bool { return r.Only == "" && slices.Contains(r.Counts, e.Type) })
	if rule < 0 {
		return spec.Verdict{}
	}
	g.look(e)
	loop, count := g.guess.loop(g.seen)
	if !loop {
		return spec.Verdict{Count: count}
	}
	return spec.Verdict{Loop: true, Kind: g.rules[rule].Kind, Count: count}
}

// look takes the event into what was seen.
func (g *guesser) look(e spec.Event) {
	firstWord, _, _ := strings.Cut(e.Text, " ")
	event, tool := essenceOf(e), e.Tool+firstWord
	g.events++
	g.run = next(g.run, event == g.event)
	g.tools = next(g.tools, tool == g.tool)
	g.event, g.tool = event, tool
	g.known[event]++
	g.copies = g.known[event]
	g.coin = g.random.IntN(2) == 0
}

// next is the length of a run after one more event.
func next(length int, same bool) int {
	if same {
		return length + 1
	}
	return 1
}

// essence is what makes two events the same to someone who only looks: everything that they say.
type essence struct {
	kind                               spec.EventType
	tool, args, content, message, text string
	ok, passed, failed                 bool
}

func essenceOf(e spec.Event) essence {
	return essence{e.Type, e.Tool, e.Args.String(), e.Content, e.Message, e.Text, e.OK, e.Passed, e.Failed}
}
