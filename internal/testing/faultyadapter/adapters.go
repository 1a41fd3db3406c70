//go:build unix

package faultyadapter

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/spec"
)

// Adapters lists them all. Unless its name says otherwise, an adapter is honest until its answer number 3 (or that
// after the @ of its name) and goes wrong then.
func Adapters() []Adapter {
	return slices.Concat(healthy(), late(), wrongLines(), wrongAnswers(), huge(), leaving(), lingering())
}

// healthy adapters look odd and are right.
func healthy() []Adapter {
	return []Adapter{
		{Name: "healthy", About: "does all as it should"},
		{Name: "crlf", About: "ends its lines with \\r\\n", spoil: always(func(line []byte) {
			emit(string(line) + "\r\n")
		})},
		{Name: "slow", About: "takes a little while for every answer", spoil: always(func(line []byte) {
			time.Sleep(10 * time.Millisecond)
			emit(string(line) + "\n")
		})},
		{Name: "drip", About: "prints an answer byte by byte", spoil: once(func(line []byte) { drip(string(line) + "\n") })},
		{Name: "chatty-stderr", About: "never stops writing to stderr", start: func() {
			go func() {
				for {
					fmt.Fprintln(os.Stderr, strings.Repeat("noise ", 100))
				}
			}()
		}},
		{Name: "hermit", About: "serves from a process in a session of its own", start: func() {
			child := again(Env+"=healthy", &syscall.SysProcAttr{Setsid: true})
			_ = child.Wait() // its status is looked at
			os.Exit(child.ProcessState.ExitCode())
		}},
		{Name: "slow-start", About: "takes a while before it answers at all", start: func() {
			time.Sleep(300 * time.Millisecond)
		}},
		{Name: "flood-stderr", About: "writes a lot to stderr before an answer", spoil: once(func(line []byte) {
			for range 50 {
				fmt.Fprintln(os.Stderr, strings.Repeat("noise ", 1000))
			}
			emit(string(line) + "\n")
		})},
		{Name: "odd-code", About: "answers with an error code that the protocol does not have", spoil: edit(instead(
			`{"code":-32000,"message":"out of order"}`,
		))},
	}
}

// drip prints a text byte by byte.
func drip(text string) {
	for _, b := range []byte(text) {
		emit(string([]byte{b}))
		time.Sleep(time.Millisecond)
	}
}

// instead makes a change that puts an error in place of the result.
func instead(fault string) func(spec.Value) spec.Value {
	return func(answer spec.Value) spec.Value {
		return answer.Without("result").With("error", spec.MustParse(fault))
	}
}

// late adapters keep a client waiting.
func late() []Adapter {
	late := func(name, about string, do func(line []byte)) Adapter {
		return Adapter{Name: name, About: about, Reason: stdio.TimedOut, spoil: always(do)}
	}
	return []Adapter{
		late("hang", "reads on, but answers no more", func([]byte) {}),
		late("freeze", "neither answers nor reads any more", func([]byte) { sleep() }),
		late("late", "answers, but only after ten seconds", func(line []byte) {
			time.Sleep(10 * time.Second)
			emit(string(line) + "\n")
		}),
		late("half-line", "prints half an answer and falls silent", func(line []byte) {
			emit(string(line[:len(line)/2]))
			sleep()
		}),
		late("stop", "stops itself, as Ctrl-Z does", func([]byte) {
			_ = syscall.Kill(os.Getpid(), syscall.SIGSTOP)
			sleep()
		}),
		late("drip-on", "drips a line that never ends", func([]byte) {
			for end := time.Now().Add(lifetime); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
				emit(" ")
			}
		}),
		late("close-input", "closes its input and lives on", func([]byte) {
			_ = os.Stdin.Close()
			sleep()
		}),
		late("half-hello", "prints half of its first answer and falls silent", func(line []byte) {
			emit(string(line[:len(line)/2]))
			sleep()
		}).at(1),
		unflushed(),
		{Name: "deaf", About: "never reads its input", Reason: stdio.TimedOut, start: sleep},
	}
}

