package profile

import (
	"strings"
	"testing"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/spec"
)

// TestTraitsLeaveOutPiecesThatShowAGap tells traits pieces of an answer; one that begins with "thought:" is a thought,
// and <call> and <reply> are such events, <reset> a reset.
func TestTraitsLeaveOutPiecesThatShowAGap(t *testing.T) {
	t.Parallel()
	line, more := sentence[:99]+"\n", sentence[:90]+"\n"
	for _, tt := range []struct {
		reason, trait string
		trace         []string
		kept          []int
	}{
		{
			"one text has one channel", "several channels",
			[]string{"a", "thought:b", "<reset>", "c", "thought:d"},
			[]int{0, 2, 3},
		},
		{"JavaScript counts halves of pairs", "characters above U+FFFF", []string{"a\U0001F600", "中"}, []int{1}},
		{
			"a piece that may be a horizontal rule", "pieces of capitals, digits and signs",
			[]string{"OK.", "Ok.", "1:2", "─", "- -", ""},
			[]int{1, 4, 5},
		},
		{
			"what is lost is longer", "pieces of more than 2000 characters",
			[]string{strings.Repeat("中", 2000), strings.Repeat("a", 2001)},
			[]int{0},
		},
		{
			"an element ends with its line", "Markdown that is not one line a piece",
			[]string{"# a\n", "# a", "a"},
			[]int{0, 2},
		},
		{"it begins a line", "Markdown that is not one line a piece", []string{"a", "* b\n", "c\n", "* b\n"}, []int{0, 2, 3}},
		{
			"and a line after a call", "Markdown that is not one line a piece",
			[]string{"a", "<call>", "> b\n"},
			[]int{0, 1, 2},
		},
		{"it has one line", "Markdown that is not one line a piece", []string{"a\n1. b\n", "1. b\n"}, []int{1}},
		{"a later piece makes it", "Markdown that is not one line a piece", []string{"1", ". a\n", "\n"}, []int{0, 2}},
		{"it is no horizontal rule", "Markdown that is not one line a piece", []string{"----\n", "-- a\n"}, []int{1}},
		{
			"a stream ends at a loop, and another one begins", "text after a loop",
			[]string{line, line, line, line, more, "<reply>", more},
			[]int{0, 1, 2, 3, 5, 6},
		},
		{
			"a new session, too", "text after a loop",
			[]string{line, line, line, line, line, "<reset>", line},
			[]int{0, 1, 2, 3, 5, 6},
		},
		{
			"after five copies, the line alone goes on", "other lines after copies",
			[]string{line, line + line, line, line, more, "c", line, "<reply>", more},
			[]int{0, 1, 2, 3, 5, 7, 8},
		},
		{
			"an empty line is another line", "other lines after copies",
			[]string{line + line + line + line + line, "\n"},
			[]int{0},
		},
	} {
		var steps []laws.Step
		for _, piece := range tt.trace {
			steps = append(steps, stepOfPiece(piece))
		}
		checkKept(t, tt.reason, tt.trait, steps, tt.kept)
	}
}

// sentence is a text without a mark of Markdown.
const sentence = "I look at the file once more, since the test that failed names it; " +
	"then I run the whole suite and wait. "

func stepOfPiece(piece string) laws.Step {
	switch piece {
	case "<reset>":
		return laws.Step{}
	case "<call>":
		return laws.Step{Event: spec.MustParse(`{"type":"tool_call","tool":"t"}`)}
	case "<reply>":
		return laws.Step{Event: spec.MustParse(`{"type":"reply"}`)}
	}
	channel := spec.Answer
	if thought, is := strings.CutPrefix(piece, "thought:"); is {
		piece, channel = thought, spec.Thinking
	}
	return laws.Step{Event: spec.ObjectValue(
		spec.Member{Name: "type", Value: spec.StringValue(string(spec.Delta))},
		spec.Member{Name: "text", Value: spec.StringValue(piece)},
		spec.Member{Name: "channel", Value: spec.StringValue(string(channel))},
	)}
}

// TestLawsThatAnOriginalBreaksAreNotAsked of its profile, and are of every other port.
func TestLawsThatAnOriginalBreaksAreNotAsked(t *testing.T) {
	t.Parallel()
	for id, want := range map[spec.DetectorID]bool{
		"@gemini-cli-stream": false, "@vllm-stream": true, "@mine-stream": true, spec.Stream: true,
	} {
		row, _ := spec.DefinitionOf(id)
		found := false
		for _, c := range laws.CasesOf(row) {
			if c.ID == laws.CaseID(id, "stream-cuts") {
				found = true
				if got := Holds(c); got != want {
					t.Errorf("%s: it is asked: %v, want %v", c.ID, got, want)
				}
			}
		}
		if !found {
			t.Errorf("%s has no law stream-cuts", id)
		}
	}
}
