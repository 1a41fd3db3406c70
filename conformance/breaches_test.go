//go:build unix

package conformance_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loopstone/loopstone/spec"
)

// breaches lists adapters that break one clause each, in the order of the clauses. Clauses that only a trace can show
// broken (PR-31, PR-33 and those after it) are the business of cases.
func breaches() []breach {
	return slices.Concat(badLines(), badSilence(), badMethods(), badRefusals(), badEvents())
}

func badLines() []breach {
	return []breach{
		{clause: "PR-1", about: "takes what one read returned for a line", input: func(r io.Reader) io.Reader { return &chunks{r: r} }},
		{clause: "PR-1", about: "answers twice", answer: func(_, a spec.Value) string { return lineOf(a) + lineOf(a) }},
		{clause: "PR-2", about: "turns a number into a text", answer: func(_, a spec.Value) string {
			if a.Get("id").Kind() == spec.Number {
				a = a.With("id", spec.StringValue(a.Get("id").String()))
			}
			return lineOf(a)
		}},
		{clause: "PR-2", about: "turns a text into a number", answer: func(_, a spec.Value) string {
			if id, _ := a.Get("id").Str(); id == "7" {
				a = a.With("id", spec.IntValue(7))
			}
			return lineOf(a)
		}},
		{clause: "PR-2", about: "keeps 32 bits of an id", answer: func(_, a spec.Value) string {
			if id, isInt := a.Get("id").Int(); isInt {
				a = a.With("id", spec.IntValue(int(int32(id))))
			}
			return lineOf(a)
		}},
		{clause: "PR-2", about: "leaves the version out", answer: func(_, a spec.Value) string { return lineOf(a.Without("jsonrpc")) }},
		{clause: "PR-2", about: "adds a null error to a result", answer: func(_, a spec.Value) string {
			if a.Get("error").IsAbsent() {
				a = a.With("error", spec.NullValue())
			}
			return lineOf(a)
		}},
		{clause: "PR-3", about: "answers unknown methods before what came earlier", memory: holdingBack},
		{clause: "PR-4", about: "refuses members that it does not know", answer: func(r, a spec.Value) string {
			for _, m := range append(r.Members(), r.Get("params").Members()...) {
				if m.Name == "trace" || m.Name == "note" || m.Name == "hint" {
					return refusal(r, -32602, `{"kind":"invalid_params"}`)
				}
			}
			return lineOf(a)
		}},
		{clause: "PR-4", about: "refuses members of events that it does not know", answer: func(r, a spec.Value) string {
			for _, e := range r.Get("params").Get("events").Items() {
				if !e.Get("colour").IsAbsent() {
					return refusal(r, -32602, `{"kind":"invalid_event","field":"colour"}`)
				}
			}
			return lineOf(a)
		}},
		{clause: "PR-9", about: "prints everything beyond ASCII as question marks", answer: func(_, a spec.Value) string {
			return strings.Map(func(r rune) rune {
				if r > 127 {
					return '?'
				}
				return r
			}, lineOf(a))
		}},
		{clause: "PR-9", about: "takes an escaped name for another", read: func(line string) string {
			return strings.ReplaceAll(line, `\u`, `\\u`)
		}},
		{clause: "PR-10", about: "reads lines of 64 KiB at most", read: func(line string) string {
			if len(line) > 1<<16 {
				fail("line too long", 1)
			}
			return line
		}},
	}
}

// badSilence lists breaches of what is to be printed where nothing was asked, and of the end.
func badSilence() []breach {
	return []breach{
		{clause: "PR-5", about: "complains of empty lines", silent: func(line string) string {
			if strings.TrimSpace(line) != "" {
				return ""
			}
			return refusal(spec.MustParse(`{"id":null}`), -32700, `{}`)
		}},
		{clause: "PR-6", about: "answers notifications", silent: func(line string) string {
			if strings.TrimSpace(line) == "" {
				return ""
			}
			return accept(spec.MustParse(`{"id":null}`), `{}`)
		}},
		{clause: "PR-6", about: "does not act on notifications", read: func(line string) string {
			if strings.TrimSpace(line) != "" && !isAnswered(line) {
				return ""
			}
			return line
		}},
		{clause: "PR-6", about: "does not observe what it is notified of", read: func(line string) string {
			if strings.Contains(line, `"session/observe"`) && !isAnswered(line) {
				return ""
			}
			return line
		}},
		{clause: "PR-6", about: "does not reset when it is notified", read: func(line string) string {
			if strings.Contains(line, `"session/reset"`) && !isAnswered(line) {
				return ""
			}
			return line
		}},
		{clause: "PR-7", about: "says goodbye on standard output", end: func() { fmt.Println("goodbye") }},
		{clause: "PR-7", about: "logs on standard output", answer: onMethod("session/close", func(_, a spec.Value) string {
			return lineOf(a) + "closed a session\n"
		})},
		{clause: "PR-8", about: "exits with status 1 at the end of input", end: func() { os.Exit(1) }},
		{clause: "PR-8", about: "stays when its input ends", end: func() { time.Sleep(time.Minute) }},
	}
}

