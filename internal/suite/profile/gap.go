package profile

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

// Gap is something that the rules of a profile do not say as the original does it.
type Gap struct {
	Text string
	// Trait is that of the traces, or the law, that show the gap and that no port of the profile is asked; empty where
	// there are none.
	Trait string
}

// String returns the gap in a sentence.
func (g Gap) String() string {
	if g.Trait == "" {
		return g.Text
	}
	return fmt.Sprintf("%s (not tested: %s)", g.Text, g.Trait)
}

// trait is what a gap may be recognized by. It returns a trace without the events that show the gap of a profile.
type trait func(p Profile, steps []laws.Step) []laws.Step

var traits = map[string]trait{
	"arguments with 1.0": withoutArguments(func(v spec.Value) bool {
		f, isNumber := v.Float()
		return isNumber && !v.IsIntegerLiteral() && f == float64(int64(f))
	}),
	"arguments with numbers beyond doubles": withoutArguments(func(v spec.Value) bool {
		f, isNumber := v.Float()
		return isNumber && math.IsInf(f, 0)
	}),
	"arguments with true or false": withoutArguments(func(v spec.Value) bool { return v.Kind() == spec.Bool }),
	"arguments with null":          withoutArguments(func(v spec.Value) bool { return v.Kind() == spec.Null }),
	"tools of other characters than a-z, 0-9 and _": withoutSteps(func(event spec.Value) bool {
		tool, isCall := event.Get("tool").Str()
		return isCall && (len(tool) > mostOfName || !plainName.MatchString(tool))
	}),
	"results with blanks at their ends": withoutSteps(func(event spec.Value) bool {
		text := event.Get("content").Text()
		return spec.TypeOf(event) == spec.ToolResult && text != strings.TrimSpace(text)
	}),
	"failures": withoutSteps(func(event spec.Value) bool {
		typ := spec.TypeOf(event)
		return typ == spec.ErrorEvent || typ == spec.ToolResult && event.Get("ok").Equal(spec.BoolValue(false))
	}),
	"messages of the model": withoutSteps(func(event spec.Value) bool {
		return event.Get("role").Equal(spec.StringValue(string(spec.Assistant)))
	}),
	"messages without text": withoutSteps(func(event spec.Value) bool {
		return event.Get("role").Equal(spec.StringValue(string(spec.Assistant))) &&
			event.Get("content").Equal(spec.StringValue(""))
	}),
	"answers apart from calls": answeredAtOnce,
	"messages after calls":     inSessions(silentAfterCalls),
	"several calls in a reply": inReplies(func(event spec.Value, within reply) bool {
		return spec.TypeOf(event) == spec.ToolCall && within.begun && len(within.tools) > 0
	}),
	"several calls of one tool in a reply": inReplies(func(event spec.Value, within reply) bool {
		return spec.TypeOf(event) == spec.ToolCall && within.tools[event.Get("tool").String()]
	}),
	"replies without calls": inReplies(func(event spec.Value, within reply) bool {
		return spec.TypeOf(event) == spec.Reply && within.begun && len(within.tools) == 0
	}),

	"laps that have only begun":          inSessions(withoutBegunLaps),
	"other calls after three equal ones": withoutOthersAfterRuns,

	"several channels":         inSessions(inOneChannel),
	"other lines after copies": inSessions(copiedAlone),
	"text after a loop":        inSessions(endedByLoops),
	"characters above U+FFFF": withoutPieces(func(text string) bool {
		return strings.ContainsFunc(text, func(r rune) bool { return r > 0xFFFF })
	}),
	"pieces of more than 2000 characters": withoutPieces(func(text string) bool {
		return utf8.RuneCountInString(text) > MostOfPiece
	}),
	"pieces of fewer than three characters": withoutPieces(func(text string) bool {
		return utf8.RuneCountInString(text) < 3
	}),
	"pieces of blanks alone": withoutPieces(func(text string) bool { return strings.TrimSpace(text) == "" }),
	"pieces with blanks at their ends": withoutPieces(func(text string) bool {
		return text == "" || text != strings.TrimSpace(text) // one that is trimmed may equal an empty one
	}),
	"pieces of capitals, digits and signs":  withoutPieces(signs.MatchString),
	"Markdown that is not one line a piece": inSessions(markedWhole),
}

// lawTrait begins the trait of a gap which breaks a law; the law's id follows.
const lawTrait = "law "

// Holds reports whether a port is held to a case: not to a law that a profile says the original breaks.
func Holds(c cases.Case) bool {
	if !c.Detector.IsProfile() {
		return true
	}
	p, err := ByName(string(c.Detector[1:]))
	return err != nil || !slices.ContainsFunc(p.Lacks, func(g Gap) bool {
		law, is := strings.CutPrefix(g.Trait, lawTrait)
		return is && c.ID == laws.CaseID(c.Detector, law)
	})
}

// plainName matches the names of tools that crewai does not change; it shortens longer ones than mostOfName.
var plainName = regexp.MustCompile(`^[a-z0-9]+(_[a-z0-9]+)*$`)

const mostOfName = 64

