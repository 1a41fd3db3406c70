package profile_test

import (
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/spec"
)

// The restatements of detectors that have one to three rules.
func init() {
	restated["autogpt"] = func(p *past) say { return inARow(p, 2, say{"repetitive-command", "rethink"}) }
	restated["deepagents"] = restateDeepAgents
	restated["forgecode"] = restateForgecode
	restated["go-micro"] = restateGoMicro
	restated["kilo-code"] = restateOpencode
	restated["kimi-cli"] = restateKimi
	restated["ml-intern"] = restateMLIntern
	restated["nanobot"] = restateNanobot
	restated["obsidian-gemini"] = restateObsidianGemini
	traceFor["obsidian-gemini"] = timedTrace
	restated["open-multi-agent"] = restateOpenMultiAgent
	restated["classic-openhands"] = restateClassicOpenHands
	restated["praisonai"] = restatePraison
	restated["pydantic-deepagents"] = restatePydanticDeepAgents
	restated["skyvern"] = restateSkyvern
	restated["zeroclaw"] = restateZeroclaw
}

// restateDeepAgents looks for the longest run since the user's message, wherever it is.
func restateDeepAgents(p *past) say {
	if !p.calledJustNow() {
		return say{}
	}
	calls := p.sinceUser().calls
	for n := range calls {
		if tail(calls[:n+1], (*done).sameCall) >= 3 {
			return say{"repeated-calls", "answer"}
		}
	}
	return say{}
}

func restateObsidianGemini(p *past) say {
	if !p.calledJustNow() {
		return say{}
	}
	earlier, n := p.calls[:len(p.calls)-1], 0
	for _, d := range earlier[max(0, len(earlier)-100):] {
		if d.sameCall(p.fresh) && p.current.At-d.call.At < 30_000 {
			n++
		}
	}
	if n >= 3 {
		return say{"repeated-call", "block"}
	}
	return say{}
}

// timedTrace draws what an agent did, and when.
func timedTrace(t *rapid.T) []spec.Event {
	events, now := trace(t), 0.0
	for i := range events {
		now += rapid.SampledFrom([]float64{0, 1, 999, 4_999, 5_000, 5_001, 10_000}).Draw(t, "pause")
		events[i].At, events[i].HasAt = now, true
	}
	return events
}

func restateGoMicro(p *past) say {
	if !p.calledJustNow() || p.fresh.tool == "plan" {
		return say{}
	}
	n := 0
	for _, d := range p.sinceUser().calls {
		if d.sameCall(p.fresh) {
			n++
		}
	}
	if n > 3 {
		return say{"loop-limit", "refuse"}
	}
	return say{}
}

func restateKimi(p *past) say {
	if !p.calledJustNow() {
		return say{}
	}
	n := tail(p.sinceUser().calls, (*done).sameCall)
	for _, rung := range []struct {
		from int
		name string
	}{{12, "stop"}, {8, "r3"}, {5, "r2"}, {3, "r1"}} {
		if n >= rung.from {
			return say{"repeated-call", rung.name}
		}
	}
	return say{}
}

func restateOpenMultiAgent(p *past) say {
	equal := equalBatches(p, func(d *done) string { return d.tool + d.args })
	switch {
	case equal >= 4:
		return say{"tool-repetition", "terminate"}
	case equal == 3:
		return say{"tool-repetition", "warn"}
	}
	return say{}
}

// restateClassicOpenHands looks at what was answered since the user's message; of commands, only at the outcome.
func restateClassicOpenHands(p *past) say {
	if !p.answeredJustNow() {
		return say{}
	}
	results := p.sinceUser().results
	action := func(a, b *done) bool { return a.sameCall(b) && a.thought == b.thought }
	both := func(a, b *done) bool { return action(a, b) && a.sameText(b) }
	fine := func(a, b *done) bool { return action(a, b) && a.ok && b.ok }
	failed := func(a, b *done) bool { return action(a, b) && !a.ok && !b.ok }
	switch {
	case tail(results, both) >= 4:
		return say{"action-observation", "stuck"}
	case p.fresh.tool == "execute_bash" && tail(results, fine) >= 4:
		return say{"command", "stuck"}
	case tail(results, failed) >= 3:
		return say{"action-error", "stuck"}
	case laps(results, 2, both) >= 3 && !both(results[len(results)-1], results[len(results)-2]):
		return say{"alternating", "stuck"}
	}
	return say{}
}

