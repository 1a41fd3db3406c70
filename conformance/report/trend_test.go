package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// counted returns the id of a case of history that counts for the score, another one for each i.
func counted(t *testing.T, i int) string {
	t.Helper()
	heads, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	return lists.Filter(heads,
		func(c cases.Case) bool { return c.Detector == spec.History && cases.CountsByID(c.ID) })[i].ID
}

// lettered replaces the ids of counted cases by history-a, history-b and so on.
func lettered(t *testing.T, text string) string {
	for i := range 12 {
		text = strings.ReplaceAll(text, counted(t, i)+" ", "history-"+string(rune('a'+i))+" ")
	}
	return text
}

// reportOf returns a report of history whose cases have these statuses, by letter: p passed, f failed, k known, b
// broken, s skipped, u undecided; a case with any other letter is not in the suite.
func reportOf(t *testing.T, version, statuses string) *conformance.Report {
	letters := map[rune]conformance.Status{
		'p': conformance.Passed, 'f': conformance.Failed, 'k': conformance.Known, 'b': conformance.Broken,
		's': conformance.Skipped, 'u': conformance.Undecided,
	}
	r := &conformance.Report{
		Suite: conformance.SuiteInfo{Version: "0.1.0", Digest: "d" + version}, Port: conformance.PortInfo{
			Name:    "port",
			Version: version,
		},
	}
	for i, letter := range statuses {
		if status, ok := letters[letter]; ok {
			one := result(counted(t, i), spec.History, spec.Code, "HI-5")
			one.Status = status
			r.Results = append(r.Results, one)
		}
	}
	return r
}

func trendOf(t *testing.T, then, now *conformance.Report) *Trend {
	t.Helper()
	trend, err := NewTrend(then, now)
	if err != nil {
		t.Fatal(err)
	}
	return trend
}

func written(t *testing.T, trend *Trend, verbose bool) string {
	t.Helper()
	var out bytes.Buffer
	if err := trend.Write(&out, verbose); err != nil {
		t.Fatal(err)
	}
	return lettered(t, out.String())
}