// withoutSteps returns a trait: the events of which is holds.
func withoutSteps(is func(event spec.Value) bool) trait {
	return func(_ Profile, steps []laws.Step) []laws.Step {
		return slices.DeleteFunc(slices.Clone(steps), func(s laws.Step) bool { return is(s.Event) })
	}
}

// withoutArguments returns a trait: the calls with a value in their arguments, at any depth, of which is holds.
func withoutArguments(is func(spec.Value) bool) trait {
	return withoutSteps(func(event spec.Value) bool { return holds(event.Get("args"), is) })
}

// holds reports whether there is such a value within a value, itself included.
func holds(v spec.Value, is func(spec.Value) bool) bool {
	within := func(m spec.Member) bool { return holds(m.Value, is) }
	return is(v) || slices.ContainsFunc(v.Members(), within) ||
		slices.ContainsFunc(v.Items(), func(item spec.Value) bool { return holds(item, is) })
}

// inSessions returns a trait: the events that show the gap after those before them in their session. For each session,
// and anew after each reset, begin returns what remembers these events and reports whether the next one shows it.
func inSessions(begin func(p Profile) (shows func(event spec.Value) bool)) trait {
	return func(p Profile, steps []laws.Step) []laws.Step {
		sessions := map[int]func(event spec.Value) bool{}
		return slices.DeleteFunc(slices.Clone(steps), func(s laws.Step) bool {
			if s.IsReset() {
				delete(sessions, s.Session)
				return false
			}
			if sessions[s.Session] == nil {
				sessions[s.Session] = begin(p)
			}
			return sessions[s.Session](s.Event)
		})
	}
}

// answeredAtOnce leaves out calls that the next event of their session does not answer, and answers to no such call.
func answeredAtOnce(_ Profile, steps []laws.Step) (kept []laws.Step) {
	called := map[int]laws.Step{} // by session: the call that is its latest event
	for _, s := range steps {
		call, open := called[s.Session]
		delete(called, s.Session)
		switch spec.TypeOf(s.Event) {
		case spec.ToolCall:
			called[s.Session] = s
		case spec.ToolResult, spec.ErrorEvent:
			if named := s.Event.Get("call"); open && (named.IsAbsent() || named.Equal(call.Event.Get("id"))) {
				kept = append(kept, call, s)
			}
		default:
			kept = append(kept, s)
		}
	}
	return kept
}

// silentAfterCalls leaves out the messages of the agent between a call and the next message of the user.
func silentAfterCalls(Profile) func(spec.Value) bool {
	called := false
	return func(v spec.Value) bool {
		event, err := spec.DecodeEvent(v)
		switch {
		case err == nil && event.Type == spec.Message && event.Role == spec.User:
			called = false
		case err == nil && event.Type == spec.ToolCall:
			called = true
		}
		return event.Role == spec.Assistant && called
	}
}

// withoutPieces returns a trait: the pieces of streamed text of which is holds.
func withoutPieces(is func(text string) bool) trait {
	return withoutSteps(func(event spec.Value) bool {
		return spec.TypeOf(event) == spec.Delta && is(event.Get("text").Text())
	})
}

// reply is the latest reply of a session, before an event.
type reply struct {
	begun bool            // otherwise no reply has begun yet
	tools map[string]bool // that it has called
}

// inReplies returns a trait: the events that show the gap after what their reply has called.
func inReplies(shows func(event spec.Value, within reply) bool) trait {
	return inSessions(func(Profile) func(spec.Value) bool {
		latest := reply{tools: map[string]bool{}}
		return func(event spec.Value) bool {
			if shows(event, latest) {
				return true
			}
			switch spec.TypeOf(event) {
			case spec.Reply:
				latest = reply{true, map[string]bool{}}
			case spec.ToolCall:
				latest.tools[event.Get("tool").String()] = true
			}
			return false
		}
	})
}

// readGap reads a sentence, or a mapping with a sentence (what) and a trait (not_asked).
func readGap(n *strictyaml.Node) (g Gap, err error) {
	read := strictyaml.Str(&g.Text)
	if n.Kind == spec.Object {
		readers := map[string]strictyaml.Reader{"what": read, "not_asked": g.readTrait}
		read = func(n *strictyaml.Node) error { return n.Read(readers, "what", "not_asked") }
	}
	err = read(n)
	return g, err
}

func (g *Gap) readTrait(n *strictyaml.Node) error {
	known := slices.Sorted(maps.Keys(traits))
	for _, law := range laws.Laws() {
		known = append(known, lawTrait+law.ID)
	}
	g.Trait = n.Text
	if !slices.Contains(known, g.Trait) {
		return n.Problemf("not_asked: no trait %q; %s", g.Trait, wording.Hint(g.Trait, known))
	}
	return nil
}

// Askable returns the steps of a trace that show none of the gaps which the profile states.
func (p Profile) Askable(steps []laws.Step) []laws.Step {
	for before := -1; before != len(steps); { // what one leaves out may show another
		before = len(steps)
		for _, g := range p.Lacks {
			if leaveOut := traits[g.Trait]; leaveOut != nil {
				steps = leaveOut(p, steps)
			}
		}
	}
	return steps
}