// restatePraison judges a poll by the results of the calls before it, and any other call by how often it was made.
func restatePraison(p *past) say {
	if !p.calledJustNow() {
		return say{}
	}
	rule, n := "repeat", 0
	isPoll := func(word string) bool { return strings.Contains(p.fresh.tool, word) }
	if slices.ContainsFunc([]string{"status", "poll", "check", "wait", "ping", "health"}, isPoll) {
		rule = "poll"
		var newest *done
		for _, d := range slices.Backward(p.results[max(0, len(p.results)-29):]) {
			if !d.sameCall(p.fresh) {
				continue
			}
			if newest == nil {
				newest = d
			}
			if !d.sameText(newest) {
				break
			}
			n++
		}
	} else {
		for _, d := range p.calls[max(0, len(p.calls)-30):] {
			if d.sameCall(p.fresh) {
				n++
			}
		}
	}
	switch {
	case n >= 20:
		return say{rule, "critical"}
	case n >= 10:
		return say{rule, "warning"}
	}
	return say{}
}

func restatePydanticDeepAgents(p *past) say {
	if !p.answeredJustNow() || !p.fresh.ok {
		return say{}
	}
	results := p.sinceUser().results
	fine := func(a, b *done) bool { return a.sameCall(b) && a.ok && b.ok }
	noop := func(a, b *done) bool { return a.tool == b.tool && a.sameText(b) }
	switch {
	case tail(results, fine) >= 3:
		return say{"repeated", "retry"}
	case laps(results, 2, fine) >= 3 && results[len(results)-2].ok && tail(results, fine) < 2:
		return say{"alternating", "retry"}
	case tail(results, noop) >= 3:
		return say{"noop", "retry"}
	}
	return say{}
}

// restateSkyvern plays the counter, which begins again when it has refused.
func restateSkyvern(p *past) say {
	n, tool, refused := 0, "", false
	for _, d := range p.calls {
		if d.tool != tool {
			n, tool = 0, d.tool
		}
		n++
		if refused = n == 3; refused {
			n, tool = 0, ""
		}
	}
	if p.calledJustNow() && refused {
		return say{"same-tool", "refuse"}
	}
	return say{}
}

func restateZeroclaw(p *past) say {
	if !p.answeredJustNow() || !p.fresh.ok {
		return say{}
	}
	results := p.sinceUser().results
	call := func(a, b *done) bool { return a.sameCall(b) && a.ok && b.ok }
	tool := func(a, b *done) bool { return a.tool == b.tool && a.ok && b.ok }
	rungs := []string{"warning", "block", "break"}
	if n := tail(results, call); n >= 3 {
		return say{"exact-repeat", rungs[min(n-3, 2)]}
	}
	if n := laps(results, 2, tool); n >= 4 && tail(results, tool) < 2 && results[len(results)-2].ok {
		return say{"ping-pong", rungs[min(n-4, 2)]}
	}
	return say{}
}

func restateForgecode(p *past) say {
	if !p.calledJustNow() {
		return say{}
	}
	for period := 1; period <= min(100, len(p.calls)/3); period++ {
		if laps(p.calls, period, (*done).keptCall) >= 3 {
			return say{"doom-loop", "remind"}
		}
	}
	return say{}
}

func restateMLIntern(p *past) say {
	if !p.answeredJustNow() {
		return say{}
	}
	both := func(a, b *done) bool { return a.sameCall(b) && a.sameText(b) }
	equal := tail(p.results, both)
	if equal >= 3 {
		return say{"identical", "hint"}
	}
	for period := 2; period <= 5; period++ {
		if equal < period && laps(p.results, period, both) >= 2 {
			return say{"sequence", "hint"}
		}
	}
	return say{}
}

// restateNanobot counts by url or query; a call without it is counted as it is written.
func restateNanobot(p *past) say {
	rule, member := "fetch", "url"
	switch {
	case !p.calledJustNow():
		return say{}
	case p.fresh.tool == "web_search":
		rule, member = "search", "query"
	case p.fresh.tool != "web_fetch":
		return say{}
	}
	target := func(d *done) string {
		if v := d.call.Args.Get(member); !v.IsAbsent() {
			return v.Canonical()
		}
		return "arguments " + d.args
	}
	n := 0
	for _, d := range p.sinceUser().calls {
		if d.tool == p.fresh.tool && target(d) == target(p.fresh) {
			n++
		}
	}
	if n >= 3 {
		return say{rule, "block"}
	}
	return say{}
}