// renamed makes a breach's answer: to initialize, with another name in place of one.
func renamed(name, other string) func(request, answer spec.Value) string {
	return onMethod("initialize", func(_, answer spec.Value) string {
		return strings.Replace(lineOf(answer), name, other, 1)
	})
}

func badMethods() []breach {
	return []breach{
		{clause: "PR-11", about: "does not say its language", answer: onMethod("initialize", func(_, a spec.Value) string {
			return lineOf(a.With("result", a.Get("result").Without("language")))
		})},
		{clause: "PR-11", about: "is of another version in each process", answer: onMethod("initialize", func(_, answer spec.Value) string {
			return lineOf(answer.With("result", answer.Get("result").With("version", spec.StringValue(strconv.Itoa(os.Getpid())))))
		})},
		{clause: "PR-45", about: "has an id with a letter that looks like another", answer: renamed(`"history"`, `"hist\u043ery"`)},
		{clause: "PR-45", about: "has a reading with a comma", answer: renamed(`"code"`, `"co,de"`)},
		{clause: "PR-12", about: "wants to be greeted first", memory: remember(func(state map[string]bool, r, a spec.Value) string {
			state["greeted"] = state["greeted"] || methodOf(r) == "initialize"
			if !state["greeted"] {
				return refusal(r, -32600, `{}`)
			}
			return lineOf(a)
		})},
		{clause: "PR-13", about: "opens a name twice", answer: onMethod("session/open", func(r, a spec.Value) string {
			message, _ := a.Get("error").Get("message").Str()
			if strings.Contains(message, "open already") {
				return accept(r, `{}`)
			}
			return lineOf(a)
		})},
		{clause: "PR-13", about: "has no empty name", answer: onMethod("session/open", func(r, a spec.Value) string {
			if name, isText := r.Get("params").Get("session").Str(); isText && name == "" {
				return refusal(r, -32602, `{"kind":"invalid_params"}`)
			}
			return lineOf(a)
		})},
		{clause: "PR-13", about: "cuts long names", read: cutNames(1000)},
		{clause: "PR-13", about: "cuts a name at U+0000", read: func(line string) string {
			return strings.ReplaceAll(line, `"session":"\u0000"`, `"session":""`)
		}},
		{clause: "PR-13", about: "normalises names", read: func(line string) string {
			return strings.ReplaceAll(line, "e\u0301", "\u00e9")
		}},
		{clause: "PR-13", about: "opens a name as it was when it was closed", memory: remember(func(state map[string]bool, r, a spec.Value) string {
			name := r.Get("params").Get("session").String()
			events := r.Get("params").Get("events")
			switch {
			case methodOf(r) == "session/close":
				state["closed "+name] = state[name]
			case methodOf(r) == "session/open":
				state[name] = state["closed "+name]
			case len(events.Items()) > 0 && state[name]:
				return accept(r, `{"verdicts":[{"loop":true,"kind":"repeat","count":3}]}`)
			case len(events.Items()) > 1:
				state[name] = true
			}
			return lineOf(a)
		})},
		{clause: "PR-26", about: "empties a session that is opened again", memory: emptying},
		{clause: "PR-15", about: "forgets everything at an empty batch", read: func(line string) string {
			if strings.Contains(line, `"events":[]`) {
				line = strings.Replace(line, `"session/observe"`, `"session/reset"`, 1)
			}
			return line
		}, answer: onMethod("session/reset", func(r, a spec.Value) string {
			if a.Get("error").IsAbsent() && !r.Get("params").Get("events").IsAbsent() {
				return accept(r, `{"verdicts":[]}`)
			}
			return lineOf(a)
		})},
		{clause: "PR-14", about: "gives the last verdict only", answer: onMethod("session/observe", func(r, a spec.Value) string {
			verdicts := a.Get("result").Get("verdicts").Items()
			if len(verdicts) < 2 {
				return lineOf(a)
			}
			return accept(r, `{"verdicts":[`+verdicts[len(verdicts)-1].String()+`]}`)
		})},
		{clause: "PR-14", about: "refuses an empty batch", answer: onMethod("session/observe", func(r, a spec.Value) string {
			if len(a.Get("result").Members()) > 0 && len(a.Get("result").Get("verdicts").Items()) == 0 {
				return refusal(r, -32602, `{"kind":"invalid_params"}`)
			}
			return lineOf(a)
		})},
		{clause: "PR-16", about: "closes a session on reset", read: func(line string) string {
			return strings.Replace(line, `"session/reset"`, `"session/close"`, 1)
		}},
		{clause: "PR-17", about: "knows a closed name", answer: onMethod("session/observe", func(r, a spec.Value) string {
			if kindOf(a) == "unknown_session" && len(r.Get("params").Get("events").Items()) == 0 {
				return accept(r, `{"verdicts":[]}`)
			}
			return lineOf(a)
		})},
		{clause: "PR-17", about: "closes nothing", read: func(line string) string {
			return strings.Replace(line, `"session/close"`, `"session/reset"`, 1)
		}},
		{clause: "PR-18", about: "has one session at a time", memory: remember(func(state map[string]bool, r, a spec.Value) string {
			name := r.Get("params").Get("session").String()
			switch methodOf(r) {
			case "session/open":
				clear(state)
				state[name] = true
			case "session/close", "session/observe":
				if a.Get("error").IsAbsent() && !state[name] {
					return refusal(r, -32602, `{"kind":"unknown_session"}`)
				}
			}
			return lineOf(a)
		})},
		{clause: "PR-18", about: "has 100 sessions at most", memory: remember(func(state map[string]bool, r, a spec.Value) string {
			name := r.Get("params").Get("session").String()
			switch {
			case methodOf(r) == "session/close":
				delete(state, name)
			case methodOf(r) == "session/open" && len(state) >= 100:
				return refusal(r, -32602, `{"kind":"invalid_params"}`)
			case methodOf(r) == "session/open" && a.Get("error").IsAbsent():
				state[name] = true
			}
			return lineOf(a)
		})},
		{clause: "PR-19", about: "stays after shutdown", end: waitForEndOfInput},
		{clause: "PR-19", about: "exits with status 1 after shutdown", answer: onMethod("shutdown", func(_, a spec.Value) string {
			if a.Get("error").IsAbsent() {
				fmt.Print(lineOf(a))
				os.Exit(1)
			}
			return lineOf(a)
		})},
		{clause: "PR-19", about: "leaves without an answer to shutdown", answer: onMethod("shutdown", func(_, a spec.Value) string {
			if a.Get("error").IsAbsent() {
				os.Exit(0)
			}
			return lineOf(a)
		})},
	}
}

