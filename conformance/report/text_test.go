package report

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

func TestTextOfManyFailuresIsOnePage(t *testing.T) {
	options := sampleOptions()
	options.Clause = func(id string) (spec.Clause, bool) {
		return spec.Clause{ID: id, Level: spec.Must, Text: strings.Repeat("a long clause ", 60)}, true
	}
	for _, failures := range []int{0, 1, 2, 10, 60, 500} {
		r := many(failures)
		for i := range r.Results {
			r.Results[i].Why = strings.Repeat("a reason of two lines ", 8)
		}
		lines := strings.Split(strings.TrimSuffix(string(rendered(t, "text", r, options)), "\n"), "\n")
		if len(lines) > 54 {
			t.Errorf("%d failures take %d lines:\n%s", failures, len(lines), strings.Join(lines, "\n"))
		}
		for _, line := range lines {
			if n := utf8.RuneCountInString(line); n > 120 {
				t.Errorf("%d failures: a line of %d characters: %s", failures, n, line)
			}
		}
	}
}

// TestTextBeginsWithTheRulesOfAPortThatLacksSome: what it was asked, and how it fared, before anything else.
func TestTextBeginsWithTheRulesOfAPortThatLacksSome(t *testing.T) {
	r := many(2)
	r.Port.Detectors = []spec.Offer{{Detector: spec.Fingerprint, Rules: []spec.VerdictKind{spec.KindExact}}}
	line, _, _ := strings.Cut(string(rendered(t, "text", r, sampleOptions())), "\n")
	const want = "; fingerprint: exact; 11 of 13"
	if !strings.HasSuffix(line, want) {
		t.Errorf("the report begins with %q, want %q at the end", line, want)
	}
}

// TestTestsThatDidNotRunTakeOneLine: they are no failures, and have one reason.
func TestTestsThatDidNotRunTakeOneLine(t *testing.T) {
	r := many(6)
	for i, failed := 0, 0; i < len(r.Results); i++ {
		if result := &r.Results[i]; result.Status == conformance.Failed {
			if failed++; failed > 2 {
				result.Status, result.Reason, result.Failure = conformance.Undecided, "not run: the run stops", nil
			}
		}
	}
	text := string(rendered(t, "text", r, sampleOptions()))
	for _, want := range []string{"The other 1 failure and 4 undecided tests, ", "  4 tests: not run: the run stops: "} {
		if strings.Count(text, want) != 1 {
			t.Errorf("%q does not stand there once:\n%s", want, text)
		}
	}
}

// TestTheFailureThatIsShownHasAShortTrace: the first of several whose trace a reader sees whole.
func TestTheFailureThatIsShownHasAShortTrace(t *testing.T) {
	var results []conformance.Result
	for i, id := range []string{"history-a", "history-b", "history-c"} {
		failed := result(id, spec.History, spec.Code, "HI-13")
		failed.Status = conformance.Failed
		failed.Failure = &conformance.Failure{Problem: id, Trace: traceOf([]int{299, 3, 2}[i])}
		results = append(results, failed)
	}
	text := string(rendered(t, "text", part(results...), sampleOptions()))
	if want := "FAILED history-b "; strings.Count(text, want) != 1 {
		t.Errorf("%q does not stand there:\n%s", want, text)
	}
}

