package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/fuzz"
	"github.com/loopstone/loopstone/internal/suite/published"
	"github.com/loopstone/loopstone/spec"
)

// versions is what this program knows of versions: its own suite, and what the last published version asked.
type versions struct {
	digest string
	ids    []string // of the suite's clauses, cases and laws
	last   published.Last
}

func knownVersions() (versions, error) {
	suite, err := builtInSuite()
	if err != nil {
		return versions{}, err
	}
	_, digest, err := cases.Summary()
	if err != nil {
		return versions{}, suiteError{err}
	}
	all := slices.Concat(suite, fuzz.Cases())
	last, err := published.LastVersion(spec.Clauses(), all)
	if err != nil {
		return versions{}, suiteError{err}
	}
	return versions{digest, published.IDs(spec.Clauses(), all), last}, nil
}

// versionNames lists the names by which versions can be asked for.
func versionNames() []string {
	v, _ := knownVersions() // where they cannot be read, there are none to be named
	return []string{v.last.Version, v.digest}
}

// isOwn reports whether a name is that of this program's suite: its digest, or its version, unless a suite with other
// requirements was published as that version.
func (v versions) isOwn(name string) bool {
	return name == v.digest || name == spec.Version && (v.last.IsSame || v.last.Version != spec.Version)
}

// own names this program's suite.
func (v versions) own() string {
	if v.isOwn(spec.Version) {
		return fmt.Sprintf("%s (digest %s)", spec.Version, v.digest)
	}
	return fmt.Sprintf("%s with later changes (digest %s)", spec.Version, v.digest)
}

// listRequirements prints what conforming to a version asks: a row for each clause, case and law, and a table of how
// many there are.
func listRequirements(w *tabwriter.Writer, wanted listing) error {
	v, err := knownVersions()
	if err != nil {
		return err
	}
	switch {
	case wanted.version == "" || v.isOwn(wanted.version):
		return writeRequirements(w, v.own(), v.ids)
	case wanted.version == v.last.Version:
		title := v.last.Version + " as published"
		if !slices.ContainsFunc(v.last.IDs, isLaw) {
			title += ", whose list has no laws"
		}
		return writeRequirements(w, title, v.last.IDs)
	default:
		return fmt.Errorf("this loopstone does not hold version %s; it holds the list of %s, and its suite is %s",
			wanted.version, v.last.Version, v.own())
	}
}

func isLaw(id string) bool {
	_, sort := requirementOf(id)
	return sort == "law"
}

func writeRequirements(w *tabwriter.Writer, title string, ids []string) error {
	type entry struct {
		detector spec.DetectorID
		sort     string
	}
	counts, detectors := map[entry]int{}, map[spec.DetectorID]bool{}
	for _, id := range ids {
		detector, sort := requirementOf(id)
		detectors[detector] = true
		counts[entry{detector, sort}]++
		fmt.Fprintf(w, "%s\t%s\t%s\n", detector, sort, id)
	}
	if err := w.Flush(); err != nil { // the table has columns of its own
		return err
	}
	fmt.Fprintf(w, "\nThe requirements of %s:\ndetector\tclauses\tcases\tlaws\n", title)
	for _, d := range slices.Sorted(maps.Keys(detectors)) {
		numbers := lists.Map([]string{"clause", "case", "law"}, func(sort string) string {
			return cmp.Or(strings.TrimPrefix(strconv.Itoa(counts[entry{d, sort}]), "0"), "-")
		})
		fmt.Fprintf(w, "%s\t%s\n", d, strings.Join(numbers, "\t"))
	}
	return nil
}

// requirementOf returns whose requirement an id names, and its sort: clause, case or law.
func requirementOf(id string) (detector spec.DetectorID, sort string) {
	prefix, rest, _ := strings.Cut(id, "-")
	for _, d := range spec.Detectors() {
		if d.Prefix == prefix {
			return d.ID, "clause"
		}
	}
	switch {
	case prefix == "PR":
		return cases.Protocol, "clause"
	case strings.HasPrefix(rest, "law-"):
		return spec.DetectorID(prefix), "law"
	default:
		return spec.DetectorID(prefix), "case"
	}
}
