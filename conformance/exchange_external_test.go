//go:build unix

package conformance_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/testing/faultyadapter"
	"github.com/loopstone/loopstone/spec"
)

// breachEnv tells this binary to be an adapter that breaks one rule of the protocol.
const breachEnv = "LOOPSTONE_BREACH"

// breach is one way to break a clause. An honest server stands behind it, which is asked one line at a time.
type breach struct {
	clause, about string

	read   func(line string) string                      // changes what is read
	answer func(request, answer spec.Value) string       // changes what is printed: lines, each with its end
	silent func(line string) string                      // is printed for a line that has no answer
	input  func(io.Reader) io.Reader                     // changes how the input is read
	memory func(state map[string]bool, b *breach) breach // makes hooks that remember
	end    func()                                        // comes instead of the exit with status 0
}

// breakIfAsked makes the process such an adapter, and exits.
func breakIfAsked() {
	name := os.Getenv(breachEnv)
	if name == "" {
		return
	}
	for _, b := range breaches() {
		if b.name() == name {
			b.serve()
			os.Exit(0)
		}
	}
	fail("no such breach: "+name, 64)
}

// name tells the breaches of a clause from one another.
func (b breach) name() string { return b.clause + " " + b.about }

// honest is the server behind a breach.
type honest struct {
	requests *io.PipeWriter
	answers  *bufio.Reader
}

func startHonest() *honest {
	in, requests := io.Pipe()
	answers, out := io.Pipe()
	go func() {
		err := stdio.Serve(context.Background(), historyPort(), in, out)
		out.CloseWithError(err)
		in.CloseWithError(io.ErrClosedPipe)
	}()
	return &honest{requests, bufio.NewReader(answers)}
}

// ask returns the server's answer, absent where the line has none.
func (h *honest) ask(line string) spec.Value {
	if _, err := io.WriteString(h.requests, line+"\n"); err != nil {
		fail("ask the honest server: "+err.Error(), 65)
	}
	if !isAnswered(line) {
		return spec.Value{}
	}
	answer, err := h.answers.ReadBytes('\n')
	if err != nil {
		fail("hear the honest server: "+err.Error(), 65)
	}
	return spec.MustParse(string(answer))
}

func isAnswered(line string) bool {
	message, err := spec.ParseValue([]byte(line))
	version, _ := message.Get("jsonrpc").Str()
	isNotification := err == nil && message.Kind() == spec.Object && message.Get("id").IsAbsent() &&
		version == "2.0" && message.Get("method").Kind() == spec.String // PR-6
	return strings.Trim(line, " \t\r") != "" && !isNotification // PR-5
}

func (b breach) serve() {
	if b.memory != nil {
		b = b.memory(map[string]bool{}, &b)
	}
	var input io.Reader = os.Stdin
	if b.input != nil {
		input = b.input(input)
	}
	server, lines := startHonest(), bufio.NewReader(input)
	for {
		line, err := lines.ReadString('\n')
		if line = strings.TrimSuffix(line, "\n"); err != nil && line == "" {
			break
		}
		if b.handle(server, line) {
			break
		}
	}
	if b.end != nil {
		b.end()
	}
}

// handle answers one line, and reports whether it was the last.
func (b breach) handle(server *honest, line string) (last bool) {
	if b.read != nil {
		line = b.read(line)
	}
	answer := server.ask(line)
	request, _ := spec.ParseValue([]byte(line)) // absent where it is not JSON
	switch {
	case answer.IsAbsent() && b.silent != nil:
		fmt.Print(b.silent(line))
	case answer.IsAbsent():
	case b.answer != nil:
		fmt.Print(b.answer(request, answer))
	default:
		fmt.Println(answer)
	}
	return methodOf(request) == "shutdown" && answer.Get("error").IsAbsent() && !answer.IsAbsent()
}

func methodOf(request spec.Value) string {
	method, _ := request.Get("method").Str()
	return method
}

// Below are the tools that breaches are made of.

// lineOf prints a message.
func lineOf(v spec.Value) string { return v.String() + "\n" }

