package profile

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/reference/composed"
	"github.com/loopstone/loopstone/spec"
)

// say is what a detector says after an event: the rule and the rung, or nothing.
type say struct{ rule, rung string }

// done is a call as the restatements see it, with what came of it.
type done struct {
	tool, args, kept, thought string
	call                      spec.Event

	answered bool
	text     string
	ok       bool
}

func (d *done) sameCall(o *done) bool { return d.tool == o.tool && d.args == o.args }
func (d *done) keptCall(o *done) bool { return d.tool == o.tool && d.kept == o.kept }
func (d *done) sameText(o *done) bool { return d.ok == o.ok && d.text == o.text }

// past is all that has happened, the current event included; calls of the current and earlier replies.
type past struct {
	events  []spec.Event
	calls   []*done // all, in order
	results []*done // answered ones, in the order of their answers
	current spec.Event
	fresh   *done // the call that was made or answered just now
	history history
	user    *past // what sinceUser returned
}

// history is the events so far, with the arguments of each call as texts: sorted, and as they stand.
type history struct {
	events       []spec.Event
	sorted, kept []string
}

func (h history) until(n int) history { return history{h.events[:n], h.sorted[:n], h.kept[:n]} }

func historyOf(events []spec.Event) history {
	h := history{events: events}
	for _, e := range events {
		h.sorted, h.kept = append(h.sorted, e.Args.Canonical()), append(h.kept, e.Args.String())
	}
	return h
}

// calledJustNow reports whether the current event is a call; answeredJustNow likewise.
func (p *past) calledJustNow() bool { return p.current.Type == spec.ToolCall }

func (p *past) answeredJustNow() bool {
	return p.fresh != nil && (p.current.Type == spec.ToolResult || p.current.Type == spec.ErrorEvent)
}

// sinceUser returns the events since the last message of a user.
func (p *past) sinceUser() *past {
	if p.user == nil {
		p.user = p.sinceUserAnew()
	}
	return p.user
}

func (p *past) sinceUserAnew() *past {
	return p.since(func(e spec.Event) bool { return e.Type == spec.Message && e.Role == spec.User })
}

// since returns the past that begins after the last event that is so: calls that were made then, answers that came then.
func (p *past) since(is func(spec.Event) bool) *past {
	begin := 0
	for i, e := range p.events {
		if is(e) {
			begin = i + 1
		}
	}
	return tellAll(p.history, begin)
}

// tellAll builds the past of events, of which the first ones are forgotten, though answers find their calls there.
func tellAll(h history, begin int) *past {
	p := &past{events: h.events[begin:], history: h}
	var waiting []*done
	for i, e := range h.events {
		p.current, p.fresh = e, nil
		switch e.Type {
		case spec.ToolCall:
			d := &done{tool: e.Tool, args: h.sorted[i], kept: h.kept[i], thought: e.Thought, call: e}
			waiting = append(waiting, d)
			p.fresh = d
			if i >= begin {
				p.calls = append(p.calls, d)
			}
		case spec.ToolResult, spec.ErrorEvent:
			if len(waiting) == 0 {
				continue
			}
			d := waiting[0]
			waiting = waiting[1:]
			d.answered, d.text, d.ok = true, e.Content+e.Message, e.Type == spec.ToolResult && e.OK
			p.fresh = d
			if i >= begin {
				p.results = append(p.results, d)
			}
		}
	}
	return p
}

// tail returns how many of the last are like the last one.
func tail(list []*done, like func(a, b *done) bool) (n int) {
	for _, d := range slices.Backward(list) {
		if !like(d, list[len(list)-1]) {
			break
		}
		n++
	}
	return n
}

// laps returns how often the last period of a list was played at its end.
func laps(list []*done, period int, like func(a, b *done) bool) (n int) {
	for n = 1; (n+1)*period <= len(list); n++ {
		for i := range period {
			if !like(list[len(list)-1-i], list[len(list)-1-n*period-i]) {
				return n
			}
		}
	}
	return n
}

// anyOf reports whether a list holds a text.
func anyOf(list ...string) func(string) bool {
	return func(s string) bool { return slices.Contains(list, s) }
}

// restated holds each detector of the field once more: from the whole past, without memory, and of the kind of code that
// nobody would run. What it says must be what its profile says.
var restated = map[string]func(p *past) say{
	"goose":       func(p *past) say { return inARow(p, 4, say{"repetition", "deny"}) },
	"crewai":      func(p *past) say { return inARow(p, 2, say{"repeated-usage", "refuse"}) },
	"cline":       restateCline,
	"roo":         restateRoo,
	"gemini-cli":  func(p *past) say { return found(p, geminiFinds, say{"cycle", "stop"}) },
	"qwen-code":   func(p *past) say { return found(p, qwenFinds, say{"identical-calls", "stop"}) },
	"opencode":    restateOpencode,
	"openhands":   restateOpenHands,
	"crush":       restateCrush,
	"browser-use": restateBrowserUse,
	"attocode":    restateAttocode,
	"hermes":      restateHermes,
	"openclaw":    restateOpenClaw,
	"loopstone":   restateLoopstone,
}

