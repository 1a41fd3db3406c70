package cases

import (
	"strings"
	"testing"
)

const caseHead = `detector: history
cases:
  - id: history-x
    title: x
    clauses: [HI-1]
    source: silent
    why: x
`

// TestObservedNumbersTheTimes: each time of an event has its number wherever the mark stands in a text, and nowhere
// else.
func TestObservedNumbersTheTimes(t *testing.T) {
	t.Parallel()
	const step = "    steps:\n      - tool_call: {tool: t, id: \"c-${n}\", args: {a: [\"${n}/${n}\", \"$n\"], b: {c: 7}}}\n        times: 2\n"
	all, err := Parse("x.yaml", []byte(caseHead+step))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, event := range all[0].Steps[0].Observed() {
		got = append(got, event.String())
	}
	want := `{"type":"tool_call","tool":"t","id":"c-1","args":{"a":["1/1","$n"],"b":{"c":7}}}
{"type":"tool_call","tool":"t","id":"c-2","args":{"a":["2/2","$n"],"b":{"c":7}}}`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}

// TestObservedPadsTexts: a long text is written in a word, and does not stop the number of the time from being put in.
func TestObservedPadsTexts(t *testing.T) {
	t.Parallel()
	const step = "    steps:\n      - tool_call: {tool: t, args: {a: \"${pad}-${n}\"}}\n        times: 2\n        pad: 3\n"
	all, err := Parse("x.yaml", []byte(caseHead+step))
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, event := range all[0].Steps[0].Observed() {
		got += event.Get("args").String()
	}
	if want := `{"a":"xxx-1"}{"a":"xxx-2"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	again, err := Parse("x.yaml", Write(all...))
	if err != nil || again[0].Steps[0].Pad != 3 {
		t.Errorf("written and read again: pad %d, %v", again[0].Steps[0].Pad, err)
	}
	long := strings.Replace(step, "pad: 3", "pad: 500001", 1)
	if _, err := Parse("x.yaml", []byte(caseHead+long)); err == nil || !strings.Contains(err.Error(), "write several steps") {
		t.Errorf("a step of more than a million letters: %v", err)
	}
	if _, err := Parse("x.yaml", []byte(caseHead+"    steps:\n      - reset: true\n        pad: 3\n")); err == nil {
		t.Error("a reset with a pad is accepted")
	}
}

// TestNumberedLines shows that each line of an exchange that is sent or received several times has its number.
func TestNumberedLines(t *testing.T) {
	t.Parallel()
	const head = "detector: protocol\ncases:\n  - {id: protocol-x, title: T, clauses: [PR-1], source: silent, why: W, exchange: ["
	all, err := Parse("x.yaml", []byte(head+`{raw: "a ${n}", times: 3}, {receive: {id: "${n}"}, times: 3}, {raw: "${n}"}]}`+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	all, err = Parse("x.yaml", Write(all...)) // what is written says as much
	if err != nil {
		t.Fatal(err)
	}
	steps := all[0].Exchange
	line, _ := steps[0].Numbered(3)
	_, receive := steps[1].Numbered(2)
	once, _ := steps[2].Numbered(1)
	if line != "a 3" || receive.String() != `{"id":"2"}` || once != "${n}" {
		t.Errorf("got %s, %s, %s", line, receive, once)
	}
	if _, err := Parse("x.yaml", []byte(head+"{close: true, times: 2}]}\n")); err == nil || !strings.Contains(err.Error(), "for lines only") {
		t.Errorf("an end of the input that comes twice: %v", err)
	}
}

// TestSessionsOfACase: a configuration for a session that no step names is a slip of the pen, and would test nothing.
func TestSessionsOfACase(t *testing.T) {
	t.Parallel()
	const steps = "    steps:\n      - reset: true\n        session: small\n"
	for sessions, isLegal := range map[string]bool{
		"{small: {history_size: 3}}": true,
		"{smal: {history_size: 3}}":  false,
		"{main: {history_size: 3}}":  false,
		"{small: 3}":                 false,
		"3":                          false,
	} {
		all, err := Parse("x.yaml", []byte(caseHead+"    sessions: "+sessions+"\n"+steps))
		if (err == nil) != isLegal {
			t.Errorf("%s: %v", sessions, err)
		}
		if isLegal && (all[0].ConfigOf("small").String() != `{"history_size":3}` || !all[0].ConfigOf("main").IsAbsent()) {
			t.Errorf("%s: small has %s, main %s", sessions, all[0].ConfigOf("small"), all[0].ConfigOf("main"))
		}
	}
}