// refusal returns the answer that refuses a request.
func refusal(request spec.Value, code int, data string) string {
	fault := spec.ObjectValue(
		spec.Member{Name: "code", Value: spec.IntValue(code)},
		spec.Member{Name: "message", Value: spec.StringValue("no")},
		spec.Member{Name: "data", Value: spec.MustParse(data)},
	)
	return lineOf(spec.MustParse(`{"jsonrpc":"2.0"}`).With("id", request.Get("id")).With("error", fault))
}

// accept returns the answer that accepts a request.
func accept(request spec.Value, result string) string {
	return lineOf(spec.MustParse(`{"jsonrpc":"2.0"}`).With("id", request.Get("id")).With("result", spec.MustParse(result)))
}

// kindOf returns the kind with which an answer refuses.
func kindOf(answer spec.Value) string {
	kind, _ := answer.Get("error").Get("data").Get("kind").Str()
	return kind
}

// insteadOf makes a breach's answer: where the kind of refusal is that, another line.
func insteadOf(kind string, other func(request spec.Value) string) func(request, answer spec.Value) string {
	return func(request, answer spec.Value) string {
		if kindOf(answer) == kind {
			return other(request)
		}
		return lineOf(answer)
	}
}

// onMethod makes a breach's answer: for one method, another line.
func onMethod(method string, other func(request, answer spec.Value) string) func(request, answer spec.Value) string {
	return func(request, answer spec.Value) string {
		if methodOf(request) == method {
			return other(request, answer)
		}
		return lineOf(answer)
	}
}

// onCode makes a breach's answer: for errors of that code, another line.
func onCode(code int, other func(request, answer spec.Value) string) func(request, answer spec.Value) string {
	return func(request, answer spec.Value) string {
		if got, _ := answer.Get("error").Get("code").Int(); got == code {
			return other(request, answer)
		}
		return lineOf(answer)
	}
}

// inParams changes the params of requests of a method before they are read.
func inParams(method string, change func(params spec.Value) spec.Value) func(line string) string {
	return func(line string) string {
		request, err := spec.ParseValue([]byte(line))
		if err != nil || methodOf(request) != method {
			return line
		}
		return request.With("params", change(request.Get("params"))).String()
	}
}

// inEvents changes each event of a batch before it is read.
func inEvents(change func(event spec.Value) spec.Value) func(line string) string {
	return inParams("session/observe", func(params spec.Value) spec.Value {
		if params.Get("events").Kind() != spec.Array {
			return params
		}
		var events []spec.Value
		for _, e := range params.Get("events").Items() {
			events = append(events, change(e))
		}
		return params.With("events", spec.ArrayValue(events...))
	})
}

// checkOwn checks this binary as an adapter and returns the exchanges that it fails.
func checkOwn(t *testing.T, variable string, limits stdio.Options) []conformance.Result {
	t.Helper()
	description, err := historyPort().Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return checkOwnAs(t, description, variable, limits)
}

// checkOwnAs checks this binary as the adapter of the port that describes itself so.
func checkOwnAs(t *testing.T, port spec.Description, variable string, limits stdio.Options) []conformance.Result {
	t.Helper()
	command := own(t, variable)
	dial := func(ctx context.Context) (*stdio.Wire, error) { return stdio.OpenWire(ctx, command, limits) }
	results, err := conformance.CheckAdapter(t.Context(), dial, port, casesOf(t, cases.Protocol), limits)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(results, func(r conformance.Result) bool { return r.Status == conformance.Passed })
}

// TestProcessesOfExchangesAreThePort: processes that describe themselves otherwise than the port did when it was
// started are the adapter's fault, which is told once.
func TestProcessesOfExchangesAreThePort(t *testing.T) {
	t.Parallel()
	for member, change := range map[string]func(*spec.Description){
		"name":     func(d *spec.Description) { d.Name = "another" },
		"version":  func(d *spec.Description) { d.Version = "another" },
		"language": func(d *spec.Description) { d.Language = "another" },
		"features": func(d *spec.Description) { d.Detectors[0].Features = []spec.Feature{spec.Messages} },
		"detectors": func(d *spec.Description) {
			d.Detectors = append(d.Detectors, spec.Offer{Detector: spec.Composed, Readings: []spec.Reading{spec.Code}})
		},
	} {
		t.Run(member, func(t *testing.T) {
			t.Parallel()
			port, err := historyPort().Describe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			port.Detectors = slices.Clone(port.Detectors)
			change(&port)
			failed := checkOwnAs(t, port, faultyadapter.Env+"=healthy", patient)
			if len(failed) != 1 || failed[0].Status != conformance.Broken || !slices.Contains(failed[0].Clauses, "PR-11") {
				t.Errorf("want one breach of PR-11, got %v", failed)
			}
		})
	}
}