// restateLoopstone looks at the answered calls from their end, whatever stands between them.
func restateLoopstone(p *past) say {
	if !p.answeredJustNow() {
		return say{}
	}
	all := p.results
	equal := func(back, period int) bool {
		a, b := len(all)-1-back, len(all)-1-back-period
		return b >= 0 && all[a].sameCall(all[b]) && all[a].sameText(all[b])
	}
	if equal(0, 1) && equal(1, 1) {
		return say{"repeated", "stuck"}
	}
	for period := 2; period <= 4; period++ {
		same := true
		for back := range 2 * period { // the latest two laps are each as the lap before
			same = same && equal(back, period)
		}
		if same {
			return say{"in-turn", "stuck"}
		}
	}
	return say{}
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
	scrolls := func(d *done) bool {
		action, _ := d.call.Args.Get("action").Str()
		return d.tool == "browser_action" && (action == "scroll_down" || action == "scroll_up")
	}
	for _, d := range p.calls {
		asked = false
		switch {
		case scrolls(d):
			continue
		case last != nil && d.sameCall(last):
			repeats++
		default:
			repeats, last = 0, d
		}
		if repeats == 3 {
			repeats, last, asked = 0, nil, true
		}
	}
	if p.calledJustNow() && asked && !scrolls(p.fresh) {
		return say{"repetition", "ask"}
	}
	return say{}
}

// found says so at each call since the user's message from the first one on at which it is found.
func found(p *past, finds func(calls []*done) bool, s say) say {
	if !p.calledJustNow() {
		return say{}
	}
	calls := p.sinceUser().calls
	for n := range calls {
		if finds(calls[:n+1]) {
			return s
		}
	}
	return say{}
}

func geminiFinds(calls []*done) bool {
	for period := 1; period <= 5; period++ {
		if laps(calls, period, (*done).keptCall) >= 5 {
			return true
		}
	}
	return false
}

func qwenFinds(calls []*done) bool { return tail(calls, (*done).keptCall) >= 5 }

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

// answeredBeforeReply reports whether a call was answered in its own step; the traces of these tests answer there or not
// at all.
func answeredBeforeReply(_ *past, d *done) bool { return d.answered }

