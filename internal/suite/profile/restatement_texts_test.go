package profile_test

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/spec"
)

// The restatements of detectors that compare texts, and of one that leaves out arguments.
func init() {
	restated["openmanus"] = restateOpenManus
	restated["metagpt"] = restateMetaGPT
	restated["litellm"] = func(p *past) say { return equalPieces(p, 100, say{"repeated-chunk", "error"}) }
	restated["ollama"] = func(p *past) say { return equalPieces(p, 102, say{"token-repeat", "error"}) }
	restated["copilot-chat"] = restateCopilotChat
	restated["hackerai"] = restateHackerAI
	for _, name := range []string{"openmanus", "metagpt", "litellm", "ollama", "copilot-chat"} {
		traceFor[name] = textTrace
	}
}

// spoken returns the texts of the assistant's messages, and whether the current event is one of them.
func (p *past) spoken() (texts []string, justNow bool) {
	for _, e := range p.events {
		if e.Type == spec.Message && e.Role == spec.Assistant {
			texts = append(texts, e.Content)
		}
	}
	return texts, p.current.Type == spec.Message && p.current.Role == spec.Assistant
}

// timesBefore returns how many of the newest texts before the last one, and no more than most, equal it.
func timesBefore(texts []string, most int) (n int) {
	last := texts[len(texts)-1]
	earlier := texts[:len(texts)-1]
	for _, text := range earlier[max(0, len(earlier)-most):] {
		if text == last && text != "" {
			n++
		}
	}
	return n
}

func restateOpenManus(p *past) say {
	if texts, justNow := p.spoken(); justNow && timesBefore(texts, 99) >= 2 {
		return say{"duplicate-content", "hint"}
	}
	return say{}
}

func restateMetaGPT(p *past) say {
	texts, justNow := p.spoken()
	if !justNow {
		return say{}
	}
	switch n := timesBefore(texts, 10); {
	case n >= 3:
		return say{"duplicate-reply", "ask"}
	case n >= 1:
		return say{"duplicate-reply", "regenerate"}
	}
	return say{}
}

// pieces returns the pieces of the answer since the latest reply began, and whether the current event is one of them.
func (p *past) pieces() (texts []string, justNow bool) {
	for _, e := range p.events {
		switch {
		case e.Type == spec.Reply:
			texts = nil
		case e.Type == spec.Delta && e.Channel == spec.Answer:
			texts = append(texts, e.Text)
		}
	}
	return texts, p.current.Type == spec.Delta && p.current.Channel == spec.Answer
}

func equalPieces(p *past, n int, s say) say {
	texts, justNow := p.pieces()
	if !justNow || len(texts) < n || texts[len(texts)-1] == "" {
		return say{}
	}
	for _, text := range texts[len(texts)-n:] {
		if text != texts[len(texts)-1] {
			return say{}
		}
	}
	return s
}

// restateCopilotChat looks for the shortest shift by which the last pieces overlap with themselves.
func restateCopilotChat(p *past) say {
	texts, justNow := p.pieces()
	if !justNow {
		return say{}
	}
	for _, look := range []struct {
		last, pattern int
		name          string
	}{
		{120, 60, "sixty-tokens"},
		{60, 30, "thirty-tokens"},
		{45, 20, "twenty-tokens"},
		{30, 10, "ten-tokens"},
		{10, 1, "one-token"},
	} {
		if len(texts) < look.last {
			continue
		}
		last := texts[len(texts)-look.last:]
		if slices.Contains(last, "") {
			continue
		}
		for shift := 1; shift <= look.pattern; shift++ {
			if slices.Equal(last[shift:], last[:len(last)-shift]) {
				return say{look.name, "drop"}
			}
		}
	}
	return say{}
}

func restateHackerAI(p *past) say {
	equal := equalBatches(p, func(d *done) string {
		args := d.call.Args
		for _, name := range []string{"brief", "explanation"} {
			args = args.Without(name)
		}
		return d.tool + args.String()
	})
	switch {
	case equal >= 5:
		return say{"repeated-step", "halt"}
	case equal >= 3:
		return say{"repeated-step", "nudge"}
	}
	return say{}
}

// textTrace draws messages and pieces: motifs of a few texts, some for long, with other events between them.
func textTrace(t *rapid.T) []spec.Event {
	var events []spec.Event
	for range rapid.IntRange(1, 4).Draw(t, "motifs") {
		drawn := rapid.SliceOfN(rapid.Custom(someText), 1, 4).Draw(t, "drawn")
		if rapid.IntRange(0, 7).Draw(t, "long") == 0 {
			drawn = nil
			for i := range rapid.IntRange(5, 65).Draw(t, "period") {
				drawn = append(drawn, spec.Event{Type: spec.Delta, Channel: spec.Answer, Text: fmt.Sprint("p", i%40, i/3)})
			}
		}
		rounds := rapid.IntRange(1, 8).Draw(t, "rounds")
		if rapid.IntRange(0, 3).Draw(t, "many") == 0 {
			rounds = 1 + rapid.IntRange(95, 125).Draw(t, "events")/len(drawn)
		}
		for range rounds {
			events = append(events, drawn...)
			if rapid.IntRange(0, 63).Draw(t, "odd") == 0 {
				events = append(events, someText(t))
			}
		}
		events = append(events, drawn[:rapid.IntRange(0, len(drawn)-1).Draw(t, "part")]...)
	}
	for i := range events {
		events[i].Index = i
	}
	return events
}

func someText(t *rapid.T) spec.Event {
	switch rapid.IntRange(0, 15).Draw(t, "event") {
	case 0:
		return spec.Event{Type: spec.Reply}
	case 1:
		return spec.Event{Type: spec.Message, Role: spec.User, Content: "go on"}
	case 2:
		return spec.Event{Type: spec.Delta, Channel: spec.Thinking, Text: "x"}
	case 3, 4, 5:
		return spec.Event{Type: spec.Message, Role: spec.Assistant, Content: pick(t, "hm", "hm", "ok", "")}
	default:
		return spec.Event{Type: spec.Delta, Channel: spec.Answer, Text: pick(t, "x", "x", "x", "yz", " ", "")}
	}
}
