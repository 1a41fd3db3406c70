package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/adapters"
	"github.com/loopstone/loopstone/conformance/report"
	"github.com/loopstone/loopstone/internal/suite/bench"
	"github.com/loopstone/loopstone/internal/suite/statement"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/words"
)

// implementation is a port as its column of the matrix shows it.
type implementation struct {
	name    string // of its files, without an extension
	text    string // the jsonl report
	report  *conformance.Report
	started string // when it was run
	speeds  map[spec.DetectorID]float64
	machine string // on which the speeds were measured
}

// implementations reads the ports of some folders: NAME.jsonl is the report of a run, NAME.txt beside it what
// loopstone bench has measured. The project's own ports come first.
func implementations(folders []string) ([]implementation, error) {
	var all []implementation
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil, fmt.Errorf("read the reports of implementations: %w", err)
		}
		for _, entry := range entries {
			name, isReport := strings.CutSuffix(entry.Name(), ".jsonl")
			if !isReport {
				continue
			}
			one, err := readImplementation(filepath.Join(folder, name), name)
			if err != nil {
				return nil, err
			}
			if slices.ContainsFunc(all, func(other implementation) bool { return other.name == name }) {
				return nil, fmt.Errorf("read the reports of implementations: %s has a second %s.jsonl", folder, name)
			}
			all = append(all, one)
		}
	}
	place := func(i implementation) int {
		if at := slices.Index(ownPorts(), i.name); at >= 0 {
			return at
		}
		return len(ownPorts())
	}
	slices.SortStableFunc(all, func(a, b implementation) int { return cmp.Compare(place(a), place(b)) })
	return all, nil
}

// ownPorts returns the names of the project's own ports.
func ownPorts() []string {
	return words.By(adapters.Starters(), func(s adapters.Starter) string { return s.Language })
}

func readImplementation(path, name string) (implementation, error) {
	text, err := os.ReadFile(path + ".jsonl")
	if err != nil {
		return implementation{}, fmt.Errorf("read a report: %w", err)
	}
	one := implementation{name: name, text: string(text)}
	if one.report, err = statement.Read(text); err != nil {
		return one, fmt.Errorf("%s.jsonl: %w", path, err)
	}
	var head struct{ Started string }
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&head); err != nil {
		return one, fmt.Errorf("%s.jsonl: %w", path, err)
	}
	one.started = head.Started
	return one, one.readSpeeds(path + ".txt")
}

// busy begins the line of a file of measurements that warns of other work on the machine.
const busy = "# preliminary: "

// readSpeeds reads events per second of each detector, of its slower reading. A port may have none.
func (i *implementation) readSpeeds(path string) error {
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the speeds: %w", err)
	}
	i.speeds = map[spec.DetectorID]float64{}
	for results := benchfmt.NewReader(bytes.NewReader(text), path); results.Scan(); {
		switch result := results.Result().(type) {
		case *benchfmt.SyntaxError:
			return fmt.Errorf("read the speeds: %w", result)
		case *benchfmt.Result:
			i.machine = result.GetConfig("cpu") + ", " + result.GetConfig("processors") + " processors"
			i.add(result)
		}
	}
	if len(i.speeds) == 0 {
		return fmt.Errorf("read the speeds: %s has none of an everyday workload", path)
	}
	if _, after, found := strings.Cut(string(text), busy); found {
		warning, _, _ := strings.Cut(after, "\n")
		i.machine += ", " + warning
	}
	return nil
}

// add takes in a measurement, if it is of the workload without long loops.
func (i *implementation) add(result *benchfmt.Result) {
	_, parts := result.Name.Parts()
	about := map[string]string{}
	for _, part := range parts {
		key, value, _ := strings.Cut(strings.TrimPrefix(string(part), "/"), "=")
		about[key] = value
	}
	detector := spec.DetectorID(about["detector"])
	set, err := bench.For(detector)
	speed, found := result.Value("events/s")
	if err != nil || !found || about["workload"] != set.Everyday {
		return // measured by another version, of a detector that is not known here, or not for this page
	}
	if slowest, known := i.speeds[detector]; !known || speed < slowest {
		i.speeds[detector] = speed
	}
}

// title names a port in its own words.
func (i *implementation) title() string { return words.Line(i.report.Port.Name) }

// score says how a port fares with a detector, or with the protocol.
func (i *implementation) score(d spec.DetectorID) string {
	results := words.Among(i.report.Results, func(r conformance.Result) bool { return r.Detector == d })
	skipped, passed := count(results, conformance.Skipped), count(results, conformance.Passed)
	ran := len(results) - skipped
	switch {
	case d != cases.Protocol && !i.declares(d):
		return "not declared"
	case ran == 0:
		return "not checked"
	}
	mark, rest := "✓", ""
	if passed < ran {
		mark = "✗"
	}
	if skipped > 0 {
		rest = fmt.Sprintf("<br>%d not checked", skipped)
	}
	if speed, known := i.speeds[d]; known {
		rest += fmt.Sprintf("<br>%.1f k events/s", speed/1000)
	}
	return fmt.Sprintf("%s %d of %d%s", mark, passed, ran, rest)
}

