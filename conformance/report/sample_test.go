package report

import (
	"fmt"
	"reflect"
	"time"

	"pgregory.net/rapid"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/spec"
)

// sampleOptions are the settings of the golden files. The clauses are fixed, so that a change of the specification
// does not change how a report looks.
func sampleOptions() Options {
	return Options{
		Again:   "loopstone test%s -- python3 my_port.py",
		Started: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC),
		Clause:  sampleClause,
	}
}

func sampleClause(id string) (spec.Clause, bool) {
	c := spec.Clause{
		ID: id, Level: spec.Must, Source: "D3#detection-logic",
		Text: "A window with threshold or more equal hashes is a loop; `count` is how many they are, <b>not</b> how long the window is.",
	}
	if id == "HI-5" {
		c.Literal = "[System] You are in a loop:\n\n{N} equal calls."
	}
	return c, id != "HI-99"
}

// samplePort declares two of seven detectors, and not all of their features.
func samplePort() conformance.PortInfo {
	return conformance.PortInfo{
		Name: "my_port", Version: "1.2.3", Language: "Python", URL: "https://example.org/a?b=1&c=2",
		Command: []string{"python3", "my_port.py"},
		Detectors: []spec.Offer{
			{Detector: spec.History, Readings: []spec.Reading{spec.Code}, Features: []spec.Feature{spec.Hashes}},
			{Detector: spec.Crow, Readings: []spec.Reading{spec.Code, spec.Text}, Features: []spec.Feature{}},
		},
	}
}

func result(id string, detector spec.DetectorID, reading spec.Reading, clauses ...string) conformance.Result {
	return conformance.Result{
		Case: id, Detector: detector, Reading: reading, Clauses: clauses, Status: conformance.Passed,
		Title: "The third identical call is a loop", Why: "A port that misses it lets an agent burn its budget.",
		File: string(detector) + "/calls.yaml", Line: 7,
	}
}

// sample is a report that holds one of everything, with texts that are hard to render.
func sample() *conformance.Report {
	return &conformance.Report{
		Suite:    conformance.SuiteInfo{Version: "0.1.0", Digest: "0123456789abcdef", Selected: 11, Total: 14, UnselectedProtocol: 1, UncheckedLaws: 7},
		Port:     samplePort(),
		Results:  sampleResults(),
		Seed:     42,
		Settings: conformance.Settings{Folder: "cases", Checks: 100, Seeds: []int64{1, 7}},
		Traces:   200,
		Problems: []string{"known.yaml:3:5: history-2 passes now: delete the entry, 100 % sure"},
		Restarts: 1, Events: 1234, Elapsed: 1500 * time.Millisecond,
	}
}

