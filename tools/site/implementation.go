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
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/bench"
	"github.com/loopstone/loopstone/internal/suite/verify"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// implementation is a port as its column of the matrix shows it.
type implementation struct {
	name    string // of its files, without an extension
	text    string // the jsonl report
	Report  *conformance.Report
	Started string // when it was run
	speeds  map[spec.DetectorID]float64
	Machine string // on which the speeds were measured
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
	return lists.Map(adapters.Starters(), func(s adapters.Starter) string { return s.Language })
}

func readImplementation(path, name string) (implementation, error) {
	text, err := os.ReadFile(path + ".jsonl")
	if err != nil {
		return implementation{}, fmt.Errorf("read a report: %w", err)
	}
	one := implementation{name: name, text: string(text)}
	if one.Report, err = verify.Read(text); err != nil {
		return one, fmt.Errorf("%s.jsonl: %w", path, err)
	}
	var head struct{ Started string }
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&head); err != nil {
		return one, fmt.Errorf("%s.jsonl: %w", path, err)
	}
	one.Started = head.Started
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
			i.Machine = result.GetConfig("cpu") + ", " + result.GetConfig("processors") + " processors"
			i.add(result)
		}
	}
	if len(i.speeds) == 0 {
		return fmt.Errorf("read the speeds: %s has none of an everyday workload", path)
	}
	if _, after, found := strings.Cut(string(text), busy); found {
		warning, _, _ := strings.Cut(after, "\n")
		i.Machine += ", " + warning
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

// Title names a port in its own words.
func (i implementation) Title() string { return wording.Line(i.Report.Port.Name) }

// Score says how a port fares with a detector, or with the protocol.
func (i implementation) Score(d spec.DetectorID) string {
	results := lists.Filter(i.Report.Results, func(r conformance.Result) bool { return r.Detector == d })
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

func (i implementation) declares(d spec.DetectorID) bool {
	return slices.ContainsFunc(i.Report.Port.Detectors, func(o spec.Offer) bool { return o.Detector == d })
}

func count(results []conformance.Result, status conformance.Status) int {
	return lists.Count(results, func(r conformance.Result) bool { return r.Status == status })
}

// Language is what a port says that it is written in.
func (i implementation) Language() string { return wording.Line(i.Report.Port.Language) }

// matrix is what the page of all implementations is about.
type matrix struct {
	Ports   []implementation
	Missing []string              // the project's own ports that were not run
	Suite   conformance.SuiteInfo // of this site
}

func (s *site) matrix() matrix {
	m := matrix{Ports: s.ports, Suite: conformance.InfoOf(s.suite)}
	for _, name := range ownPorts() {
		if !slices.ContainsFunc(s.ports, func(i implementation) bool { return i.name == name }) {
			m.Missing = append(m.Missing, name)
		}
	}
	return m
}

// Home returns the address of a port's source, if it is one of the web.
func (i implementation) Home() string {
	if to, err := url.Parse(i.Report.Port.URL); err == nil && (to.Scheme == "https" || to.Scheme == "http") {
		return to.String()
	}
	return ""
}

// File names the port's statement.
func (i implementation) File() string { return i.name + ".jsonl" }

// Verify returns the command that repeats the run and compares.
func (i implementation) Verify() string {
	command := "loopstone verify " + wording.Shell(i.File())
	if port := i.Report.Port.Command; len(port) > 0 {
		command += " -- " + wording.Shell(port...)
	}
	return command
}

// Summary says how the port fares, as the report does.
func (i implementation) Summary() string { return wording.Line(report.Summary(i.Report)) }