func (i *implementation) declares(d spec.DetectorID) bool {
	return slices.ContainsFunc(i.report.Port.Detectors, func(o spec.Offer) bool { return o.Detector == d })
}

func count(results []conformance.Result, status conformance.Status) int {
	return len(words.Among(results, func(r conformance.Result) bool { return r.Status == status }))
}

// language is what a port says that it is written in.
func (i *implementation) language() string { return words.Line(i.report.Port.Language) }

// suite says by which suite a port was judged.
func (i *implementation) suite(now conformance.SuiteInfo) string {
	if i.report.Suite.Digest == now.Digest {
		return "this site's"
	}
	return fmt.Sprintf("another: %s<br>digest %s", cell(i.report.Suite.Version), cell(i.report.Suite.Digest))
}

const implementationsHead = `---
title: Implementations
aside: false
pageClass: wide
---

# Implementations

Each implementation was run by ` + "`loopstone test`" + ` on all cases and laws. A cell shows how many tests pass of those that ran: a
test is a case or law in one reading. Below it stands the speed through the pipe that ` + "`loopstone bench`" + ` measures, in the slower
reading, on an everyday workload. Speeds of different machines cannot be compared.

`

// writeImplementations makes the page of all implementations, and the files of their statements.
func (s *site) writeImplementations() {
	s.pages["implementations.md"] = s.implementationsPage()
	for _, i := range s.ports {
		s.pages["public/statement/"+i.name+".jsonl"] = i.text
	}
}

// implementationsPage is the matrix of implementations by detectors, and what each statement is.
func (s *site) implementationsPage() string {
	var b strings.Builder
	b.WriteString(implementationsHead)
	if len(s.ports) > 0 {
		s.writeMatrix(&b)
	}
	missing := slices.DeleteFunc(ownPorts(), func(name string) bool {
		return slices.ContainsFunc(s.ports, func(i implementation) bool { return i.name == name })
	})
	if len(missing) > 0 {
		fmt.Fprintf(&b, "Not run when this site was built: %s. `make matrix` runs the project's own implementations.\n\n",
			strings.Join(missing, ", "))
	}
	b.WriteString("## Add yours\n\n")
	fmt.Fprintf(&b, "Put the report of a run into [docs/implementations](%sdocs/implementations), ", repository)
	b.WriteString("and open a pull request:\n\n")
	b.WriteString(fenced("sh", "loopstone test --statement docs/implementations/NAME.jsonl -- YOUR PORT\n"+
		"loopstone bench -- YOUR PORT > docs/implementations/NAME.txt") + "\n")
	for i := range s.ports {
		s.ports[i].write(&b)
	}
	return b.String()
}

// writeMatrix writes the table of implementations by detectors.
func (s *site) writeMatrix(b *strings.Builder) {
	b.WriteString("<div class=\"matrix\">\n\n")
	row := func(head string, text func(i *implementation) string) {
		fmt.Fprintf(b, "| %s |", head)
		for i := range s.ports {
			fmt.Fprintf(b, " %s |", text(&s.ports[i]))
		}
		b.WriteString("\n")
	}
	row("detector", func(i *implementation) string { return cell(i.title()) })
	row("---", func(*implementation) string { return "---" })
	row(detectorLink(cases.Protocol), func(i *implementation) string { return i.score(cases.Protocol) })
	for _, d := range spec.Detectors() {
		row(detectorLink(d.ID), func(i *implementation) string { return i.score(d.ID) })
	}
	now := conformance.InfoOf(s.suite)
	row("suite", func(i *implementation) string { return i.suite(now) })
	row("language", func(i *implementation) string { return cell(i.language()) })
	b.WriteString("\n</div>\n\n")
}

// write describes a port and its statement.
func (i *implementation) write(b *strings.Builder) {
	fmt.Fprintf(b, "## %s\n\n", prose(i.title()))
	p := i.report.Port
	fmt.Fprintf(b, "%s: %s.\n\n", i.report.Outcome(), prose(words.Line(report.Summary(i.report))))
	fmt.Fprintf(b, "- Version: %s\n", prose(words.Line(p.Version)))
	if to, err := url.Parse(p.URL); err == nil && (to.Scheme == "https" || to.Scheme == "http") {
		fmt.Fprintf(b, "- <a href=\"%s\">Source</a>\n", tag(to.String()))
	}
	fmt.Fprintf(b, "- Run: %s\n", prose(words.Line(i.started)))
	if i.machine != "" {
		fmt.Fprintf(b, "- Speed measured on: %s\n", prose(words.Line(i.machine)))
	}
	file := i.name + ".jsonl"
	fmt.Fprintf(b, "- Statement: <a href=\"statement/%s\" download>%s</a>\n\n", url.PathEscape(file), tag(file))
	verify := "loopstone verify " + words.Shell(file)
	if len(p.Command) > 0 {
		verify += " -- " + words.Shell(p.Command...)
	}
	fmt.Fprintf(b, "Anyone can repeat the run and compare:\n\n%s\n", fenced("sh", words.Line(verify)))
}