func restateBrowserUse(p *past) say {
	if !p.calledJustNow() {
		return say{}
	}
	counts, most := map[string]int{}, 0
	for _, d := range p.calls[max(0, len(p.calls)-20):] {
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
	n := 0
	for _, d := range p.calls[max(0, len(p.calls)-20):] {
		if d.sameCall(p.fresh) {
			n++
		}
	}
	if n >= 3 {
		return say{"doom-loop", "stop"}
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

// restateHermes counts failures since the last success and the last change, and results since the last other one.
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
	case same >= 8 && !tolerant(p.fresh.tool):
		return say{"same-tool-failure-halt", "halt"}
	case exact >= 2:
		return say{"exact-failure", "warn"}
	case same >= 3:
		return say{"same-tool-failure", "warn"}
	}
	if s := hermesRepeats(now.results); s != (say{}) {
		return s
	}
	if reads(p.fresh.tool) && news >= 2 {
		return say{"no-progress", "warn"}
	}
	return say{}
}

func hermesRepeats(results []*done) say {
	both := func(a, b *done) bool { return a.sameCall(b) && a.sameText(b) }
	rung := func(n int) string {
		if n >= 5 {
			return "halt"
		}
		return "notice"
	}
	last := results[len(results)-1]
	n := tail(results, both)
	if n >= 3 && !polls(last.tool) {
		return say{"identical-call", rung(n)}
	}
	for period := 2; period <= 4; period++ {
		if n >= period {
			continue // a lap of equal calls is a repeat
		}
		polled := !slices.ContainsFunc(results[max(0, len(results)-period):], func(d *done) bool { return !polls(d.tool) })
		if n := laps(results, period, both); n >= 3 && !polled {
			return say{"identical-cycle", rung(n)}
		}
	}
	return say{}
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

// traces is how many traces each profile is held against.
func traces() int {
	n, err := strconv.Atoi(os.Getenv("LOOPSTONE_TRACES"))
	if err != nil {
		return 1000
	}
	return n
}

// TestProfilesSayWhatTheirDetectorsSay holds each profile against its restatement. LOOPSTONE_TRACES says on how many
// traces.
func TestProfilesSayWhatTheirDetectorsSay(t *testing.T) {
	t.Parallel()
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	spoken := map[string]map[say]int{}
	for _, p := range all {
		if restated[p.Name] == nil {
			t.Fatalf("nothing restates @%s", p.Name)
		}
		spoken[p.Name] = map[say]int{}
	}
	generator := rapid.Custom(trace)
	for seed := range traces() {
		compare(t, all, generator.Example(seed), spoken)
	}
	for _, p := range all {
		allSpeak(t, p, spoken[p.Name])
		t.Logf("@%s, %d traces: %v", p.Name, traces(), spoken[p.Name])
	}
}

func compare(t *testing.T, all []Profile, events []spec.Event, spoken map[string]map[say]int) {
	t.Helper()
	detectors := make([]spec.Detector, len(all))
	for i, p := range all {
		detectors[i], _ = composed.Implementation().New(spec.Code, p.Config()) // Parse has seen that it opens
	}
	h := historyOf(events)
	for n, e := range events {
		past := tellAll(h.until(n+1), 0)
		for i, p := range all {
			v := detectors[i].Observe(e)
			got, want := say{v.Rule, v.Rung}, restated[p.Name](past)
			if got != want {
				for _, e := range events[:n+1] {
					t.Logf("%s %s%s %s %s%s ok %v", e.Type, e.Tool, e.Args, e.Role, e.Content, e.Message, e.OK)
				}
				t.Fatalf("event %d: @%s says %q, its restatement %q", n, p.Name, got, want)
			}
			spoken[p.Name][got]++
		}
	}
}

// allSpeak demands that each rung of each rule was heard, and silence.
func allSpeak(t *testing.T, p Profile, spoken map[say]int) {
	t.Helper()
	if spoken[say{}] == 0 {
		t.Error("it is never silent")
	}
	for _, r := range p.Rules.Items() {
		for _, g := range r.Get("rungs").Items() {
			rule, _ := r.Get("name").Str()
			rung, _ := g.Get("name").Str()
			if spoken[say{rule, rung}] == 0 {
				t.Errorf("no trace makes %s %s speak", rule, rung)
			}
		}
	}
}

// trace draws what one agent did: calls that are answered at once, now and then in a reply, and messages. Motifs repeat,
// a few of them for long.
func trace(t *rapid.T) []spec.Event {
	var events []spec.Event
	for range rapid.IntRange(1, 4).Draw(t, "motifs") {
		letters := rapid.SliceOfN(rapid.Custom(letter), 1, 3).Draw(t, "letters")
		most := 7
		if rapid.IntRange(0, 19).Draw(t, "long") == 0 {
			most = 36
		}
		for range rapid.IntRange(1, most).Draw(t, "rounds") {
			for _, l := range letters {
				events = append(events, l...)
			}
			if rapid.IntRange(0, 15).Draw(t, "odd") == 0 {
				events = append(events, letter(t)...)
			}
		}
	}
	for i := range events {
		events[i].Index = i
	}
	return events
}

func pick(t *rapid.T, texts ...string) string { return rapid.SampledFrom(texts).Draw(t, "text") }

func letter(t *rapid.T) []spec.Event {
	reply := spec.Event{Type: spec.Reply}
	switch rapid.IntRange(0, 19).Draw(t, "letter") {
	case 0:
		return []spec.Event{{Type: spec.Message, Role: spec.User, Content: "go on"}}
	case 1:
		return []spec.Event{{Type: spec.Message, Role: spec.Assistant, Content: pick(t, "hm", "ok")}}
	case 2:
		return []spec.Event{reply}
	case 3, 4:
		return slices.Concat([]spec.Event{reply}, call(t), call(t))
	case 5, 6, 7, 8:
		return append([]spec.Event{reply}, call(t)...)
	default:
		return call(t)
	}
}

// call draws a call and its answer. What fails says so in its text, as it does in most agents.
func call(t *rapid.T) []spec.Event {
	e := spec.Event{Type: spec.ToolCall, Tool: pick(t, "read_file", "read_file", "terminal", "write_file", "job_poll",
		"process_manage", "browser_action", "process", "command_status", "search_files")}
	e.Args = spec.MustParse(pick(t, `{}`, `{}`, `{"path":"a","n":1}`, `{"n":1,"path":"a"}`, `{"action":"poll"}`, `{"action":"scroll_up"}`))
	if rapid.IntRange(0, 7).Draw(t, "thought") == 0 {
		e.Thought, e.HasThought = "again", true
	}
	answer := spec.Event{Type: spec.ToolResult, Content: pick(t, "x", "x", "y"), OK: true}
	switch rapid.IntRange(0, 5).Draw(t, "failed") {
	case 0:
		answer = spec.Event{Type: spec.ToolResult, Content: pick(t, "failed x", "failed y")}
	case 1:
		answer = spec.Event{Type: spec.ErrorEvent, Message: "failed x"}
	}
	return []spec.Event{e, answer}
}