// TestTheAdapterCheckNamesTheClauseThatIsBroken shows that each rule of the protocol has an exchange that fails where
// an adapter breaks it, and that few others do.
func TestTheAdapterCheckNamesTheClauseThatIsBroken(t *testing.T) {
	t.Parallel()
	if raced || testing.Short() {
		t.Skip("hundreds of processes of this very binary: make long runs it, without the race detector")
	}
	const most = 6 // exchanges that one broken rule may spoil, but for rules that all exchanges rest on
	everywhere := []string{"PR-1", "PR-2", "PR-7", "PR-17", "PR-23", "PR-24", "PR-32"}
	for _, b := range breaches() {
		t.Run(b.name(), func(t *testing.T) {
			t.Parallel()
			isAboutIt := func(r conformance.Result) bool {
				return r.Status == conformance.Broken && slices.Contains(r.Clauses, b.clause)
			}
			isOther := func(r conformance.Result) bool { return r.Status != conformance.Broken }
			var failed []conformance.Result
			for _, limits := range limitsOfBreach(b) {
				failed = checkOwn(t, breachEnv+"="+b.name(), limits)
				if slices.ContainsFunc(failed, isAboutIt) && !slices.ContainsFunc(failed, isOther) {
					break
				}
			}
			outcome := (&conformance.Report{Results: failed}).Outcome()
			if outcome != conformance.AdapterFault || !slices.ContainsFunc(failed, isAboutIt) {
				t.Errorf("the outcome is %s, and no exchange that fails is about %s", outcome, b.clause)
			}
			broken := len(failed) - lists.Count(failed, isOther)
			if broken > most && !slices.Contains(everywhere, b.clause) {
				t.Errorf("%d exchanges fail", broken)
			}
			for _, r := range failed {
				t.Logf("%s %v: %s: %s", r.Case, r.Clauses, r.Status, reasonOf(r))
			}
		})
	}
}

// limitsOfBreach returns the limits that a breach is tried with, one after the other until the check says of it what it
// must. Where an answer or an end never comes, hasty ones are tried first, which a busy machine may not keep.
func limitsOfBreach(b breach) []stdio.Options {
	if strings.Contains(b.about, "stays") || strings.Contains(b.about, "ignores what") {
		return []stdio.Options{hasty, patient}
	}
	return []stdio.Options{patient}
}

// TestEveryClauseOfTheWireIsBroken shows that no rule that the exchanges test is forgotten above.
func TestEveryClauseOfTheWireIsBroken(t *testing.T) {
	t.Parallel()
	broken := map[string]bool{}
	for _, b := range breaches() {
		if _, known := spec.ClauseByID(b.clause); !known {
			t.Errorf("there is no clause %s", b.clause)
		}
		broken[b.clause] = true
	}
	for _, c := range casesOf(t, cases.Protocol) {
		for _, clause := range c.Clauses {
			if !broken[clause] {
				t.Errorf("%s is about %s, which no adapter of these tests breaks", c.ID, clause)
			}
		}
	}
}

func TestAnHonestAdapterPassesEveryExchange(t *testing.T) {
	t.Parallel()
	if failed := checkOwn(t, trapEnv+"=crash:nothing", patient); len(failed) > 0 {
		t.Errorf("%d exchanges fail, the first is %s: %s", len(failed), failed[0].Case, reasonOf(failed[0]))
	}
}

// TestAnAdapterWhoseDetectorIsNotWrittenIsRight: exchanges that need a loop say nothing of an adapter that reports none.
func TestAnAdapterWhoseDetectorIsNotWrittenIsRight(t *testing.T) {
	t.Parallel()
	skipped := checkOwn(t, trapEnv+"=no-loop:*", patient)
	if len(skipped) == 0 {
		t.Error("no exchange needs a loop")
	}
	for _, r := range skipped {
		if r.Status != conformance.Skipped || !strings.Contains(r.Reason, "the port does not report the loop of history-") {
			t.Errorf("%s: %s: %s", r.Case, r.Status, reasonOf(r))
		}
	}
}
