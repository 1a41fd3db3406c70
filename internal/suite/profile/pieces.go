package profile

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/reference/stream"
	"github.com/loopstone/loopstone/spec"
)

// MostOfPiece is below the length, in characters, of a piece of which gemini-cli loses the beginning.
const MostOfPiece = 2000

// signs matches a piece of capital letters, digits, signs and lines of boxes.
var signs = regexp.MustCompile(`^[+-_=*\x{2500}-\x{257F}]+$`)

// inOneChannel leaves out the pieces of other channels than the first one of their session.
func inOneChannel(Profile) func(spec.Value) bool {
	var first spec.Channel // empty before any piece
	return func(v spec.Value) bool {
		event, err := spec.DecodeEvent(v)
		if err != nil || event.Type != spec.Delta {
			return false
		}
		first = cmp.Or(first, event.Channel)
		return event.Channel != first
	}
}

// marks matches a line that may be of Markdown, or become so when it goes on.
var marks = regexp.MustCompile("[`|#>*+]|^[ \t\r]*[0-9]+[.]|^[-_=\u2500-\u257F]")

// copiedAlone leaves out pieces that end another line where one has as many copies as the rule asks for.
func copiedAlone(p Profile) func(spec.Value) bool {
	c := StreamOf(p.config)
	begun, counts := map[spec.Channel]string{}, map[spec.Channel]map[string]int{}
	return func(v spec.Value) bool {
		event, err := spec.DecodeEvent(v)
		if err == nil && c.Starts(event) {
			clear(begun)
			clear(counts)
		}
		if err != nil || event.Type != spec.Delta {
			return false
		}
		lines := strings.Split(begun[event.Channel]+event.Text, "\n")
		known := maps.Clone(counts[event.Channel])
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
		begun[event.Channel], counts[event.Channel] = lines[len(lines)-1], known
		return false
	}
}

// markedWhole leaves out pieces that make a line with marks of Markdown, unless the piece is the whole line and the
// line is no horizontal rule.
func markedWhole(Profile) func(spec.Value) bool {
	begun := map[spec.Channel]string{} // lines that have not ended
	return func(v spec.Value) bool {
		event, err := spec.DecodeEvent(v)
		if err != nil || event.Type != spec.Delta {
			if event.Type == spec.ToolCall || event.Role == spec.User {
				clear(begun)
			}
			return false
		}
		before := begun[event.Channel]
		lines := strings.SplitAfter(before+event.Text, "\n")
		isLine := before == "" && len(lines) == 2 && lines[1] == "" &&
			!signs.MatchString(strings.TrimRight(lines[0], "\r\n"))
		marked := slices.ContainsFunc(slices.Concat(lines, strings.SplitAfter(event.Text, "\n")), marks.MatchString)
		if marked && !isLine {
			return true
		}
		begun[event.Channel] = lines[len(lines)-1]
		return false
	}
}

// endedByLoops leaves out the pieces between a loop and the next event at which the text starts afresh.
func endedByLoops(p Profile) func(spec.Value) bool {
	c := StreamOf(p.config)
	detector, _ := reference.Implementation(spec.Stream).New(spec.Code, p.config)
	reported := false
	return func(v spec.Value) bool {
		event, err := spec.DecodeEvent(v)
		switch {
		case err != nil: // the event is refused
			return false
		case c.Starts(event):
			reported = false
		case event.Type == spec.Delta && reported:
			return true
		}
		reported = detector.Observe(event).Loop || reported
		return false
	}
}
