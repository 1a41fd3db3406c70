package laws

import (
	"strings"

	"github.com/loopstone/loopstone/spec"
)

var renaming = Law{
	ID:  "renaming",
	Own: map[spec.DetectorID][]string{spec.History: {"HI-6"}, spec.Ralph: {"RA-7"}, spec.Stream: {"ST-7"}},
	Sentence: "If tools have other names and texts have other letters, the same everywhere, " +
		"the same rules report the same counts.",
	Why: "A detector that knows some names better than others works in its tests and fails elsewhere.",
	Exceptions: []Exception{
		exception(
			spec.Fingerprint, spec.Text, "the name bash, and the commands cat, head and tail, have a meaning",
			`{"fuzzy_threshold":2}`,
			`{"type":"tool_call","tool":"bash","args":{"command":"cat a"}}`,
			`{"type":"tool_call","tool":"bash","args":{"command":"head a"}}`,
		),
		exception(
			spec.Swarm, spec.Text, "its fingerprints are those of fingerprint", `{"threshold":2,"min_workers":1}`,
			`{"type":"tool_call","tool":"bash","worker":"w","args":{"command":"cat a"}}`,
			`{"type":"tool_call","tool":"bash","worker":"w","args":{"command":"head a"}}`,
		),
		exception(
			spec.Signature, spec.Code, "the words for errors, tests and changes have a meaning",
			`{"threshold":2}`,
			`{"type":"output","text":"1 failed x"}`,
			`{"type":"output","text":"2 failed y"}`,
		),
		exception(
			spec.Signature, spec.Text, "the words for errors, tests and changes have a meaning",
			`{"threshold":2}`,
			`{"type":"output","text":"Fixed a.go x"}`,
			`{"type":"output","text":"Fixed a.go y"}`,
		),
		exception(
			spec.Guards, spec.Text, "its loop rule is that of signature", `{"signature":{"threshold":2}}`,
			`{"type":"iteration","elapsed_s":1,"output":"Fixed a.go x","failed":false}`,
			`{"type":"iteration","elapsed_s":2,"output":"Fixed a.go y","failed":false}`,
		),
		exception(
			spec.Crow, spec.Code, "the word context in an error has a meaning", `{"threshold_cycles":1}`,
			`{"type":"error","message":"context a"}`,
			`{"type":"error","message":"context b"}`,
		),
		exception(
			spec.Crow, spec.Text, "the words context window and context length in an error have a meaning", `{}`,
			`{"type":"error","message":"context length a"}`,
			`{"type":"error","message":"context length b"}`,
		),
		exception(
			spec.Composed, spec.Code, "the calls that its rules name have a meaning",
			`{"rules":[{"tools":{"only":["t"]},"rungs":[{"at":1}]}]}`,
			`{"type":"tool_call","tool":"t"}`,
		),
	},
	check: func(a *asking, t Trace) {
		renamed := t.mapEvents(renameEvent)
		renamed.Config = renameTools(t)
		a.same("with every Latin letter moved by 13", essence(a.play(t)), essence(a.play(renamed)))
	},
}

// renameEvent changes the letters of an event's texts, but for those that the protocol gives a meaning.
func renameEvent(event spec.Value) spec.Value {
	renamed := renameTexts(event)
	for _, name := range []string{"type", "role", "channel"} {
		if v := event.Get(name); !v.IsAbsent() {
			renamed = renamed.With(name, v)
		}
	}
	return renamed
}

// renameTexts changes the letters of the texts in a value, not those of the names of members.
func renameTexts(v spec.Value) spec.Value {
	if text, isText := v.Str(); isText {
		return spec.StringValue(rot13(text))
	}
	return v.Map(renameTexts)
}

// renameTools changes the names of tools in a configuration: those in lists, and those that have numbers.
func renameTools(t Trace) spec.Value {
	config := t.Config
	for _, p := range t.definition().Settings {
		v := config.Get(p.Name)
		switch {
		case v.IsAbsent() || p.OneOf != nil:
		case p.Kind == spec.Array && p.Of == spec.String:
			config = config.With(p.Name, renameTexts(v))
		case p.Of == spec.Number:
			var members []spec.Member
			for _, m := range v.Members() {
				members = append(members, spec.Member{Name: rot13(m.Name), Value: m.Value})
			}
			config = config.With(p.Name, spec.ObjectValue(members...))
		}
	}
	return config
}

func rot13(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return 'a' + (r-'a'+13)%26
		case r >= 'A' && r <= 'Z':
			return 'A' + (r-'A'+13)%26
		default:
			return r
		}
	}, text)
}
