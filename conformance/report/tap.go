package report

import (
	"fmt"
	"strings"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec/words"
)

// tapFile is a report in version 13 of the Test Anything Protocol, in the making: prove reads no later one. Of YAML, it
// knows only block style and texts in double quotes.
type tapFile struct {
	b      strings.Builder
	number int
}

// tap renders the report as TAP: a test point for each result, with what went wrong as YAML below it. Known failures
// are TODO, what was not checked is SKIP, and problems of the run itself are test points that fail.
func tap(r *conformance.Report, options Options) ([]byte, error) {
	t := &tapFile{}
	problems := runProblems(r)
	t.b.WriteString("TAP version 13\n")
	fmt.Fprintf(&t.b, "1..%d\n", len(r.Results)+len(problems))
	fmt.Fprintf(&t.b, "# %s\n", identity(r))
	for _, result := range r.Results {
		t.result(result, options)
	}
	if len(r.Results) == 1 && r.Results[0].IsNotStarted() {
		fmt.Fprintf(&t.b, "Bail out! %s\n", words.Line(r.Results[0].Reason))
	}
	for _, problem := range problems {
		t.point(false, "the run", "")
		t.open()
		t.member("message", tapText(problem))
		t.close()
	}
	fmt.Fprintf(&t.b, "# %s: %s\n", outcomeWord(r), Summary(r))
	for _, line := range notChecked(r) {
		fmt.Fprintf(&t.b, "# NOT CHECKED %s\n", line)
	}
	return []byte(t.b.String()), nil
}

func (t *tapFile) result(result conformance.Result, options Options) {
	name := nameOf(result) + ": " + words.Line(result.Title)
	switch result.Status {
	case conformance.Passed:
		t.point(true, name, "")
	case conformance.Skipped:
		why := words.Line(result.Reason)
		if len(result.Missing) > 0 {
			why = "needs " + joined(result.Missing, ", ")
		}
		t.point(true, name, "SKIP "+why)
	case conformance.Known:
		t.point(false, name, "TODO known failure: "+words.Line(result.Excuse))
		t.diagnosis(result, options)
	default:
		t.point(false, name, "")
		t.diagnosis(result, options)
	}
}

// tapEscape guards the characters of a description that begin an escape or a directive.
var tapEscape = strings.NewReplacer(`\`, `\\`, `#`, `\#`)

// point writes one test point; the directive may be empty.
func (t *tapFile) point(ok bool, description, directive string) {
	t.number++
	word := "ok"
	if !ok {
		word = "not ok"
	}
	fmt.Fprintf(&t.b, "%s %d - %s", word, t.number, tapEscape.Replace(description))
	if directive != "" {
		fmt.Fprintf(&t.b, " # %s", tapEscape.Replace(directive))
	}
	t.b.WriteString("\n")
}

// diagnosis writes what is known of a result that is no pass, as a block of YAML. Every text is in double quotes, in
// the part of the notation that JSON and YAML share.
func (t *tapFile) diagnosis(result conformance.Result, options Options) {
	t.open()
	t.member("message", tapText(result.Brief()))
	t.member("status", string(result.Status))
	t.member("clauses", tapText(strings.Join(result.Clauses, " ")))
	if result.File != "" {
		t.member("file", tapText(result.File))
		t.member("line", fmt.Sprint(result.Line))
	}
	if result.Config != "" {
		t.member("config", tapText(result.Config))
	}
	if f := result.Failure; f != nil {
		t.failure(*f)
	}
	t.member("why", tapText(result.Why))
	if command := again(result, options); command != "" {
		t.member("again", tapText(command))
	}
	t.close()
}

func (t *tapFile) failure(f conformance.Failure) {
	if f.Step > 0 {
		t.member("step", fmt.Sprint(f.Step))
		t.member("steps", fmt.Sprint(f.Steps))
	}
	t.member("action", tapText(f.Action))
	t.member("problem", tapText(f.Problem))
	if len(f.Differences) > 0 {
		t.b.WriteString("  differences:\n")
	}
	for _, d := range f.Differences {
		fmt.Fprintf(&t.b, "    - path: %s\n      want: %s\n      got: %s\n", tapText(d.Path), tapText(d.Want), tapText(d.Got))
	}
}

func (t *tapFile) open()  { t.b.WriteString("  ---\n") }
func (t *tapFile) close() { t.b.WriteString("  ...\n") }

func (t *tapFile) member(name, value string) { fmt.Fprintf(&t.b, "  %s: %s\n", name, value) }

// tapText returns a text in double quotes.
func tapText(text string) string {
	quoted, err := encoded("", words.Visible(text))
	if err != nil {
		panic(err) // a string can always be encoded
	}
	return strings.TrimSuffix(string(quoted), "\n")
}