func badRefusals() []breach {
	unknown := func(data string) func(spec.Value) string {
		return func(r spec.Value) string { return refusal(r, -32602, data) }
	}
	return []breach{
		{clause: "PR-20", about: "dies of what is not JSON", answer: onCode(-32700, func(_, _ spec.Value) string {
			fail("SyntaxError", 1)
			return ""
		})},
		{clause: "PR-20", about: "ignores what is not JSON", answer: onCode(-32700, func(_, _ spec.Value) string { return "" })},
		{clause: "PR-20", about: "skips a byte order mark", read: func(line string) string {
			return strings.TrimPrefix(line, "\ufeff")
		}},
		{clause: "PR-20", about: "skips what follows an object", read: func(line string) string {
			return strings.TrimSuffix(line, " xyz")
		}},
		{clause: "PR-21", about: "takes any version", answer: onCode(-32600, func(r, a spec.Value) string {
			if r.Get("jsonrpc").String() == `"1.0"` {
				return accept(r, `{}`)
			}
			return lineOf(a)
		})},
		{clause: "PR-21", about: "takes batches", answer: onCode(-32600, func(r, a spec.Value) string {
			if r.Kind() == spec.Array {
				return "[" + strings.TrimSpace(accept(r.Items()[0], `{}`)) + "]\n"
			}
			return lineOf(a)
		})},
		{clause: "PR-21", about: "echoes an id that is none", answer: onCode(-32600, func(r, a spec.Value) string {
			if r.Get("id").Kind() == spec.Object {
				a = a.With("id", r.Get("id"))
			}
			return lineOf(a)
		})},
		{clause: "PR-22", about: "takes an unknown method for bad params", answer: onCode(-32601, func(r, _ spec.Value) string {
			return refusal(r, -32602, `{"kind":"invalid_params"}`)
		})},
		{clause: "PR-22", about: "takes capitals for small letters", read: func(line string) string {
			return strings.Replace(line, `"Session/Close"`, `"session/close"`, 1)
		}},
		{clause: "PR-23", about: "refuses without a kind", answer: onCode(-32602, func(r, _ spec.Value) string { return refusal(r, -32602, `{}`) })},
		{clause: "PR-24", about: "takes an unknown session for bad params", answer: insteadOf("unknown_session", unknown(`{"kind":"invalid_params"}`))},
		{clause: "PR-24", about: "makes up values of unknown functions", answer: insteadOf("unknown_function", func(r spec.Value) string {
			return accept(r, `{"value":0}`)
		})},
		{clause: "PR-25", about: "does not name what it has not", answer: insteadOf("unsupported", unknown(`{"kind":"unsupported"}`))},
		{clause: "PR-26", about: "keeps the name of a session that it refused", memory: remember(func(state map[string]bool, r, a spec.Value) string {
			name := r.Get("params").Get("session").String()
			if methodOf(r) != "session/open" || a.Get("error").IsAbsent() && !state[name] {
				return lineOf(a)
			}
			state[name] = true
			if kindOf(a) != "" {
				return lineOf(a)
			}
			return refusal(r, -32602, `{"kind":"invalid_params"}`)
		})},
		{clause: "PR-27", about: "takes a number for a name", read: inParams("session/open", func(p spec.Value) spec.Value {
			if p.Get("session").Kind() == spec.Number {
				p = p.With("session", spec.StringValue(p.Get("session").String()))
			}
			return p
		})},
		{clause: "PR-49", about: "needs no name of a session", read: inParams("session/open", func(p spec.Value) spec.Value {
			if p.Get("session").IsAbsent() {
				p = p.With("session", spec.StringValue("main"))
			}
			return p
		})},
		{clause: "PR-27", about: "takes an object for a list", read: inParams("session/observe", func(p spec.Value) spec.Value {
			if p.Get("events").Kind() == spec.Object {
				p = p.With("events", spec.ArrayValue())
			}
			return p
		})},
	}
}

