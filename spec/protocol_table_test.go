package spec_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loopstone/loopstone/conformance/stdio"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// TestClausesNameEverything: a port is written from the clauses alone, so each name of the protocol and of a detector
// occurs in one of them.
func TestClausesNameEverything(t *testing.T) {
	t.Parallel()
	for _, name := range everyName() {
		isWord := regexp.MustCompile(`(^|[^\w-])` + regexp.QuoteMeta(name) + `($|[^\w-])`)
		says := func(c spec.Clause) bool { return isWord.MatchString(c.Text + "\n" + c.Literal) }
		if !slices.ContainsFunc(spec.Clauses(), says) {
			t.Errorf("no clause names %q", name)
		}
	}
}

func everyName() []string {
	names := slices.Concat(stdio.Methods(), spec.VerdictMembers(), lists.Strings(spec.FaultKinds), lists.Strings(spec.EventTypes()))
	for _, m := range spec.AnyMembers() {
		names = append(names, m.Name)
	}
	for _, typ := range spec.EventTypes() {
		for _, m := range spec.EventMembers(typ) {
			names = append(names, m.Name)
		}
	}
	for _, d := range spec.Detectors() {
		names = append(names, string(d.ID), d.Prefix)
		names = append(names, slices.Concat(lists.Strings(d.Features), lists.Strings(d.Readings), lists.Strings(d.Kinds()))...)
		names = append(names, d.SettingNames()...)
		for function := range d.Functions {
			names = append(names, function)
		}
	}
	return names
}

// TestTablesOfTheProtocol holds the tables of PR-47 (detectors), PR-48 (features) and PR-53 (events) against package
// spec.
func TestTablesOfTheProtocol(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		clause string
		want   []string
		got    func(row []string) string
	}{
		{"PR-47", detectorRows(), func(row []string) string { return strings.Join(row, "|") }},
		{"PR-48", featureRows(), func(row []string) string { return row[0] + "|" + row[2] }},
		{"PR-53", eventRows(), func(row []string) string { return strings.Join(row, "|") }},
	} {
		t.Run(test.clause, func(t *testing.T) {
			t.Parallel()
			c, _ := spec.ClauseByID(test.clause)
			var got []string
			for _, line := range strings.Split(c.Literal, "\n")[1:] {
				got = append(got, test.got(regexp.MustCompile(` {2,}`).Split(line, -1)))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("the table of %s (-want +got):\n%s", test.clause, diff)
			}
		})
	}
}

func detectorRows() (rows []string) {
	for _, d := range spec.Detectors() {
		documents := strings.Join(d.Documents, ", ")
		if documents == string(d.ID) {
			documents = "none"
		}
		rows = append(rows, fmt.Sprintf("%s|%s|%s|%s", d.ID, d.Prefix, documents, wording.Join(d.Readings, ", ")))
	}
	return rows
}

func featureRows() (rows []string) {
	of, all := map[spec.Feature][]string{}, spec.Detectors()
	for _, d := range all {
		for _, f := range d.Features {
			of[f] = append(of[f], string(d.ID))
		}
	}
	for _, f := range []spec.Feature{
		spec.Messages, spec.Layout, spec.Functions, spec.Hashes, spec.AI, spec.Merge, spec.State, spec.Snapshots,
		spec.Mitigations, spec.Evidence, spec.IntFloat, spec.Replies, spec.Shared,
	} {
		detectors := strings.Join(of[f], ", ")
		if len(of[f]) == len(all) {
			detectors = "all"
		}
		rows = append(rows, string(f)+"|"+detectors)
	}
	return rows
}

func eventRows() (rows []string) {
	row := func(name string, members []spec.EventMember) string {
		texts := lists.Map(members, memberText)
		if len(texts) == 0 {
			texts = []string{"none"}
		}
		return name + "|" + strings.Join(texts, ", ")
	}
	for _, typ := range spec.EventTypes() {
		rows = append(rows, row(string(typ), spec.EventMembers(typ)))
	}
	return append(rows, row("any type", spec.AnyMembers()))
}

// absent is what an absent member then is.
var absent = map[string]string{"args": " ({})", "ok": " (true)", "channel": " (answer)"}

// listed are the members that have one of a few words.
var listed = map[string]string{"role": "user|assistant|system", "channel": "answer|thought|arguments"}

func memberText(m spec.EventMember) string {
	name, typ := m.Name, string(m.Kind.String())
	if !m.Required {
		name = "[" + name + "]"
	}
	if text, ok := listed[m.Name]; ok {
		typ = text
	}
	return name + ": " + typ + absent[m.Name]
}

// TestEachTermHasAName: what stands in asterisks at the head of an item is found where a clause uses it.
func TestEachTermHasAName(t *testing.T) {
	t.Parallel()
	pages := []string{"protocol"}
	for _, d := range spec.Detectors() {
		pages = append(pages, string(d.ID))
	}
	for _, name := range pages {
		page, ok := spec.PageOf(name)
		begins := lists.Filter(page.Blocks, func(b spec.Block) bool {
			return b.Kind == spec.Item && strings.HasPrefix(b.Text, "*")
		})
		if terms := page.Terms(); !ok || len(begins) == 0 || len(terms) != len(begins) {
			t.Errorf("%s has %d terms, and %d items that begin with one", name, len(terms), len(begins))
		}
	}
}
