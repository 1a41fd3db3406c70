package report

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/wording"
)

// The elements of a JUnit file, as far as CI systems agree on them. Texts are character data, never CDATA: within
// CDATA, encoding/xml lets characters through that no XML parser accepts.
type (
	junitRun struct {
		XMLName xml.Name `xml:"testsuites"`
		Name    string   `xml:"name,attr"`
		junitCounts
		Time   string       `xml:"time,attr"` // seconds
		Suites []junitSuite `xml:"testsuite"`
	}
	junitCounts struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Skipped  int `xml:"skipped,attr"`
	}
	junitSuite struct {
		Name string `xml:"name,attr"`
		junitCounts
		Timestamp  string          `xml:"timestamp,attr,omitempty"`
		Properties []junitProperty `xml:"properties>property"`
		Tests      []junitTest     `xml:"testcase"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitTest struct {
		Name    string       `xml:"name,attr"`
		Class   string       `xml:"classname,attr"`
		Time    string       `xml:"time,attr,omitempty"` // seconds
		File    string       `xml:"file,attr,omitempty"`
		Line    int          `xml:"line,attr,omitempty"`
		Failure *junitDetail `xml:"failure"`
		Error   *junitDetail `xml:"error"`
		Skipped *junitDetail `xml:"skipped"`
	}
	junitDetail struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

// junit renders the report as JUnit XML: a suite for each detector and reading. What the port does wrong is a failure;
// a broken adapter, a suite that is wrong and a missing answer are errors; known failures and what was not checked are
// skipped, in a suite of its own with a line for each kind. Problems of the run itself fail in a suite of their own.
func junit(r *conformance.Report, options Options) ([]byte, error) {
	run := junitRun{Name: "loopstone", Time: fmt.Sprintf("%.3f", r.Elapsed.Seconds())}
	add := func(name string, tests []junitTest) {
		if len(tests) > 0 {
			run.Suites = append(run.Suites, junitSuite{Name: name, Tests: tests})
		}
	}
	for _, p := range groupBy(r.Results, partOf) {
		var tests []junitTest
		for _, result := range p.results {
			if result.Status != conformance.Skipped {
				tests = append(tests, junitTestOf(result, r.Settings.Folder, options))
			}
		}
		add(p.key, tests)
	}
	skipped, problems := junitOfRun(r)
	add("not checked", skipped)
	add("the run", problems)
	for i := range run.Suites {
		s := &run.Suites[i]
		s.Timestamp, s.Properties = junitTime(options), junitProperties(r)
		s.count()
		run.add(s.junitCounts)
	}
	content, err := xml.MarshalIndent(run, "", "  ")
	if err != nil {
		return nil, err
	}
	return []byte(xml.Header + string(content) + "\n"), nil
}

// junitOfRun returns what stands for no single result: a line for each kind of what was not checked, and the problems
// of the run itself.
func junitOfRun(r *conformance.Report) (skipped, problems []junitTest) {
	for _, line := range notChecked(r) {
		skipped = append(skipped, junitTest{
			Name: line, Class: "loopstone.not-checked", Skipped: &junitDetail{Message: "not checked"},
		})
	}
	for i, problem := range runProblems(r) {
		problems = append(problems, junitTest{
			Name: fmt.Sprintf("problem %d", i+1), Class: "loopstone.run", Error: &junitDetail{Message: problem, Type: "run"},
		})
	}
	return skipped, problems
}

func junitTestOf(result conformance.Result, folder string, options Options) junitTest {
	class := "loopstone." + string(result.Detector)
	if result.Reading != "" {
		class += "." + string(result.Reading)
	}
	test := junitTest{
		Name: wording.Line(result.Case), Class: wording.Line(class),
		Time: fmt.Sprintf("%.6f", time.Duration(result.Elapsed).Seconds()),
	}
	if test.File = wording.Line(caseFile(folder, result)); test.File != "" {
		test.Line = result.Line
	}
	options.Verbose = true
	switch result.Status {
	case conformance.Passed:
	case conformance.Failed:
		test.Failure = junitDetailOf(result, firstClause(result), options)
	case conformance.Known:
		test.Skipped = junitDetailOf(result, "", options)
		test.Skipped.Message = "known failure: " + wording.Line(result.Excuse)
	default:
		test.Error = junitDetailOf(result, string(result.Status), options)
	}
	return test
}

func junitDetailOf(result conformance.Result, kind string, options Options) *junitDetail {
	return &junitDetail{Message: result.Brief(), Type: kind, Text: strings.Join(whole(result, options), "\n")}
}

func junitTime(options Options) string {
	if options.Started.IsZero() {
		return ""
	}
	return options.Started.UTC().Format("2006-01-02T15:04:05") // without a zone, as the schema of JUnit has it
}

func junitProperties(r *conformance.Report) []junitProperty {
	properties := []junitProperty{
		{"port", r.Port.Name},
		{"port.version", r.Port.Version},
		{"port.language", r.Port.Language},
		{"suite.version", r.Suite.Version},
		{"suite.digest", r.Suite.Digest},
		{"outcome", r.Outcome().String()},
		{"summary", Summary(r)},
		{"restarts", strconv.Itoa(r.Restarts)},
	}
	if seeds := seedsOf(r); seeds != "" {
		properties = append(properties, junitProperty{"seeds", seeds})
	}
	if rules := ownRuleLines(r.Port, rulesOnPage); len(rules) > 0 {
		properties = append(properties, junitProperty{"own rules", strings.Join(rules, "; ")})
	}
	for i := range properties {
		properties[i].Value = wording.Line(properties[i].Value)
	}
	return properties
}

// count counts the tests of a suite.
func (s *junitSuite) count() {
	for _, test := range s.Tests {
		one := junitCounts{Tests: 1}
		switch {
		case test.Failure != nil:
			one.Failures = 1
		case test.Error != nil:
			one.Errors = 1
		case test.Skipped != nil:
			one.Skipped = 1
		}
		s.add(one)
	}
}

func (c *junitCounts) add(other junitCounts) {
	c.Tests += other.Tests
	c.Failures += other.Failures
	c.Errors += other.Errors
	c.Skipped += other.Skipped
}
