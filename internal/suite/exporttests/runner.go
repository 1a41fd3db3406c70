package exporttests

import (
	"bytes"
	"embed"
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/porttest"
)

// Runner is a test runner that tests can be written for.
type Runner struct {
	Name string
	File string // that the user edits; empty if there are the data alone

	template string
}

// DataFile is the name of the file with the tests.
const DataFile = "loopstone.json"

// Runners returns the runners, in the order in which help names them.
func Runners() []Runner {
	return []Runner{
		{"vitest", "loopstone.test.mjs", "javascript.mjs.tmpl"},
		{"node", "loopstone.test.mjs", "javascript.mjs.tmpl"},
		{"pytest", "test_loopstone.py", "pytest.py.tmpl"},
		{"go", "loopstone_test.go", "go.go.tmpl"},
		{"json", "", ""},
	}
}

// RunnerNames returns the names of the runners.
func RunnerNames() []string { return lists.Map(Runners(), func(r Runner) string { return r.Name }) }

// RunnerByName returns the runner of that name and whether there is one.
func RunnerByName(name string) (Runner, bool) {
	return lists.Find(Runners(), func(r Runner) bool { return r.Name == name })
}

//go:embed runners
var templates embed.FS

// TestFile returns the test file of the runner, in which the user calls a detector.
func (r Runner) TestFile(t Tests) ([]byte, error) {
	content := struct {
		Runner, Command, Data string
		Names, First, Members string
		Calls                 bool
		Call                  string // an example of a function's name
	}{Runner: r.Name, Command: t.Command, Data: DataFile}
	content.First = string(t.Detectors[0].ID)
	content.Names = strings.Join(lists.Map(t.Detectors, func(d Detector) string { return string(d.ID) }), ", ")
	var members []string
	for _, d := range t.Detectors {
		members = append(members, d.Members...)
	}
	slices.Sort(members)
	content.Members = strings.Join(slices.Compact(members), ", ")
	isCall := func(one porttest.Test) bool { return one.Call != nil && unfit(one.Case) == "" }
	if i := slices.IndexFunc(t.Tests, isCall); i >= 0 {
		content.Calls, content.Call = true, t.Tests[i].Call.Function
	}
	parsed, err := template.ParseFS(templates, "runners/"+r.template)
	if err != nil {
		return nil, fmt.Errorf("write the tests for %s: %w", r.Name, err)
	}
	var b bytes.Buffer
	if err := parsed.Execute(&b, content); err != nil {
		return nil, fmt.Errorf("write the tests for %s: %w", r.Name, err)
	}
	return b.Bytes(), nil
}