func sampleResults() []conformance.Result {
	protocol := result("protocol-broken", cases.Protocol, "", "PR-3")
	protocol.Status = conformance.Broken
	protocol.Reason = "the adapter wrote no JSON: \"\x1b[31mhello\x00\" ::error::<b>&amp;]]>\r\nTraceback: 100%"

	failed := result("history-1", spec.History, spec.Code, "HI-5", "HI-6")
	failed.Status = conformance.Failed
	failed.Title = "Größe, 大小 & <size> | \"quoted\", 100 %: it's #1"
	failed.Failure = &conformance.Failure{
		Step: 3, Steps: 4, Action: `tool_call "read_file" {"path":"a.py"}`, Problem: "the verdict differs",
		Differences: []conformance.Difference{
			{Path: "loop", Want: "true", Got: "false"},
			{Path: "kind", Want: `"repeat"`},
			{Path: "tool", Got: `"<script>alert('::set-output')</script>"`},
			{Path: "signature", Want: "null"},
			{Path: "similarity", Want: "90", Got: "null"},
		},
		Trace: []string{
			`tool_call "read_file" {"path":"a.py"} -> {"loop":false}`,
			`tool_call "read_file" {"path":"a.py"} -> {"loop":false}`,
		},
	}
	failed.Config, failed.Elapsed = `{"threshold":2}`, 1_234_000
	passed := result("history-2", spec.History, spec.Code, "HI-6")
	passed.SaidLoop = true

	known := result("history-3", spec.History, spec.Code, "HI-99")
	known.Status, known.Excuse = conformance.Known, "fixed in 1.3, see issue #12"
	known.Failure = &conformance.Failure{
		Action: `history.hash {"tool":"a"}`, Problem: "the function returned another value",
		Differences: []conformance.Difference{{Want: `"abc"`, Got: `"abd"`}},
	}
	feature := result("history-4", spec.History, spec.Code, "HI-7")
	feature.Status, feature.Missing = conformance.Skipped, []spec.Feature{spec.Evidence, spec.Snapshots}
	feature.Reason = "the port does not declare evidence, snapshot for history"

	undecided := result("crow-1", spec.Crow, spec.Text, "CR-1")
	undecided.Status, undecided.Reason = conformance.Undecided, "no answer within 5 s to session/observe"
	long := result("crow-2", spec.Crow, spec.Code, "HI-5")
	long.Status, long.Tags = conformance.Failed, []string{"slow"}
	long.Failure = &conformance.Failure{
		Step: 20, Steps: 20, Action: "session/observe", Problem: "the port panicked: index out of range\ngoroutine 1 ```go```",
		Differences: []conformance.Difference{{Path: "message", Want: quotedText("STOP"), Got: quotedText("stop")}},
		Trace:       traceOf(19),
	}
	missing := result("swarm-1", spec.Swarm, spec.Text, "SW-1")
	missing.Status, missing.Reason = conformance.Skipped, "the port does not offer the detector swarm"
	another := result("ralph-1", spec.Ralph, spec.Text, "RA-1")
	another.Status, another.Reason = conformance.Skipped, "the port does not offer the detector ralph"
	law := result("crow-law-agreement", spec.Crow, spec.Text, "CR-1")
	law.Status, law.File, law.Line, law.Tags = conformance.Failed, "", 0, []string{"law"}
	law.Failure = &conformance.Failure{Step: 1, Steps: 1, Action: `message {"role":"user"}`, Problem: "the verdict differs"}
	last := result("crow-3", spec.Crow, spec.Text, "CR-2")
	return []conformance.Result{protocol, failed, passed, known, feature, undecided, long, missing, another, law, last}
}

// quotedText is a long message whose end tells it from others.
func quotedText(end string) string {
	text := ""
	for i := range 12 {
		text += fmt.Sprintf("sentence %d of a long template. ", i+1)
	}
	return `"` + text + end + `"`
}

func traceOf(n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprintf(`error {"message":"timeout %d"} -> {"loop":false}`, i+1)
	}
	return lines
}

// part is the sample with some of its results alone, as a run of a suite that has no other cases.
func part(results ...conformance.Result) *conformance.Report {
	r := sample()
	r.Results, r.Problems = results, nil
	r.Suite = conformance.SuiteInfo{Version: r.Suite.Version, Digest: r.Suite.Digest, Selected: len(results), Total: len(results)}
	return r
}

// unchecked is a report of a run that asked nothing, since the port declares none of what was selected.
func unchecked() *conformance.Report {
	r := part(withStatus(sampleResults(), conformance.Skipped)...)
	r.Seed, r.Restarts, r.Events, r.Elapsed = 0, 0, 0, 0
	return r
}

// faulty is a report of a run in which the suite is wrong: one of its checks could not be carried out, and one case is
// failed by the reference, too.
func faulty() *conformance.Report {
	r := part(withStatus(sampleResults(), conformance.Passed, conformance.Failed)[:3]...)
	r.Results[0].Status, r.Results[0].Reason = conformance.Faulty, "a check panicked: index out of range in conformance.(*judge).run, line 7"
	r.Results[2].Status = conformance.Faulty
	r.Results[2].Reason = "the case is wrong, or the reference is: the reference fails it too, by step 3: the verdict differs (loop: want true, got false)"
	return r
}

