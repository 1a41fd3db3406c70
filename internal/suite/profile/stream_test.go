package profile_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/reference/stream"
	"github.com/loopstone/loopstone/spec"
)

// chant is a detector of streamed text as its project has it: whether a piece is part of a loop, and the fresh start.
type chant interface {
	piece(text string) bool
	start()
}

// streamed holds each detector of streamed text once more, as [restated] does for the others: from the whole text.
var streamed = map[string]func() chant{
	"vllm-stream":       func() chant { return &tokens{} },
	"gemini-cli-stream": func() chant { return &content{} },
	"hermes-stream":     func() chant { return &response{} },
}

// TestStreamProfilesSayWhatTheirDetectorsSay holds each profile against its restatement, on the traces that a port of
// the profile is asked: those that show no stated gap.
func TestStreamProfilesSayWhatTheirDetectorsSay(t *testing.T) {
	t.Parallel()
	for name, restate := range streamed {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := profile.ByName(name)
			if err != nil {
				t.Fatal(err)
			}
			detector, err := spec.Define(spec.Stream, stream.New, nil).New(spec.Code, p.Config())
			if err != nil {
				t.Fatal(err)
			}
			loops := 0
			rapid.Check(t, func(t *rapid.T) {
				detector.Reset()
				original := restate()
				for i, s := range p.Askable(streamTrace(t)) {
					event, err := spec.DecodeEvent(s.Event)
					if err != nil {
						t.Fatal(err)
					}
					event.Index = i
					want := told(p, original, event)
					if got := detector.Observe(event).Loop; got != want {
						t.Fatalf("after event %d, %s, the profile says %v, its restatement %v", i, s.Event, got, want)
					}
					if want {
						loops++
					}
				}
			})
			if loops < 5 && !testing.Short() { // a fifth of the traces may hold none
				t.Errorf("only %d pieces of all traces were part of a loop", loops)
			}
		})
	}
}

// told tells an event to a restatement.
func told(p profile.Profile, original chant, event spec.Event) bool {
	starts := map[spec.EventType]bool{
		spec.Message:  p.Name == "gemini-cli-stream" && event.Role == spec.User,
		spec.ToolCall: p.Name == "gemini-cli-stream",
		spec.Reply:    p.Name != "gemini-cli-stream",
	}
	if starts[event.Type] {
		original.start()
	}
	return event.Type == spec.Delta && event.Channel == spec.Answer && original.piece(event.Text)
}

// streamTrace draws an answer: phrases that repeat, in pieces, and elements of Markdown in lines of their own.
func streamTrace(t *rapid.T) []laws.Step {
	var steps []laws.Step
	tell := func(event string) { steps = append(steps, laws.Step{Event: spec.MustParse(event)}) }
	stream := func(text string) {
		delta := spec.MustParse(`{"type":"delta"}`).With("text", spec.StringValue(text))
		steps = append(steps, laws.Step{Event: delta})
	}
	phrases := []string{
		"let me look at the file", " once more", ", and ", "see é 中 x\n", "no\n", "\n", "A", "12",
		"I look at the file once more, since the test that\n", "z",
	}
	for range rapid.IntRange(1, 4).Draw(t, "parts") {
		unit := strings.Join(rapid.SliceOfN(rapid.SampledFrom(phrases), 1, 4).Draw(t, "unit"), "")
		whole := strings.Repeat(unit, rapid.IntRange(1, 30).Draw(t, "copies"))
		size := rapid.SampledFrom([]int{len(unit), 1, 7, 50, 400}).Draw(t, "size")
		for piece := range slices.Chunk([]rune(whole), max(size, 1)) {
			stream(string(piece))
		}
		switch rapid.IntRange(0, 9).Draw(t, "between") {
		case 0:
			tell(`{"type":"tool_call","tool":"t"}`)
		case 1:
			tell(`{"type":"message","role":"user","content":"go on"}`)
		case 2:
			tell(`{"type":"reply"}`)
		case 3, 4, 5, 6:
			stream("\n")
			stream(rapid.SampledFrom([]string{
				"```\n", "```go\n", "| a | b |\n", "* a\n", "1. a\n", "# a\n", "> a\n", "+--+ a\n", "- a\n", "#a\n",
			}).Draw(t, "line"))
		}
	}
	return steps
}

// tokens is vLLM's rule; a character is a token.
type tokens struct{ all []rune }

func (v *tokens) start() { v.all = nil }

func (v *tokens) piece(text string) (loop bool) {
	for _, r := range text {
		v.all = append(v.all, r)
		for size := 20; size <= 100 && 4*size <= len(v.all); size++ {
			tail := v.all[len(v.all)-4*size:]
			loop = loop || slices.Equal(tail, slices.Repeat(tail[:size], 4))
		}
	}
	return loop
}

// content is the rule of gemini-cli about the content of an answer, which looks at each piece by itself.
type content struct {
	text  []rune
	block bool
}

var elements = []*regexp.Regexp{
	regexp.MustCompile(`(^|\n)\s*(\|.*\||[|+-]{3,})`), regexp.MustCompile(`(^|\n)\s*[*+]\s`),
	regexp.MustCompile(`(^|\n)\s*\d+\.\s`), regexp.MustCompile(`(^|\n)#+\s`), regexp.MustCompile(`(^|\n)>\s`),
	regexp.MustCompile("```"), regexp.MustCompile(`^[+-_=*\x{2500}-\x{257F}]+$`),
}

func (g *content) start() { g.text = nil }

func (g *content) piece(text string) bool {
	if slices.ContainsFunc(elements, func(e *regexp.Regexp) bool { return e.MatchString(text) }) {
		g.text = nil
	}
	was := g.block
	g.block = was != (strings.Count(text, "```")%2 == 1)
	if was || g.block || elements[len(elements)-1].MatchString(text) {
		return false
	}
	before := len(g.text)
	g.text = append(g.text, []rune(text)...)
	for end := max(before+1, 50); end <= len(g.text); end++ {
		if g.repeats(end) {
			return true
		}
	}
	return false
}

// repeats reports whether the 50 characters before an end stood there ten times, close together and with few texts
// between.
func (g *content) repeats(end int) bool {
	var places []int
	for at := range end - 49 {
		if slices.Equal(g.text[at:at+50], g.text[end-50:end]) {
			places = append(places, at)
		}
	}
	if len(places) < 10 {
		return false
	}
	places = places[len(places)-10:]
	texts := map[string]bool{}
	for i := range 9 {
		texts[string(g.text[places[i]:places[i+1]])] = true
	}
	return places[9]-places[0] <= 9*250 && len(texts) <= 5
}

// response is the rule of hermes-agent about lines; it is asked at the end of each.
type response struct{ text string }

func (h *response) start() { h.text = "" }

func (h *response) piece(text string) (loop bool) {
	for part := range strings.SplitAfterSeq(text, "\n") {
		h.text += part
		loop = loop || strings.HasSuffix(part, "\n") && h.runsAway()
	}
	return loop
}

func (h *response) runsAway() bool {
	counts, lines := map[string]int{}, 0
	for line := range strings.SplitSeq(h.text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			counts[line]++
			lines++
		}
	}
	size := len([]rune(h.text))
	for line, n := range counts {
		if n >= 5 && 2*n*len([]rune(line)) >= size {
			return size >= 400 && 2*len(counts) <= lines
		}
	}
	return false
}
