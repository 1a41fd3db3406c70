package stream_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/internal/testing/detectortest"
	"github.com/loopstone/loopstone/reference/stream"
	"github.com/loopstone/loopstone/spec"
)

func TestLaws(t *testing.T) {
	detectortest.Subject{Detector: spec.Stream, New: stream.New, Configs: anyConfig, Traces: anyTrace}.Check(t)
}

// units are what a stream is made of, some again and again: text, lines, and all that the rules take for Markdown or
// nearly so.
var units = []string{
	"a", "b", "é", "😀", " ", "\n", "ab", "ab\n", "  ab \r\n", "aab", "\n\n", "`", "``", "```", "```go\n", "````",
	"|", "| a | b |\n", "|-|\n", "||", "+--+\n", "-+-", "---\n", "- a\n", "* a\n",
	"*a\n", "*", "+ a\n", "+", "1. a\n", "12.\n", "1.a\n", ".",
	"# a\n", "#", "#a\n", " # a\n", "> a\n", ">", "\t* ", "===", "=", "─", "0",
}

// anyTrace draws pieces of few units, cut anywhere, and what starts a text afresh.
func anyTrace(t *rapid.T) []spec.Event {
	var text strings.Builder
	for range rapid.IntRange(0, 8).Draw(t, "motifs") {
		motif := strings.Join(rapid.SliceOfN(rapid.SampledFrom(units), 1, 4).Draw(t, "motif"), "")
		text.WriteString(strings.Repeat(motif, rapid.IntRange(1, 8).Draw(t, "times")))
	}
	var trace []spec.Event
	for rest := []rune(text.String()); len(rest) > 0; {
		switch rapid.IntRange(0, 24).Draw(t, "sort") {
		case 0:
			trace = append(trace, spec.Event{Type: spec.Reply}, spec.Event{Type: spec.Output, Text: "a"})
		case 1:
			role := rapid.SampledFrom(spec.Roles()).Draw(t, "role")
			trace = append(trace, spec.Event{Type: spec.Message, Role: role, Content: "a"})
		case 2:
			trace = append(trace, spec.Event{Type: spec.ToolCall, Tool: "a"})
		}
		n := min(rapid.IntRange(0, 9).Draw(t, "cut"), len(rest))
		channel := spec.Answer
		if rapid.IntRange(0, 5).Draw(t, "channel") == 0 {
			channel = spec.Thinking
		}
		trace = append(trace, spec.Event{Type: spec.Delta, Text: string(rest[:n]), Channel: channel})
		rest = rest[n:]
	}
	return trace
}

// anyConfig draws small numbers, so that texts of some hundred characters reach every limit.
func anyConfig(t *rapid.T, _ spec.Reading) spec.Value {
	config := spec.ObjectValue()
	lists := map[string][]string{
		"rules": {"tail", "chunk", "lines"}, "channels": {"answer", "thought"}, "fresh": {"user", "call", "reply"},
	}
	for _, name := range []string{"rules", "channels", "fresh"} {
		if rapid.IntRange(0, 3).Draw(t, name) == 0 {
			of := rapid.SliceOfN(rapid.SampledFrom(lists[name]), 0, 3).Draw(t, name)
			config = config.With(name, spec.StringsValue(of))
		}
	}
	for name, most := range map[string]int{
		"tail_from": 4, "tail_to": 12, "tail_copies": 5, "chunk_size": 5, "chunk_copies": 5, "chunk_distance": 9,
		"chunk_texts": 3, "lines_copies": 4, "lines_least": 20, "lines_window": 60,
	} {
		config = config.With(name, spec.IntValue(rapid.IntRange(1, most).Draw(t, name)))
	}
	for _, name := range []string{"lines_share", "lines_different"} {
		config = config.With(name, spec.IntValue(rapid.SampledFrom([]int{10, 33, 50, 60, 101}).Draw(t, name)))
	}
	return config
}

// BenchmarkLongStreams observes pieces of 20 characters, after as many characters as the name says. What a character
// costs, and how much memory a session has, must not depend on it.
func BenchmarkLongStreams(b *testing.B) {
	for _, length := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(length), func(b *testing.B) {
			d := detectortest.Open(b, spec.Stream, stream.New, spec.Code, spec.Value{})
			x := uint32(1)
			observe := func() {
				var text [20]byte
				for i := range text {
					x = x*1664525 + 1013904223
					text[i] = "abcdefghijklmnopqrstuvwxyz     .\n"[x>>24%33]
				}
				d.Observe(spec.Event{Type: spec.Delta, Channel: spec.Answer, Text: string(text[:])})
			}
			for range length / 20 {
				observe()
			}
			for b.Loop() {
				observe()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(20*b.N), "ns/character")
			b.ReportMetric(float64(len(d.(spec.Snapshotter).Snapshot().String())), "bytes-of-state")
		})
	}
}
