package profile

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/reference/stream"
	"github.com/loopstone/loopstone/spec"
)

// mostOfPiece is below the length of a piece of which gemini-cli loses the beginning.
const mostOfPiece = 2000

// withoutPieces returns a trait: the pieces of streamed text of which is holds.
func withoutPieces(is func(text string) bool) trait {
	return func(_ Profile, steps []laws.Step) []laws.Step {
		return slices.DeleteFunc(slices.Clone(steps), func(s laws.Step) bool {
			text, _ := s.Event.Get("text").Str()
			return isPiece(s) && is(text)
		})
	}
}

// isShortPiece reports whether a text has fewer than three characters.
func isShortPiece(text string) bool { return utf8.RuneCountInString(text) < 3 }

// isBlank reports whether a text is white space alone, or empty.
func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

// hasBlankEnds reports whether trimming changes a text, or would make another one equal to it: the empty one.
func hasBlankEnds(text string) bool { return text == "" || text != strings.TrimSpace(text) }

func isPiece(s laws.Step) bool {
	return s.Event.Get("type").Equal(spec.StringValue(string(spec.Delta)))
}

func isLong(text string) bool { return utf8.RuneCountInString(text) > mostOfPiece }

func hasPairs(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r > 0xFFFF })
}

// signs matches a piece of capital letters, digits, signs and lines of boxes.
var signs = regexp.MustCompile(`^[+-_=*\x{2500}-\x{257F}]+$`)

// inOneChannel leaves out the pieces of other channels than the first one of their session.
func inOneChannel(_ Profile, steps []laws.Step) []laws.Step {
	first := map[int]string{} // by session
	return slices.DeleteFunc(slices.Clone(steps), func(s laws.Step) bool {
		event, err := spec.DecodeEvent(s.Event)
		if err != nil || event.Type != spec.Delta {
			return false
		}
		if _, known := first[s.Session]; !known {
			first[s.Session] = string(event.Channel)
		}
		return string(event.Channel) != first[s.Session]
	})
}

// marks matches a line that may be of Markdown, or become so when it goes on.
var marks = regexp.MustCompile("[`|#>*+]|^[ \t\r]*[0-9]+[.]|^[-_=\u2500-\u257F]")

// text is where pieces belong: a channel of a session.
type text struct {
	session int
	channel spec.Channel
}

// forget forgets what is known of the texts of a session.
func forget[V any](known map[text]V, session int) {
	maps.DeleteFunc(known, func(t text, _ V) bool { return t.session == session })
}

// copiedAlone leaves out pieces that end another line where one has as many copies as the rule asks for.
func copiedAlone(p Profile, steps []laws.Step) []laws.Step {
	c, err := streamOf(p.config)
	if err != nil {
		return steps // of no profile: each was read with a configuration that the detector takes
	}
	begun, counts := map[text]string{}, map[text]map[string]int{}
	return slices.DeleteFunc(slices.Clone(steps), func(s laws.Step) bool {
		event, err := spec.DecodeEvent(s.Event)
		if s.IsReset() || err == nil && c.Starts(event) {
			forget(begun, s.Session)
			forget(counts, s.Session)
		}
		if err != nil || event.Type != spec.Delta {
			return false
		}
		at := text{s.Session, event.Channel}
		lines := strings.Split(begun[at]+event.Text, "\n")
		known := maps.Clone(counts[at])
		if known == nil {
			known = map[string]int{}
		}
		for _, line := range lines[:len(lines)-1] {
			line = stream.Trimmed(line)
			for other, n := range known {
				if other != line && n >= c.LinesCopies {
					return true
				}
			}
			if line != "" {
				known[line]++
			}
		}
		begun[at], counts[at] = lines[len(lines)-1], known
		return false
	})
}

// markedWhole leaves out pieces that make a line with marks of Markdown, unless the piece is the whole line and the
// line is no horizontal rule.
func markedWhole(_ Profile, steps []laws.Step) []laws.Step {
	begun := map[text]string{} // lines that have not ended
	return slices.DeleteFunc(slices.Clone(steps), func(s laws.Step) bool {
		event, err := spec.DecodeEvent(s.Event)
		if err != nil || event.Type != spec.Delta {
			if s.IsReset() || event.Type == spec.ToolCall || event.Role == spec.User {
				forget(begun, s.Session)
			}
			return false
		}
		at := text{s.Session, event.Channel}
		lines := strings.SplitAfter(begun[at]+event.Text, "\n")
		isLine := begun[at] == "" && len(lines) == 2 && lines[1] == "" &&
			!signs.MatchString(strings.TrimRight(lines[0], "\r\n"))
		marked := slices.ContainsFunc(slices.Concat(lines, strings.SplitAfter(event.Text, "\n")), marks.MatchString)
		if marked && !isLine {
			return true
		}
		begun[at] = lines[len(lines)-1]
		return false
	})
}

// endedByLoops leaves out the pieces between a loop and the next event at which the text starts afresh.
func endedByLoops(p Profile, steps []laws.Step) []laws.Step {
	c, err := streamOf(p.config)
	if err != nil {
		return steps // of no profile: each was read with a configuration that the detector takes
	}
	reported := map[int]bool{} // by session
	sessions := map[int]spec.Detector{}
	return slices.DeleteFunc(slices.Clone(steps), func(s laws.Step) bool {
		event, err := spec.DecodeEvent(s.Event)
		if s.IsReset() || err == nil && c.Starts(event) {
			reported[s.Session] = false
		}
		switch {
		case s.IsReset():
			delete(sessions, s.Session)
			return false
		case err != nil: // the event is refused
			return false
		case sessions[s.Session] == nil:
			if sessions[s.Session], err = spec.Define(spec.Stream, stream.New, nil).New(spec.Code, p.config); err != nil {
				return false // see above
			}
		}
		if isPiece(s) && reported[s.Session] {
			return true
		}
		reported[s.Session] = sessions[s.Session].Observe(event).Loop || reported[s.Session]
		return false
	})
}