// TestATrendTellsEachKindOfChange has a test of each kind, and one of another detector that nobody checked.
func TestATrendTellsEachKindOfChange(t *testing.T) {
	t.Parallel()
	then, now := reportOf(t, "1.0", "pfpffp-ssk-p"), reportOf(t, "1.1", "ppfkfu-pfpf-")
	skipped := result("crow-1", spec.Crow, spec.Code, "CR-1")
	skipped.Status = conformance.Skipped
	then.Results, now.Results = append(then.Results, skipped), append(now.Results, skipped)
	const want = `then  port 1.0  suite 0.1.0 (digest d1.0)  4 of 8 tests passed
now   port 1.1  suite 0.1.0 (digest d1.1)  4 of 10 tests passed

detector  reading  score then  score now  fixed  broken  new  gone  newly checked  no longer checked
history   code     50 %        40 %       2      1       1    1     2              1

The scores count the cases that the suite of this loopstone has.

broken: 1
  HI-5  history-c (code)

no longer checked: 1
  HI-5  history-f (code)

new or newly checked, and failing: 2
  HI-5  history-i (code)
  HI-5  history-k (code)

fixed: 2
  HI-5  history-b (code)
  HI-5  history-j (code)
`
	trend := trendOf(t, then, now)
	if diff := cmp.Diff(want, written(t, trend, false)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestATrendNamesWhatIsDeclaredOtherwise: a smaller port is undecided, for its missing tests count in no list; a larger
// one is as good as before. What is declared no longer and what is new are named apart.
func TestATrendNamesWhatIsDeclaredOtherwise(t *testing.T) {
	t.Parallel()
	then, now := reportOf(t, "1.0", "pp"), reportOf(t, "1.1", "pp")
	history := spec.Offer{Detector: spec.History, Readings: []spec.Reading{spec.Code}}
	less := history
	history.Features = []spec.Feature{spec.Evidence, spec.Hashes}
	then.Port.Detectors, now.Port.Detectors = []spec.Offer{history, {Detector: spec.Crow}}, []spec.Offer{less, {Detector: spec.Swarm}}
	const lost = `no longer declared: 3
  feature evidence of history
  feature hashes of history
  detector crow

`
	const added = `newly declared: 1
  detector swarm

`
	trend := trendOf(t, then, now)
	if text := written(t, trend, false); !strings.HasSuffix(text+"\n", "\n\n"+lost+added) {
		t.Errorf("want\n%s%sat the end of\n%s", lost, added, text)
	}
	if got := trend.Outcome(); got != conformance.NotDecided {
		t.Errorf("a smaller port is %s", got)
	}
	then.Port.Detectors = now.Port.Detectors[:1]
	larger := trendOf(t, then, now)
	if text := written(t, larger, false); strings.Contains(text, "no longer") || !strings.HasSuffix(text+"\n", added) {
		t.Errorf("want only\n%sat the end of\n%s", added, text)
	}
	if got := larger.Outcome(); got != conformance.Conformant {
		t.Errorf("a larger port is %s", got)
	}
}

// TestATrendCountsTheProtocolApart, and one test is a test.
func TestATrendCountsTheProtocolApart(t *testing.T) {
	t.Parallel()
	then, now := reportOf(t, "1.0", "p"), reportOf(t, "1.1", "f")
	manners := result("protocol-end", cases.Protocol, "", "PR-8")
	manners.Status = conformance.Passed
	now.Results = append(now.Results, manners)
	text := written(t, trendOf(t, then, now), false)
	for _, want := range []string{"1 of 1 test passed\n", "0 of 1 test passed, 1 of 1 of the protocol\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
}

// TestALongTrendIsCut: a list names a few tests and counts the others, unless all are asked for.
func TestALongTrendIsCut(t *testing.T) {
	t.Parallel()
	trend := trendOf(t, reportOf(t, "1.0", strings.Repeat("p", 12)), reportOf(t, "1.1", strings.Repeat("f", 12)))
	const last, more = "history-l (code)", "  and 2 more; --verbose names all\n"
	if text := written(t, trend, false); strings.Contains(text, last) || !strings.HasSuffix(text, more) {
		t.Errorf("got\n%s\nwant %q at the end", text, more)
	}
	if text := written(t, trend, true); !strings.HasSuffix(text, last+"\n") {
		t.Errorf("verbose: got\n%s\nwant %q at the end", text, last)
	}
}

// TestTheOutcomeOfATrend: only what became worse counts.
func TestTheOutcomeOfATrend(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reason, then, now string
		want              conformance.Outcome
	}{
		{"nothing changed", "pfs", "pfs", conformance.Conformant},
		{"one is fixed", "pf", "pp", conformance.Conformant},
		{"a new one fails", "p-", "pf", conformance.Conformant},
		{"one is gone", "pp", "p-", conformance.Conformant},
		{"one broke", "pp", "pf", conformance.NotConformant},
		{"one broke, as its file of known failures says", "pp", "pk", conformance.NotConformant},
		{"one is not declared any more", "pp", "ps", conformance.NotDecided},
		{"a failure is not declared any more", "pf", "ps", conformance.NotDecided},
		{"one is not decided", "pp", "pu", conformance.NotDecided},
		{"one broke, and one is not decided", "ppp", "pfu", conformance.NotConformant},
	} {
		if got := trendOf(t, reportOf(t, "1.0", test.then), reportOf(t, "1.1", test.now)).Outcome(); got != test.want {
			t.Errorf("%s: got %s, want %s", test.reason, got, test.want)
		}
	}
}

// TestReportsThatCannotBeComparedAreRefused names what keeps two reports from being one port's trend.
func TestReportsThatCannotBeComparedAreRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		reason string
		change func(now *conformance.Report)
		want   string
	}{
		{"of another port", func(r *conformance.Report) { r.Port.Name = "other" }, "of two ports, port and other"},
		{
			"of a part", func(r *conformance.Report) { r.Settings.Shard = "1/3" },
			"report 2 is part 1/3 of a run; merge the parts first",
		},
		{"of two ports", func(r *conformance.Report) { r.Settings.Against = []string{"old"} }, "report 2 compares two ports"},
		{"without laws", func(r *conformance.Report) { r.Settings.NoLaws = true }, "selected different tests"},
		{
			"of a selection",
			func(r *conformance.Report) { r.Settings.Selection.Detectors = []string{"history"} },
			"selected different tests",
		},
		{"of nothing", func(r *conformance.Report) { r.Results = nil }, "report 2 has no tests"},
	} {
		now := reportOf(t, "1.1", "pp")
		test.change(now)
		if _, err := NewTrend(reportOf(t, "1.0", "pp"), now); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.reason, err, test.want)
		}
	}
}

// TestSeveralChangedOffersAreCompared: each detector that both reports declare otherwise is a difference of its own.
func TestSeveralChangedOffersAreCompared(t *testing.T) {
	t.Parallel()
	declaring := func(at int) *conformance.Report {
		r := reportOf(t, "1", "p")
		for _, id := range []spec.DetectorID{"@mine", "@yours"} {
			config := spec.MustParse(fmt.Sprintf(`{"rules":[{"rungs":[{"at":%d}]}]}`, at))
			r.Port.Detectors = append(r.Port.Detectors, spec.Offer{
				Detector: id, Readings: []spec.Reading{spec.Code, spec.Code}[:at-1], Features: []spec.Feature{}, Fixed: config,
			})
		}
		return r
	}
	var text bytes.Buffer
	for _, d := range Compare(declaring(2), declaring(3)) {
		fmt.Fprintln(&text, d)
	}
	for _, want := range []string{"@mine", "@yours"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no difference is about %s:\n%s", want, &text)
		}
	}
}