// strictSample is a report of a port that passes what it is asked, in a run that demands more.
func strictSample() *conformance.Report {
	r := part(withStatus(sampleResults(), conformance.Passed, conformance.Skipped)...)
	r.Strict, r.Allowed = true, []spec.Feature{spec.Evidence, spec.Snapshots}
	return r
}

// compared is a report of two ports of one name: one repair, one regression, one difference that nothing specifies.
func compared() *conformance.Report {
	r := part(withStatus(sampleResults(), conformance.Passed, conformance.Failed)[:4]...)
	r.Settings = conformance.Settings{Against: []string{"python3", "old.py"}}
	r.Old = r.Port
	r.Old.Command = r.Settings.Against
	for i, change := range conformance.Changes() {
		result := &r.Results[i]
		result.Status, result.Change, result.Tags = conformance.Failed, change, []string{conformance.DifferenceTag}
		result.Failure = &conformance.Failure{
			Step: 2, Steps: 3, Action: `tool_call "b"`, Problem: "the verdict differs",
			Trace:       []string{`tool_call "a" -> {"loop":false,"count":1}`},
			Differences: []conformance.Difference{{Want: `{"count":2}`, Got: `{"count":1}`}},
			Sides:       []conformance.Side{{Who: "old", Says: `{"loop":false,"count":2}`}, {Who: "new", Says: `{"loop":false,"count":1}`}},
		}
		if change == conformance.Fixed {
			result.Status = conformance.Passed
		}
	}
	return r
}

// repaired is a report of two ports of which the new one fixes the old one.
func repaired() *conformance.Report {
	r := compared()
	r.Results = r.Results[3:]
	r.Old.Name = "old_port"
	return r
}

// conformantSample is a report of a port that passes all there is.
func conformantSample() *conformance.Report {
	r := part(withStatus(sampleResults(), conformance.Passed)...)
	r.Settings.Folder = ""
	return r
}

// ownSample is a report of a port that passes all there is about rules of its own, and about a profile.
func ownSample() *conformance.Report {
	var results []conformance.Result
	for _, id := range []spec.DetectorID{cases.Protocol, "@mine", "@roo"} {
		reading := spec.Code
		if id == cases.Protocol {
			reading = ""
		}
		for i := range 3 {
			results = append(results, result(fmt.Sprintf("%s-%d", id, i), id, reading, "CO-1"))
		}
	}
	r := part(results...)
	r.Settings.Folder = ""
	rules := `{"rules":[{"name":"mine","same":{"results":"text"},"rungs":[{"at":4,"severity":"warn"},{"at":9}]}]}`
	r.Port.Detectors = []spec.Offer{
		{Detector: "@mine", Readings: []spec.Reading{spec.Code}, Features: []spec.Feature{}, Fixed: spec.MustParse(rules)},
		{Detector: "@roo", Readings: []spec.Reading{spec.Code}, Features: []spec.Feature{}},
	}
	return r
}

// many is a report with that many failures over 14 clauses, for nine pairs of detector and reading.
func many(failures int) *conformance.Report {
	r := sample()
	r.Problems, r.Results, r.Port.Detectors = nil, nil, nil
	for _, p := range spec.Detectors() {
		r.Port.Detectors = append(r.Port.Detectors, spec.Offer{Detector: p.ID, Readings: p.Readings})
		for _, reading := range p.Readings {
			skipped := result(fmt.Sprintf("%s-skipped-%s", p.ID, reading), p.ID, reading, p.Prefix+"-9")
			skipped.Status, skipped.Missing = conformance.Skipped, []spec.Feature{spec.Evidence}
			passed := result(fmt.Sprintf("%s-%s", p.ID, reading), p.ID, reading, p.Prefix+"-8")
			passed.SaidLoop = true
			r.Results = append(r.Results, skipped, passed)
		}
	}
	for i := range failures {
		p := spec.Detectors()[i%7]
		failed := result(fmt.Sprintf("%s-a-name-of-usual-length-%d", p.ID, i), p.ID, p.Readings[0], fmt.Sprintf("%s-%d", p.Prefix, i%2+1), p.Prefix+"-3")
		failed.Status = conformance.Failed
		failed.Failure = &conformance.Failure{
			Step: 20, Steps: 21, Action: `tool_call "a" ` + quotedText("x"), Problem: "the verdict differs", Trace: traceOf(19),
			Differences: []conformance.Difference{{Path: "message", Want: quotedText("STOP"), Got: quotedText("stop")}, {Path: "loop", Want: "true", Got: "false"}},
		}
		r.Results = append(r.Results, failed)
	}
	r.Suite.Selected, r.Suite.Total, r.Suite.UnselectedProtocol, r.Suite.UncheckedLaws = len(r.Results), len(r.Results), 0, 0
	return r
}

