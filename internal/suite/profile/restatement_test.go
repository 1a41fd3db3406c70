package profile_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/spec"
)

func anyOf(list ...string) func(string) bool {
	return func(s string) bool { return slices.Contains(list, s) }
}

// restated holds each detector of the field once more: from the whole past, without memory, and of the kind of code
// that nobody would run. What it says must be what its profile says.
var restated = map[string]func(p *past) say{
	"goose":       restateGoose,
	"crewai":      func(p *past) say { return inARow(p, 2, say{"repeated-usage", "refuse"}) },
	"cline":       restateCline,
	"roo":         restateRoo,
	"gemini-cli":  restateGemini,
	"qwen-code":   restateQwen,
	"opencode":    restateOpencode,
	"openhands":   restateOpenHands,
	"crush":       restateCrush,
	"browser-use": restateBrowserUse,
	"attocode":    restateAttocode,
	"hermes":      restateHermes,
	"openclaw":    restateOpenClaw,
	"loopstone":   restateLoopstone,
	"deer-flow":   restateDeerFlow,
	"vercel":      restateVercel,
	"strands":     restateStrands,
}

func inARow(p *past, n int, s say) say {
	if p.calledJustNow() && tail(p.calls, (*done).sameCall) >= n {
		return s
	}
	return say{}
}

func restateCline(p *past) say {
	if !p.calledJustNow() {
		return say{}
	}
	switch n := tail(p.calls, (*done).sameCall); {
	case n == 3:
		return say{"repeated-call", "soft"}
	case n >= 5:
		return say{"repeated-call", "hard"}
	}
	return say{}
}

// restateRoo plays the counter: it counts repeats of the call before, and begins again when it has asked.
func restateRoo(p *past) say {
	var last *done
	repeats, asked := 0, false
	for _, d := range p.calls {
		asked = false
		switch {
		case last != nil && d.sameCall(last):
			repeats++
		default:
			repeats, last = 0, d
		}
		if repeats == 3 {
			repeats, last, asked = 0, nil, true
		}
	}
	if p.calledJustNow() && asked {
		return say{"repetition", "ask"}
	}
	return say{}
}

// restateGemini judges each call by itself, for the client clears what was found before.
func restateGemini(p *past) say {
	if !p.calledJustNow() {
		return say{}
	}
	calls := p.sinceUser().calls
	for period := 1; period <= 5; period++ {
		if laps(calls, period, (*done).keptCall) >= 5 {
			return say{"cycle", "stop"}
		}
	}
	return say{}
}

// restateQwen says so at each call since the user's message from the first one on at which it is found.
func restateQwen(p *past) say {
	if !p.calledJustNow() {
		return say{}
	}
	calls := p.sinceUser().calls
	for n := range calls {
		if calls[n].tool != "task_list" && tail(calls[:n+1], (*done).sameCall) >= 5 {
			return say{"identical-calls", "stop"}
		}
	}
	return say{}
}

func restateOpencode(p *past) say {
	message := p.since(func(e spec.Event) bool {
		return e.Type == spec.Reply || e.Type == spec.Message && e.Role != spec.System
	})
	if p.calledJustNow() && tail(message.calls, (*done).keptCall) >= 3 {
		return say{"doom-loop", "ask"}
	}
	return say{}
}

func restateOpenHands(p *past) say {
	now := p.sinceUser()
	action := func(a, b *done) bool { return a.sameCall(b) && a.thought == b.thought }
	both := func(a, b *done) bool { return action(a, b) && a.sameText(b) }
	if p.answeredJustNow() {
		if tail(now.results, both) >= 4 {
			return say{"action-observation", "stuck"}
		}
		failed := tail(now.results, func(a, b *done) bool { return action(a, b) && !a.ok && !b.ok })
		switch {
		case failed >= 4:
			return say{"action-error", "stuck"}
		case failed == 3:
			return say{"action-error", "nudge"}
		}
	}
	if p.current.Type == spec.Message && p.current.Role == spec.Assistant {
		said := 0
		for _, e := range slices.Backward(p.events) {
			if e.Type == spec.ToolCall || e.Type == spec.Message && e.Role == spec.User {
				break
			}
			if e.Type == spec.Message && e.Role == spec.Assistant {
				said++
			}
		}
		if said >= 3 {
			return say{"monologue", "stuck"}
		}
	}
	if p.answeredJustNow() && laps(now.results, 2, both) >= 3 {
		return say{"alternating", "stuck"}
	}
	return say{}
}

// restateCrush looks at the last ten steps whenever one ends.
func restateCrush(p *past) say {
	if p.current.Type != spec.Reply {
		return say{}
	}
	now := p.sinceUser()
	var steps []string
	open := false
	step := ""
	for _, e := range now.events {
		switch e.Type {
		case spec.Reply:
			if open {
				steps = append(steps, step)
			}
			open, step = true, ""
		case spec.ToolCall:
			for _, d := range now.calls {
				if d.call.Index == e.Index {
					step += fmt.Sprintf("%q %q %v %v %q;", d.tool, d.kept, answeredBeforeReply(now, d), d.ok, d.text)
				}
			}
		}
	}
	if len(steps) < 10 {
		return say{}
	}
	counts := map[string]int{}
	for _, s := range steps[len(steps)-10:] {
		if counts[s]++; s != "" && counts[s] > 5 {
			return say{"repeated-step", "stop"}
		}
	}
	return say{}
}