func badEvents() []breach {
	return []breach{
		{clause: "PR-28", about: "ignores events of unknown types", read: inEvents(func(e spec.Value) spec.Value {
			if e.Get("type").String() == `"dance"` {
				return spec.MustParse(`{"type":"test_run","passed":true}`)
			}
			return e
		})},
		{clause: "PR-28", about: "does not check what its detector does not need", read: inEvents(func(e spec.Value) spec.Value {
			if e.Get("type").String() == `"iteration"` {
				return spec.MustParse(`{"type":"test_run","passed":true}`)
			}
			return e
		})},
		{clause: "PR-28", about: "checks members of other types of events", answer: func(r, a spec.Value) string {
			for _, e := range r.Get("params").Get("events").Items() {
				ok := e.Get("ok")
				if e.Get("type").Text() != "tool_result" && !ok.IsAbsent() && ok.Kind() != spec.Bool {
					return refusal(r, -32602, `{"kind":"invalid_event","field":"ok"}`)
				}
			}
			return lineOf(a)
		}},
		{clause: "PR-53", about: "refuses negative costs", answer: func(r, a spec.Value) string {
			if strings.Contains(r.Get("params").Get("events").String(), `"cost_usd":-`) {
				return refusal(r, -32602, `{"kind":"invalid_event","field":"cost_usd"}`)
			}
			return lineOf(a)
		}},
		{clause: "PR-53", about: "takes an error without a message", read: inEvents(func(e spec.Value) spec.Value {
			if e.Get("type").String() == `"error"` && e.Get("message").IsAbsent() {
				e = e.With("message", spec.StringValue(""))
			}
			return e
		})},
		{clause: "PR-28", about: "names a member with its place", answer: insteadOf("invalid_event", func(r spec.Value) string {
			return refusal(r, -32602, `{"kind":"invalid_event","field":"events[0].tool"}`)
		})},
		{clause: "PR-29", about: "takes null for absence", read: inEvents(func(e spec.Value) spec.Value {
			for _, m := range e.Members() {
				if m.Value.Kind() == spec.Null {
					e = e.Without(m.Name)
				}
			}
			return e
		})},
		{clause: "PR-30", about: "ignores settings that it does not know", read: inParams("session/open", func(p spec.Value) spec.Value {
			return p.Without("config")
		})},
		{clause: "PR-32", about: "says loop: 0", answer: onMethod("session/observe", func(_, a spec.Value) string {
			return strings.ReplaceAll(lineOf(a), `"loop":false`, `"loop":0`)
		})},
		{clause: "PR-32", about: "has a text for a count", answer: onMethod("session/observe", func(_, a spec.Value) string {
			return strings.ReplaceAll(lineOf(a), `"count":1`, `"count":"1"`)
		})},
	}
}