// alike is a report of a port whose failures have few causes: a setting that it refuses, a member that it leaves out, a
// detector that never says loop; and of a law and a case that are broken beside them.
func alike() *conformance.Report {
	r := many(0)
	r.Results = nil
	add := func(id string, detector spec.DetectorID, clause string, failure conformance.Failure, said bool) {
		failed := result(id, detector, spec.Text, clause)
		failed.Status, failed.Failure, failed.SaidLoop = conformance.Failed, &failure, said
		r.Results = append(r.Results, failed)
	}
	const another = "the verdict differs"
	differs := func(d ...conformance.Difference) conformance.Failure {
		return conformance.Failure{Step: 2, Steps: 3, Action: "reset", Problem: another, Differences: d}
	}
	add("fingerprint-wrong", spec.Fingerprint, "FP-9", differs(conformance.Difference{Path: "count", Want: "3", Got: "2"}), true)
	for i, clause := range []string{"FP-4", "FP-7", "FP-8"} {
		refusal := conformance.Difference{Path: "refusal", Got: fmt.Sprintf("invalid_config fuzzy_threshold: %d is too small", i)}
		failure := conformance.Failure{Steps: 3, Action: "session/open", Problem: "the port refused what it must accept", Differences: []conformance.Difference{refusal}}
		add("fingerprint-refused-"+clause, spec.Fingerprint, clause, failure, false)
		r.Results[len(r.Results)-1].Config = `{"fuzzy_threshold":2}`
		left := []conformance.Difference{{Path: "kind", Want: `"exact"`}, {Path: "evidence[1].at", Want: "7"}}
		add("fingerprint-without-"+clause, spec.Fingerprint, clause, differs(left...), true)
	}
	for _, clause := range []string{"GU-1", "GU-2"} {
		silent := []conformance.Difference{{Path: "loop", Want: "true", Got: "false"}, {Path: "count", Want: "3"}}
		add("guards-silent-"+clause, spec.Guards, clause, differs(silent...), false)
	}
	add("fingerprint-law-prefix", spec.Fingerprint, "PR-14", differs(conformance.Difference{Path: "loop", Want: "true", Got: "false"}), false)
	add("fingerprint-law-forgetting", spec.Fingerprint, "FP-9", differs(conformance.Difference{Path: "count", Want: "1", Got: "2"}), false)
	add("fingerprint-law-agreement", spec.Fingerprint, "FP-9", differs(conformance.Difference{Path: "count", Want: "3", Got: "2"}), false)
	for i := len(r.Results) - 3; i < len(r.Results); i++ {
		r.Results[i].File, r.Results[i].Line, r.Results[i].Tags = "", 0, []string{"law"}
	}
	r.Suite.Selected, r.Suite.Total = len(r.Results)-3, len(r.Results)-3
	return r
}