// answeredBeforeReply reports whether a call was answered in its own step; the traces of these tests answer there or
// not at all.
func answeredBeforeReply(_ *past, d *done) bool { return d.answered }

func restateBrowserUse(p *past) say {
	unrecorded := func(d *done) bool { return d.tool == "wait" || d.tool == "done" || d.tool == "go_back" }
	if !p.calledJustNow() || unrecorded(p.fresh) {
		return say{}
	}
	recorded := slices.DeleteFunc(slices.Clone(p.calls), unrecorded)
	counts, most := map[string]int{}, 0
	for _, d := range recorded[max(0, len(recorded)-20):] {
		counts[d.tool+"\x00"+d.args]++
		most = max(most, counts[d.tool+"\x00"+d.args])
	}
	switch {
	case most >= 12:
		return say{"repetition", "strong"}
	case most >= 8:
		return say{"repetition", "medium"}
	case most >= 5:
		return say{"repetition", "mild"}
	}
	return say{}
}

func restateAttocode(p *past) say {
	if !p.calledJustNow() {
		return say{}
	}
	among := func(calls []*done) (n int) {
		for _, d := range calls[max(0, len(calls)-20):] {
			if d.sameCall(p.fresh) {
				n++
			}
		}
		return n
	}
	recorded := among(p.calls[:len(p.calls)-1])
	switch {
	case recorded >= 5:
		return say{"block", "block"}
	case recorded >= 3 && p.fresh.tool == "bash":
		return say{"block-bash", "block"}
	case among(p.calls) >= 3:
		return say{"doom-loop", "nudge"}
	}
	return say{}
}

// restateGoose plays the two inspectors: equal calls in a row, and equal errors of one tool since it was last refused.
func restateGoose(p *past) say {
	if !p.calledJustNow() {
		return say{}
	}
	if said := inARow(p, 4, say{"repetition", "deny"}); said != (say{}) {
		return said
	}
	errors, refused := 0, false
	var last *done
	for _, d := range p.calls {
		refused = errors >= 3 && d.tool == last.tool
		if refused {
			errors = 0
		}
		switch {
		case !d.answered:
		case d.ok:
			errors, last = 0, nil
		case last != nil && errors > 0 && last.tool == d.tool && last.text == d.text:
			errors++
		default:
			errors, last = 1, d
		}
	}
	if refused {
		return say{"repeated-error", "deny"}
	}
	return say{}
}

// batches returns the steps of the past that are complete, each as its calls in the order of the alphabet.
func batches(p *past, write func(*done) string) []string {
	var steps []string
	var calls []string
	open := false
	for _, e := range p.events {
		switch {
		case e.Type == spec.Reply:
			if open {
				slices.Sort(calls)
				steps = append(steps, strings.Join(calls, "\n"))
			}
			open, calls = true, nil
		case e.Type == spec.ToolCall && open:
			i := slices.IndexFunc(p.calls, func(d *done) bool { return d.call.Index == e.Index })
			calls = append(calls, write(p.calls[i]))
		}
	}
	return steps
}

// equalBatches returns how many of the latest steps in a row have the calls of the one that the current reply completes;
// 0 if it completes none, or one without calls.
func equalBatches(p *past, write func(*done) string) (equal int) {
	steps := batches(p, write)
	if p.current.Type != spec.Reply || len(steps) == 0 || steps[len(steps)-1] == "" {
		return 0
	}
	for i := len(steps) - 1; i >= 0 && steps[i] == steps[len(steps)-1]; i-- {
		equal++
	}
	return equal
}

func restateVercel(p *past) say {
	if equalBatches(p, func(d *done) string { return d.tool + d.args }) >= 3 {
		return say{"repeated-step", "stop"}
	}
	return say{}
}

// restateStrands counts, in one invocation, how many of the latest batches are the one that ended just now.
func restateStrands(p *past) say {
	equal := equalBatches(p.sinceUser(), func(d *done) string { return d.tool + d.args })
	switch {
	case equal >= 3:
		return say{"repeated-batch", "end-turn"}
	case equal == 2:
		return say{"repeated-batch", "note"}
	}
	return say{}
}

func restateDeerFlow(p *past) say {
	salient := anyOf("path", "url", "query", "command", "pattern", "glob", "cmd")
	steps := batches(p, func(d *done) string {
		var kept []spec.Member
		for _, m := range d.call.Args.Members() {
			if salient(m.Name) {
				kept = append(kept, m)
			}
		}
		if len(kept) == 0 {
			return d.tool + d.args
		}
		return d.tool + spec.ObjectValue(kept...).Canonical()
	})
	if p.current.Type != spec.Reply || len(steps) == 0 || steps[len(steps)-1] == "" {
		return say{}
	}
	equal := 0
	for _, s := range steps[max(0, len(steps)-20):] {
		if s == steps[len(steps)-1] {
			equal++
		}
	}
	switch {
	case equal >= 5:
		return say{"repeated-reply", "stop"}
	case equal >= 3:
		return say{"repeated-reply", "warn"}
	}
	return say{}
}

