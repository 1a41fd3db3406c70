package report

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/guard/golden"
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
		if len(lines) > 54 { // where all ten detectors fail, each has its line
			t.Errorf("%d failures take %d lines:\n%s", failures, len(lines), strings.Join(lines, "\n"))
		}
		for _, line := range lines {
			if n := utf8.RuneCountInString(line); n > 120 {
				t.Errorf("%d failures: a line of %d characters: %s", failures, n, line)
			}
		}
	}
}

func TestTextShowsTheFirstFailureWholeAndTheOthersByClause(t *testing.T) {
	page := string(rendered(t, "text", many(60), sampleOptions()))
	first, others, found := strings.Cut(page, "The other 59, by their cause or clause:\n")
	if !found {
		t.Fatalf("no list of the others in\n%s", page)
	}
	for _, want := range []string{
		"FAILED fingerprint-a-name-of-usual-length-0 (text)", "\n  clause   FP-3 MUST", "\n  case     fingerprint/calls.yaml:7, step 20 of 21\n",
		"\n  trace ", "\n  then ", "\n           - loop: true\n           + loop: false\n", "\n  why ",
		"\n  again    loopstone test --case fingerprint-a-name-of-usual-length-0 --reading text -- python3 my_port.py\n",
	} {
		if !strings.Contains(first, want) {
			t.Errorf("the first failure lacks %q:\n%s", want, first)
		}
	}
	if n := strings.Count(page, "-- python3 my_port.py"); n != 1 {
		t.Errorf("%d commands to repeat a failure, want 1", n)
	}
	checkGrouped(t, others)
}

// checkGrouped checks that failures of the same clause stand together.
func checkGrouped(t *testing.T, list string) {
	t.Helper()
	var clauses []string
	for _, m := range regexp.MustCompile(`(?m)^  ([A-Z]{2}-\d+) `).FindAllStringSubmatch(list, -1) {
		clauses = append(clauses, m[1])
	}
	if len(clauses) < 3 {
		t.Fatalf("only %d failures are listed:\n%s", len(clauses), list)
	}
	blocks := slices.Compact(slices.Clone(clauses))
	distinct := slices.Clone(blocks)
	slices.Sort(distinct)
	if len(slices.Compact(distinct)) != len(blocks) {
		t.Errorf("the clauses are not grouped: %q", clauses)
	}
}

// TestTextLeadsToTheCause: one line for each cause, whatever clauses its failures are about.
func TestTextLeadsToTheCause(t *testing.T) {
	page := string(rendered(t, "text", alike(), sampleOptions()))
	order := []string{
		"CAUSE 3 tests: the port refuses invalid_config fuzzy_threshold\n", "\n  config   {\"fuzzy_threshold\":2}\n",
		"\n  3 tests: the port leaves out at, kind: ", "\n  2 tests: the port never says loop: guards (text): ",
		"\n  PR-14  fingerprint-law-prefix (text)", "\n  FP-9   fingerprint-wrong (text)",
		"\n  FP-9   fingerprint-law-forgetting (text)",
		"\n  FP-9   fingerprint-law-agreement (text)",
	}
	for rest := page; len(order) > 0; order = order[1:] {
		_, after, found := strings.Cut(rest, order[0])
		if !found {
			t.Fatalf("no %q in its place in\n%s", order[0], page)
		}
		rest = "\n" + after
	}
}

// TestTextOfManySlips: one slip that breaks many clauses is one cause, a law of evidence stands behind the case that
// says what is counted wrongly, and every detector that fails has its line.
func TestTextOfManySlips(t *testing.T) {
	page := string(rendered(t, "text", slips(), sampleOptions()))
	golden.Check(t, filepath.Join("testdata", "slips.text"), page)
	order := []string{
		"CAUSE 12 tests: probably one cause: crow (text) says no loop where one is wanted; CR-33 first, then CR-39\n",
		"\n  clause   CR-33 ", "\n  CO-18  composed-", "\n  FP-7   fingerprint-", "\n  HI-8   history-", "more (composed ",
	}
	for rest := page; len(order) > 0; order = order[1:] {
		_, after, found := strings.Cut(rest, order[0])
		if !found {
			t.Fatalf("no %q in its place in\n%s", order[0], page)
		}
		rest = "\n" + after
	}
}