// slips is a report of a port with four slips: one of crow that breaks many clauses, and one each of composed,
// fingerprint and history, of which composed also breaks the law of evidence.
func slips() *conformance.Report {
	r := many(0)
	r.Results = nil
	add := func(n int, detector spec.DetectorID, clauses []string, differences ...conformance.Difference) {
		for i := range n {
			id := fmt.Sprintf("%s-by-%s-%d", detector, clauses[0], i)
			failed := result(id, detector, spec.Text, clauses...)
			failed.Status, failed.SaidLoop = conformance.Failed, true
			failed.Failure = &conformance.Failure{
				Step: 2, Steps: 3, Action: "reset", Problem: "the verdict differs", Differences: differences,
			}
			r.Results = append(r.Results, failed)
		}
	}
	loop := conformance.Difference{Path: "loop", Want: "true", Got: "false"}
	add(1, spec.Composed, []string{"PR-34", "CO-38"}, conformance.Difference{Path: "evidence", Got: "[0]"})
	law := &r.Results[0]
	law.Case, law.File, law.Line, law.Tags = "composed-law-evidence", "", 0, []string{"law"}
	add(24, spec.Composed, []string{"CO-18"}, conformance.Difference{Path: "loop", Want: "false", Got: "true"})
	for _, clauses := range [][]string{{"CR-33"}, {"CR-2", "CR-33"}, {"CR-39"}, {"CR-43", "CR-33"}} {
		add(3, spec.Crow, clauses, loop)
	}
	add(2, spec.Fingerprint, []string{"FP-7"}, loop)
	add(2, spec.History, []string{"HI-8"}, conformance.Difference{Path: "count", Want: "2", Got: "1"})
	r.Suite.Selected, r.Suite.Total = len(r.Results)-1, len(r.Results)-1
	return r
}

// nasty are pieces of text that some format gives a meaning to, or cannot hold.
var nasty = []string{
	"a", "b c", "\n", "\r", "\t", "\x00", "\x1b[31m", "\x7f", "\u0085", "\u202e", "\u2028", "\ufeff", "\ufffd", "\ufffe",
	"\"", "'", "`", "```", "\\", "%", "%0A", ":", "::", ",", "#", "# SKIP", "|", "<", ">", "&", "&lt;", "]]>", "<!--", "</details>",
	"---", "...", "\n  ...\n", "{", "}", "[", "- ", "* ", "@all", "::error::x", "ä", "大小", "😀", "e\u0301", "ok 1", "not ok",
}

// hostileText draws a text out of nasty pieces.
func hostileText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		text := ""
		for _, piece := range rapid.SliceOfN(rapid.SampledFrom(nasty), 0, 4).Draw(t, "pieces") {
			text += piece
		}
		return text
	})
}

// hostileReport draws a report every member of which is set to something, so that a member that is added later is
// covered too.
func hostileReport() *rapid.Generator[*conformance.Report] {
	return rapid.Custom(func(t *rapid.T) *conformance.Report {
		r := &conformance.Report{}
		fill(t, reflect.ValueOf(r).Elem())
		for i := range r.Results {
			result := &r.Results[i]
			result.Case += "c" // a case has a name and a clause
			result.Clauses = append(result.Clauses, "FP-1")
			if !mayFail(result.Status) {
				result.Failure = nil
			}
		}
		return r
	})
}

// fill draws something for every part of a value.
func fill(t *rapid.T, v reflect.Value) {
	switch v.Interface().(type) {
	case conformance.Status:
		v.SetString(string(rapid.SampledFrom(statuses).Draw(t, "status")))
		return
	case spec.Value:
		name := spec.Member{Name: "name", Value: spec.StringValue(hostileText().Draw(t, "text"))}
		v.Set(reflect.ValueOf(spec.ObjectValue(name)))
		return
	case time.Duration:
		v.SetInt(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "duration"))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem())
	case reflect.Slice:
		n := rapid.IntRange(1, 3).Draw(t, "length")
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			fill(t, v.Index(i))
		}
	case reflect.String:
		v.SetString(hostileText().Draw(t, "text"))
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "flag"))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64Range(1, 1000).Draw(t, "number"))
	default:
		t.Fatalf("the report has a member of a kind that fill does not know: %s", v.Type())
	}
}