// The tools that Hermes tells apart, as far as the traces of these tests have them.
var (
	reads    = anyOf("read_file", "search_files", "web_search")
	changes  = anyOf("write_file", "patch", "terminal", "process_manage", "process", "browser_navigate")
	tolerant = anyOf("terminal", "process_manage", "process", "browser_navigate")
	polls    = anyOf("process_manage", "job_poll", "x_get_result")
)

// restateHermes counts failures since the last success and the last change, and results since the last other one. Of
// what it says at once the strongest is heard.
func restateHermes(p *past) say {
	now := p.sinceUser()
	exact, same := 0, 0 // failures of the current call, and of its tool
	news := 0           // results of the current call that were no news
	var last *done
	for _, d := range now.results {
		if d.ok && changes(d.tool) {
			exact, same = 0, 0
		}
		if p.fresh == nil || d.tool != p.fresh.tool {
			continue
		}
		same++
		if d.ok {
			same = 0
		}
		if !d.sameCall(p.fresh) {
			continue
		}
		exact++
		if d.ok {
			exact = 0
		}
		switch {
		case !d.ok:
			news, last = 0, nil
		case last != nil && last.text == d.text:
			news++
		default:
			news, last = 1, d
		}
	}
	switch {
	case p.calledJustNow() && exact >= 5:
		return say{"exact-failure-block", "block"}
	case p.calledJustNow() && reads(p.fresh.tool) && news >= 5:
		return say{"no-progress-block", "block"}
	case !p.answeredJustNow():
		return say{}
	}
	row, turn := hermesRepeats(now.results)
	switch {
	case same >= 8 && !tolerant(p.fresh.tool):
		return say{"same-tool-failure-halt", "halt"}
	case row >= 5:
		return say{"identical-call-halt", "halt"}
	case turn >= 5:
		return say{"identical-cycle-halt", "halt"}
	case exact >= 2:
		return say{"exact-failure", "warn"}
	case same >= 3:
		return say{"same-tool-failure", "warn"}
	case reads(p.fresh.tool) && news >= 2:
		return say{"no-progress", "warn"}
	case row >= 3:
		return say{"identical-call", "notice"}
	case turn >= 3:
		return say{"identical-cycle", "notice"}
	}
	return say{}
}

// hermesRepeats returns how many equal results came in a row, and how many equal laps; polls are no repeats.
func hermesRepeats(results []*done) (row, turn int) {
	both := func(a, b *done) bool { return a.sameCall(b) && a.sameText(b) }
	n := tail(results, both)
	if !polls(results[len(results)-1].tool) {
		row = n
	}
	for period := 2; period <= 4; period++ {
		if n >= period {
			continue // a lap of equal calls is a repeat
		}
		lap := results[max(0, len(results)-period):]
		if slices.ContainsFunc(lap, func(d *done) bool { return !polls(d.tool) }) {
			turn = max(turn, laps(results, period, both))
		}
	}
	return row, turn
}

// restateOpenClaw judges a call by the thirty before it.
func restateOpenClaw(p *past) say {
	if !p.calledJustNow() {
		return say{}
	}
	before := p.calls[:len(p.calls)-1]
	history := before[max(0, len(before)-30):]
	now := p.fresh
	equal, streak := 0, 0
	ended := false
	var latest *done
	for _, d := range slices.Backward(history) {
		if !d.sameCall(now) {
			continue
		}
		equal++
		if latest == nil {
			latest = d
		}
		if ended = ended || !d.sameText(latest); !ended {
			streak++
		}
	}
	action, _ := now.call.Args.Get("action").Str()
	poll := now.tool == "command_status" || now.tool == "process" && (action == "poll" || action == "log")
	turns, still := openClawTurns(before, now)
	switch {
	case streak >= 30:
		return say{"breaker", "block"}
	case poll && streak >= 20:
		return say{"poll", "critical"}
	case poll && streak >= 10:
		return say{"poll", "warning"}
	case still >= 20:
		return say{"ping-pong-without-progress", "critical"}
	case turns >= 10:
		return say{"ping-pong", "warning"}
	case !poll && streak >= 20:
		return say{"repeat-without-progress", "critical"}
	case !poll && equal >= 10:
		return say{"repeat", "warning"}
	}
	return say{}
}

// openClawTurns returns how many calls, the current one included, take turns in two, and how many of them with results
// that do not change.
func openClawTurns(before []*done, now *done) (turns, still int) {
	if len(before) < 1 || before[len(before)-1].sameCall(now) {
		return 0, 0
	}
	turns, still = 1, 1
	quiet := true
	for i := len(before) - 1; i >= 0; i-- {
		two := now // the one two places later
		if j := i + 2; j < len(before) {
			two = before[j]
		}
		d := before[i]
		if i < len(before)-1 && !d.sameCall(two) {
			break
		}
		turns++
		if quiet = quiet && (i+2 >= len(before) || d.sameText(two)); quiet {
			still++
		}
	}
	return turns, still
}