// unflushed keeps its answers in a buffer, as most languages do where nobody tells them to write.
func unflushed() Adapter {
	var kept []byte
	keep := func(_ *stage, line []byte) bool {
		kept = append(append(kept, line...), '\n')
		return true
	}
	return Adapter{
		Name: "unflushed", About: "writes its answers when its input ends", Reason: stdio.TimedOut,
		answer: 1, spoil: keep, end: func() { emit(string(kept)) },
	}
}

// wrongLines are adapters whose output is no sequence of answers.
func wrongLines() []Adapter {
	wrong := func(name, about string, do func(line []byte)) Adapter {
		return Adapter{Name: name, About: about, Reason: stdio.BrokeProtocol, spoil: always(do)}
	}
	return []Adapter{
		wrong("garbage", "prints a line that is not JSON", func(line []byte) {
			emit("debug: about to answer\n" + string(line) + "\n")
		}),
		wrong("long-garbage", "prints a long line that is not JSON", func([]byte) {
			emit(strings.Repeat("é", 1000) + "\n")
		}),
		wrong("empty-line", "prints an empty line before an answer", func(line []byte) { emit("\n" + string(line) + "\n") }),
		wrong("array", "wraps an answer in an array", func(line []byte) { emit("[" + string(line) + "]\n") }),
		wrong("no-newline", "prints a last answer without a newline", func(line []byte) {
			emit(string(line))
			os.Exit(0)
		}),
		wrong("duplicate", "prints an answer twice", func(line []byte) { emit(string(line) + "\n" + string(line) + "\n") }),
		wrong("flood-stdout", "prints a line that never ends", func([]byte) { flood(strings.Repeat("x", 1<<16)) }),
		wrong("flood-answers", "prints an answer for ever", func(line []byte) { flood(string(line) + "\n") }),
		wrong("binary", "prints bytes that are no text", func([]byte) { emit("\x00\xff\xfe\n") }),
		wrong("two-lines", "prints an answer on two lines", func(line []byte) {
			emit(strings.Replace(string(line), ",", ",\n", 1) + "\n")
		}),
		wrong("twice-member", "names a member of an answer twice", func(line []byte) {
			emit(strings.TrimSuffix(string(line), "}") + `,"jsonrpc":"2.0"}` + "\n")
		}),
		wrong("deep", "nests a member 20,000 deep", func(line []byte) {
			const depth = 20_000
			emit(strings.TrimSuffix(string(line), "}") + `,"x":` + strings.Repeat("[", depth) + strings.Repeat("]",
				depth) + "}\n")
		}),
		wrong("notify", "sends a notification of its own", func(line []byte) {
			emit(`{"jsonrpc":"2.0","method":"log","params":{}}` + "\n" + string(line) + "\n")
		}),
		wrong("eager", "answers the next request before it arrives", func(line []byte) {
			answer, err := spec.ParseValue(line)
			if id, isNumber := answer.Get("id").Int(); err == nil && isNumber {
				line = append(line, fmt.Sprintf("\n"+`{"jsonrpc":"2.0","id":%d,"result":{}}`, id+1)...)
			}
			emit(string(line) + "\n")
		}),
		wrong("close-output", "closes its output and lives on", func([]byte) {
			_ = os.Stdout.Close()
			sleep()
		}),
		{Name: "banner", About: "greets its user on stdout", Reason: stdio.BrokeProtocol, start: func() {
			emit("Loop detector 1.0, ready.\n")
		}},
		{
			Name: "swap", About: "answers two requests in the wrong order, where they came together",
			Reason: stdio.BrokeProtocol, spoil: swap(),
		},
	}
}

// swap keeps an answer back until the next one was printed.
func swap() func(*stage, []byte) bool {
	var kept []byte
	return func(s *stage, line []byte) bool {
		if s.n == s.next {
			kept = bytes.Clone(line)
			return true
		}
		emit(string(line) + "\n" + string(kept) + "\n")
		return true
	}
}

func flood(text string) {
	for end := time.Now().Add(lifetime); time.Now().Before(end); {
		emit(text)
	}
}