// TestAFailedContrastSaysItsChange: the trace is not that of the case, whose steps a reader looks up.
func TestAFailedContrastSaysItsChange(t *testing.T) {
	r := many(2)
	for i := range r.Results {
		if f := r.Results[i].Failure; f != nil {
			f.Step, f.Steps, f.Contrast = 2, 3, "step 2 like step 1"
		}
	}
	text := string(rendered(t, "text", r, sampleOptions()))
	for _, want := range []string{
		", step 2 of 3 of its contrast\n", "  contrast step 2 like step 1 makes it a loop; the port passed the case itself\n",
		"  in the contrast, step 2: ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
}

// TestAPortThatSaysMuchDoesNotMakeLargeReports: a value of megabytes is cut, and says so.
func TestAPortThatSaysMuchDoesNotMakeLargeReports(t *testing.T) {
	huge := many(60)
	for i := range huge.Results {
		if f := huge.Results[i].Failure; f != nil {
			f.Problem, f.Differences = strings.Repeat("problem ", 10_000), nil
			for range 120 {
				f.Differences = append(f.Differences,
					conformance.Difference{Path: "kind", Want: "1", Got: strings.Repeat("é", 2000)})
			}
		}
	}
	for _, f := range Formats() {
		content := rendered(t, f, huge, Options{Verbose: true})
		if len(content) > 1_000_000 {
			t.Errorf("%s has %d bytes", f, len(content))
		}
		if f != "badge" && !strings.Contains(string(content), "… (") {
			t.Errorf("%s does not say that a value was cut", f)
		}
	}
}

func TestTextOfAnyReportIsSafeForATerminal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content, err := text(hostileReport().Draw(t, "report"), Options{Verbose: rapid.Bool().Draw(t, "verbose")})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range string(content) {
			if r != '\n' && !unicode.IsPrint(r) {
				t.Fatalf("%q in\n%q", r, content)
			}
		}
	})
}

func TestTextOfAnyReportKeepsToItsWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		options := Options{Width: rapid.SampledFrom([]int{0, 20, 60, 80, 120, 300}).Draw(t, "width")}
		content, err := text(hostileReport().Draw(t, "report"), options)
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(content), "\n") {
			if n := utf8.RuneCountInString(line); n > options.width() {
				t.Fatalf("%d characters: %s", n, line)
			}
		}
	})
}

// TestEveryReportTellsOfRestarts shows that a port which died for no known reason looks well in no report.
func TestEveryReportTellsOfRestarts(t *testing.T) {
	for format, want := range map[string][]string{
		"text":     {"the port died or hung 2 times, and no case shows why", "restarted 3 times", "the adapter exited: signal killed"},
		"markdown": {"the port died or hung 2 times, and no case shows why", "restarted 3 times"},
		"jsonl":    {`"restarts":3,"unexplained":2,"losses":["the adapter exited: signal killed"]`},
		"junit":    {`name="restarts" value="3"`, "the port died or hung 2 times, and no case shows why"},
	} {
		r := part(withStatus(sampleResults(), conformance.Passed)...)
		r.Restarts, r.Unexplained, r.Losses = 3, 2, []string{"the adapter exited: signal killed"}
		if r.Outcome() != conformance.NotDecided {
			t.Fatalf("got %s", r.Outcome())
		}
		text := string(rendered(t, format, r, sampleOptions()))
		for _, part := range want {
			if !strings.Contains(strings.Join(strings.Fields(text), " "), part) {
				t.Errorf("%s: no %q in\n%s", format, part, text)
			}
		}
	}
}

func TestWhatAPortDoesNotDeclareIsNamed(t *testing.T) {
	t.Parallel()
	r := &conformance.Report{Port: samplePort()}
	r.Port.Detectors = []spec.Offer{{
		Detector: spec.Fingerprint, Readings: []spec.Reading{spec.Text}, Members: []string{"loop", "kind"},
	}}
	skip := func(id string, miss func(*conformance.Result)) {
		skipped := result(id, spec.Fingerprint, spec.Text, "FP-1")
		skipped.Status = conformance.Skipped
		miss(&skipped)
		r.Results = append(r.Results, skipped)
	}
	skip("a", func(r *conformance.Result) { r.MissingRules = []spec.VerdictKind{spec.KindSummary} })
	skip("b", func(r *conformance.Result) { r.MissingRules = []spec.VerdictKind{spec.KindSummary} })
	skip("c", func(r *conformance.Result) { r.MissingRules = []spec.VerdictKind{spec.KindBashCascade} })
	skip("d", func(r *conformance.Result) { r.MissingSettings = []string{"window"} })
	skip("e", func(r *conformance.Result) { r.MissingMembers = []string{"count"} })
	want := []string{
		"3 tests of rules that the port does not declare: summary (2), bash_cascade (1)",
		"1 test with settings that the port does not declare: window (1)",
		"1 test of members of verdicts that the port does not declare: count (1)",
		"members of verdicts that the port does not declare: count, tool, severity, message, evidence of fingerprint",
	}
	if diff := cmp.Diff(want, notChecked(r)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