// cutNames cuts the names of sessions in what is read.
func cutNames(most int) func(line string) string {
	return func(line string) string {
		request, err := spec.ParseValue([]byte(line))
		params := request.Get("params")
		name := params.Get("session").Text()
		if err != nil || len(name) <= most {
			return line
		}
		return request.With("params", params.With("session", spec.StringValue(name[:most]))).String()
	}
}

// remember makes a breach whose answers depend on what was before.
func remember(answer func(state map[string]bool, request, answer spec.Value) string) func(map[string]bool, *breach) breach {
	return func(state map[string]bool, b *breach) breach {
		changed := *b
		changed.answer = func(r, a spec.Value) string { return answer(state, r, a) }
		return changed
	}
}

// emptying resets a session that is to be opened a second time, and refuses that.
func emptying(state map[string]bool, b *breach) breach {
	changed := *b
	second := false
	changed.read = func(line string) string {
		request, _ := spec.ParseValue([]byte(line))
		name := request.Get("params").Get("session").String()
		if second = methodOf(request) == "session/open" && state[name]; second {
			return strings.Replace(line, `"session/open"`, `"session/reset"`, 1)
		}
		return line
	}
	changed.answer = func(r, a spec.Value) string {
		name := r.Get("params").Get("session").String()
		switch {
		case second:
			return refusal(r, -32602, `{"kind":"invalid_params"}`)
		case methodOf(r) == "session/open" && a.Get("error").IsAbsent():
			state[name] = true
		case methodOf(r) == "session/close":
			delete(state, name)
		}
		return lineOf(a)
	}
	return changed
}

// holdingBack keeps an answer for a moment: where an unknown method comes in the meantime, its answer overtakes.
func holdingBack(_ map[string]bool, b *breach) breach {
	changed := *b
	kept := make(chan string, 1)
	print := func() {
		select {
		case line := <-kept:
			fmt.Print(line)
		default:
		}
	}
	changed.answer = func(r, a spec.Value) string {
		if methodOf(r) == "session/open" {
			kept <- lineOf(a)
			time.AfterFunc(100*time.Millisecond, print)
			return ""
		}
		if code, _ := a.Get("error").Get("code").Int(); code != -32601 {
			print()
			return lineOf(a)
		}
		fmt.Print(lineOf(a))
		print()
		return ""
	}
	return changed
}

// waitForEndOfInput reads on until there is nothing more.
func waitForEndOfInput() { _, _ = io.Copy(io.Discard, os.Stdin) }

// chunks ends a line wherever a read ends.
type chunks struct {
	r    io.Reader
	rest []byte
}

// Read implements [io.Reader].
func (c *chunks) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		buffer := make([]byte, 1<<16)
		n, err := c.r.Read(buffer)
		if n == 0 {
			return 0, err
		}
		c.rest = append(bytes.TrimSuffix(buffer[:n], []byte{'\n'}), '\n')
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}