// wrongAnswers are adapters whose answers have a wrong shape.
func wrongAnswers() []Adapter {
	wrong := func(name, about string, change func(spec.Value) spec.Value) Adapter {
		return Adapter{Name: name, About: about, Reason: stdio.BrokeProtocol, spoil: edit(change)}
	}
	verdicts := func(change func([]spec.Value) []spec.Value) func(spec.Value) spec.Value {
		return inResult("verdicts", func(list spec.Value) spec.Value {
			return spec.ArrayValue(change(slices.Clone(list.Items()))...)
		})
	}
	description := func(name, value string) func(spec.Value) spec.Value {
		return inResult(name, func(spec.Value) spec.Value { return spec.MustParse(value) })
	}
	return []Adapter{
		wrong("wrong-id", "answers with an id that no request has", member("id", "424242")),
		wrong("old-id", "answers with the id of the first request", member("id", "1001")),
		wrong("own-id", "numbers its answers itself", member("id", "1")).at(1),
		wrong("float-id", "writes the id 3 as 3.0", func(answer spec.Value) spec.Value {
			return answer.With("id", spec.MustParse(answer.Get("id").String()+".0"))
		}),
		wrong("string-id", "answers with the id as a string", func(answer spec.Value) spec.Value {
			return answer.With("id", spec.StringValue(answer.Get("id").String()))
		}),
		wrong("null-id", "answers with a null id", member("id", "null")),
		wrong("old-version", "uses JSON-RPC 1.0", member("jsonrpc", `"1.0"`)),
		wrong("no-result", "answers with neither result nor error", func(answer spec.Value) spec.Value {
			return answer.Without("result")
		}),
		wrong("both", "answers with result and error", member("error", `{"code":-32602,"message":"but"}`)),
		wrong("null-result", "answers with null for a result", member("result", "null")),
		wrong("bad-error", "answers with an error that is a text", instead(`"no"`)),
		wrong("wrong-type", "says loop: \"yes\"", verdicts(func(list []spec.Value) []spec.Value {
			list[0] = list[0].With("loop", spec.StringValue("yes"))
			return list
		})),
		wrong("none", "returns nothing for a verdict", verdicts(func(list []spec.Value) []spec.Value {
			list[0] = spec.NullValue()
			return list
		})),
		wrong("few-verdicts", "leaves the last verdict out", verdicts(func(list []spec.Value) []spec.Value {
			return list[:len(list)-1]
		})),
		wrong("many-verdicts", "gives one verdict too many", verdicts(func(list []spec.Value) []spec.Value {
			return append(list, spec.MustParse(`{"loop":false}`))
		})),
		wrong("other-protocol", "declares version 2 of the protocol", description("protocol", "2")).at(1),
		wrong("bad-description", "has a number for a name", description("name", "7")).at(1),
	}
}

// huge adapters give verdicts that are legal, and larger than any detector's.
func huge() []Adapter {
	wrong := func(name, about, member string, value func() spec.Value) Adapter {
		about = "gives in each verdict " + about
		return Adapter{Name: name, About: about, spoil: always(func(line []byte) {
			answer, err := spec.ParseValue(line)
			list := slices.Clone(answer.Get("result").Get("verdicts").Items())
			if err != nil || len(list) == 0 {
				emit(string(line) + "\n")
				return
			}
			list[0] = list[0].With("loop", spec.BoolValue(true)).With(member, value())
			result := answer.Get("result").With("verdicts", spec.ArrayValue(list...))
			emit(answer.With("result", result).String() + "\n")
		})}
	}
	return []Adapter{
		wrong("huge-count", "a count of 300,000 digits", "count", func() spec.Value {
			return spec.NumberValue("1" + strings.Repeat("0", 300_000))
		}),
		wrong("huge-kind", "a kind of 8 MB", "kind",
			func() spec.Value { return spec.StringValue(strings.Repeat("k", 8<<20)) }),
		wrong("huge-evidence", "30,000 indices", "evidence", func() spec.Value {
			return spec.IntsValue(make([]int, 30_000))
		}),
	}
}