// TestTextBeginsWithTheRulesOfAPortThatLacksSome: what it was asked, and how it fared, before anything else.
func TestTextBeginsWithTheRulesOfAPortThatLacksSome(t *testing.T) {
	r := many(2)
	r.Port.Detectors = []conformance.OfferInfo{{Detector: spec.Fingerprint, Rules: []spec.VerdictKind{spec.KindExact}}}
	line, _, _ := strings.Cut(string(rendered(t, "text", r, sampleOptions())), "\n")
	const want = "; fingerprint: exact; 10 of 12"
	if !strings.HasSuffix(line, want) {
		t.Errorf("the report begins with %q, want %q at the end", line, want)
	}
}

// TestAPortThatSaysMuchDoesNotMakeLargeReports: a value of megabytes is cut, and says so.
func TestAPortThatSaysMuchDoesNotMakeLargeReports(t *testing.T) {
	huge := many(60)
	for i := range huge.Results {
		if f := huge.Results[i].Failure; f != nil {
			f.Problem, f.Differences = strings.Repeat("problem ", 10_000), nil
			for range 120 {
				f.Differences = append(f.Differences, conformance.Difference{Path: "kind", Want: "1", Got: strings.Repeat("é", 2000)})
			}
		}
	}
	for _, f := range Formats() {
		content := rendered(t, f.Name, huge, Options{Verbose: true})
		if len(content) > 1_000_000 {
			t.Errorf("%s has %d bytes", f.Name, len(content))
		}
		if f.Name != "badge" && !strings.Contains(string(content), "… (") {
			t.Errorf("%s does not say that a value was cut", f.Name)
		}
	}
}

func TestTextVerboseShowsEveryFailureWhole(t *testing.T) {
	options := sampleOptions()
	options.Verbose = true
	page := string(rendered(t, "text", many(60), options))
	for i := range 60 {
		if want := fmt.Sprintf("a-name-of-usual-length-%d --reading", i); !strings.Contains(page, want) {
			t.Errorf("no command for failure %d", i)
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

func TestTextColoursOnlyWhereTheyAreWanted(t *testing.T) {
	options := sampleOptions()
	plain := string(rendered(t, "text", sample(), options))
	options.Colour = true
	coloured := string(rendered(t, "text", sample(), options))
	if strings.Contains(plain, "\x1b") {
		t.Error("colours, though none are wanted")
	}
	if stripped := regexp.MustCompile("\x1b\\[[0-9]+m").ReplaceAllString(coloured, ""); stripped != plain || coloured == plain {
		t.Errorf("without its colours the page is another:\n%s", stripped)
	}
}

// TestEveryReportTellsOfRestarts shows that a port which died for no known reason looks well in no report.
func TestEveryReportTellsOfRestarts(t *testing.T) {
	for format, want := range map[string][]string{
		"text":     {"the port died 2 times, and no case shows why", "started anew 3 times"},
		"markdown": {"the port died 2 times, and no case shows why", "started anew 3 times"},
		"jsonl":    {`"restarts":3,"unexplained":2`},
		"junit":    {`name="restarts" value="3"`, "the port died 2 times, and no case shows why"},
		"tap":      {"the port died 2 times, and no case shows why"},
	} {
		r := sample()
		r.Results = r.Results[:0]
		for _, result := range sample().Results {
			if result.Status == conformance.Passed {
				r.Results = append(r.Results, result)
			}
		}
		r.Problems, r.Restarts, r.Unexplained = nil, 3, 2
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
	r.Port.Detectors = []conformance.OfferInfo{{
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
		"3 tests of rules that the port lacks: summary (2), bash_cascade (1)",
		"1 test with settings that the port lacks: window (1)",
		"1 test of members that the port's verdicts lack: count (1)",
		"members of verdicts that the port lacks: count, tool, severity, message, evidence of fingerprint",
	}
	if diff := cmp.Diff(want, notChecked(r)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