// leaving adapters end when nobody asked them to.
func leaving() []Adapter {
	leave := func(name, about string, do func(line []byte)) Adapter {
		return Adapter{Name: name, About: about, Reason: stdio.Exited, spoil: always(do)}
	}
	return []Adapter{
		{Name: "exit-at-once", About: "exits with status 7 before it reads anything", Reason: stdio.Exited, start: func() {
			fmt.Fprintln(os.Stderr, "cannot find my configuration")
			os.Exit(7)
		}},
		leave("exit", "exits with status 3 instead of answering", func([]byte) {
			fmt.Fprintln(os.Stderr, "that was too much")
			os.Exit(3)
		}),
		leave("exit-0", "exits with status 0 instead of answering", func([]byte) { os.Exit(0) }),
		leave("half-exit-0", "exits in the middle of an answer, with status 0", func(line []byte) {
			emit(string(line[:len(line)/2]))
			os.Exit(0)
		}),
		leave("exit-hello", "exits with status 0 after its first answer", func(line []byte) {
			emit(string(line) + "\n")
			os.Exit(0)
		}).at(1),
		leave("traceback", "dies as Python does, with the message at the end", func([]byte) {
			fmt.Fprintln(os.Stderr, "Traceback (most recent call last):")
			for i := range 60 {
				fmt.Fprintf(os.Stderr, "  File \"port.py\", line %d, in observe\n    self.observe(event)\n", i)
			}
			fmt.Fprintln(os.Stderr, "NameError: name 'widnow' is not defined")
			os.Exit(1)
		}),
		leave("weary", "dies after the sixth answer of each process", func([]byte) { os.Exit(3) }).at(6),
		{
			Name: "crowded", About: "dies where two sessions are open at once", Reason: stdio.Exited,
			spoil: func(s *stage, _ []byte) bool {
				if s.open > 1 {
					os.Exit(3)
				}
				return false
			},
		},
		{
			Name: "changeling", About: "dies, and is another port whenever it is started", Reason: stdio.Exited, answer: 1,
			spoil: changeling(),
		},
		leave("exit-after", "answers, and exits with status 3 when nobody waits for it", func(line []byte) {
			emit(string(line) + "\n")
			os.Exit(3)
		}),
		leave("half-exit", "exits in the middle of an answer", func(line []byte) {
			emit(string(line[:len(line)/2]))
			os.Exit(3)
		}),
		leave("crash", "is killed by a signal", func([]byte) {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			sleep()
		}),
		leave("orphan", "leaves a process behind that holds its pipes open, and exits with status 3", func([]byte) {
			leaveBehind(nil)
			os.Exit(3)
		}),
		leave("runaway", "leaves a process behind, out of its process group, and exits with status 3", func([]byte) {
			leaveBehind(&syscall.SysProcAttr{Setsid: true})
			os.Exit(3)
		}),
	}
}

// changeling has the number of its process in its name, and dies instead of its third answer.
func changeling() func(*stage, []byte) bool {
	rename := edit(inResult("name",
		func(spec.Value) spec.Value { return spec.StringValue(fmt.Sprintf("port %d", os.Getpid())) }))
	return func(s *stage, line []byte) bool {
		if s.n == defaultAnswer {
			os.Exit(3)
		}
		return rename(s, line)
	}
}

// lingering adapters are hard to end.
func lingering() []Adapter {
	return []Adapter{
		{Name: "stubborn", About: "heeds neither the end of its input nor SIGTERM", end: sleep, start: func() {
			signal.Ignore(syscall.SIGTERM)
		}},
		{Name: "linger", About: "answers shutdown, but lives on", end: sleep},
		{Name: "bad-exit", About: "exits with status 1 after an orderly shutdown", end: func() { os.Exit(1) }},
		{Name: "nursery", About: "leaves a process behind when it is shut down", end: func() { leaveBehind(nil) }},
		{
			Name: "mute-shutdown", About: "shuts down without an answer",
			spoil: func(s *stage, _ []byte) bool { return s.down },
		},
	}
}

// sleeper is the name of the process that is left behind.
const sleeper = "sleeper"

// leaveBehind starts a process that holds all our pipes open and does nothing.
func leaveBehind(attributes *syscall.SysProcAttr) {
	again(Env+"="+sleeper, attributes)
}

// again starts this binary with our pipes and one more variable.
func again(variable string, attributes *syscall.SysProcAttr) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), variable)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = attributes
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	return cmd
}
