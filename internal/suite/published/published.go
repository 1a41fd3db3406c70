// Package published keeps what the last version promised: the ids of its clauses, cases and laws, and how the clauses
// were worded. What others cite must not vanish, nor mean something else, without a word in the change log. If its test
// fails, CHANGELOG.md needs that word; make published writes published.txt, for a release only.
package published

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

//go:embed published.txt
var published string

// digestLength is how many characters of a digest are kept: enough to see a change that nobody made on purpose.
const digestLength = 8

// Check compares the specification and its cases with those of the last version. Its error names each that is gone or
// worded anew and that the change log, above the heading of that version, does not name.
func Check(ctx context.Context, clauses []spec.Clause, all []cases.Case, changeLog string) error {
	version, promises, err := parse(published)
	if err != nil {
		return err
	}
	newer, err := above(changeLog, version)
	if err != nil {
		return err
	}
	now := entries(clauses, all)
	ids := idsOf(now)
	var problems []error
	for _, line := range promises {
		id, _, _ := strings.Cut(line, " ")
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case slices.Contains(now, line) || names(newer, id):
		case !slices.Contains(ids, id):
			problems = append(problems,
				fmt.Errorf("%s is published in %s, and gone; say so in CHANGELOG.md, or bring it back", id, version))
		default:
			problems = append(problems,
				fmt.Errorf("%s is published in %s, and has new words; say so in CHANGELOG.md, by its id", id, version))
		}
	}
	return errors.Join(problems...)
}

// History is what became of a clause.
type History struct {
	Version string // the last version, where it has the clause; else empty
	Same    bool   // whether it has it word for word
	Entries []Entry
}

// Entry is what the change log says of a clause under the heading of a version, or of what is not released yet.
type Entry struct{ Version, Text string }

// HistoryOf tells what became of a clause, by the list of the last version and by the change log.
func HistoryOf(c spec.Clause, changeLog string) (History, error) {
	last, promises, err := parse(published)
	if err != nil {
		return History{}, err
	}
	var h History
	if i := slices.IndexFunc(promises, func(line string) bool { return strings.HasPrefix(line, c.ID+" ") }); i >= 0 {
		h.Version, h.Same = last, promises[i] == c.ID+" "+digestOf(c)
	}
	for _, part := range strings.Split(changeLog, "\n## ")[1:] {
		version, text, _ := strings.Cut(part, "\n")
		for _, entry := range strings.Split("\n"+text, "\n- ")[1:] {
			if names(entry, c.ID) {
				h.Entries = append(h.Entries, Entry{version, strings.Join(strings.Fields(entry), " ")})
			}
		}
	}
	return h, nil
}

// entries returns a line for each clause, and then for each case and law.
func entries(clauses []spec.Clause, all []cases.Case) []string {
	var lines []string
	for _, c := range clauses {
		lines = append(lines, c.ID+" "+digestOf(c))
	}
	ids := len(lines)
	for _, c := range all {
		lines = append(lines, c.ID)
	}
	slices.Sort(lines[ids:])
	return lines
}

func digestOf(c spec.Clause) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %v\n%s\n%s", c.Level, c.Readings, c.Text, c.Literal))
	return hex.EncodeToString(sum[:])[:digestLength]
}

func parse(text string) (version string, promises []string, err error) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) < 2 {
		return "", nil, errors.New("internal/suite/published/published.txt holds no ids; write it: make published")
	}
	return lines[0], lines[1:], nil
}

// above returns the part of the change log that stands above the heading of a version: what came after it.
func above(changeLog, version string) (string, error) {
	part, _, found := strings.Cut(changeLog, "\n## "+version+"\n")
	if !found {
		return "", fmt.Errorf("CHANGELOG.md has no heading %q, of the last version", "## "+version)
	}
	return part, nil
}

// clauseRange matches "CR-7 to CR-12", which names all clauses from the first to the last.
var clauseRange = regexp.MustCompile(`\b([A-Z]+)-(\d+)\s+to\s+([A-Z]+)-(\d+)\b`)

// names reports whether a text names an id, by itself or within a range of clauses. An id that is a part of another one
// is not named.
func names(text, id string) bool {
	if regexp.MustCompile(`(^|[^\w-])` + regexp.QuoteMeta(id) + `($|[^\w-])`).MatchString(text) {
		return true
	}
	prefix, digits, _ := strings.Cut(id, "-")
	number, err := strconv.Atoi(digits)
	if err != nil {
		return false // a case
	}
	return slices.ContainsFunc(clauseRange.FindAllStringSubmatch(text, -1), func(m []string) bool {
		first, _ := strconv.Atoi(m[2]) // they match digits
		last, _ := strconv.Atoi(m[4])
		return m[1] == prefix && m[3] == prefix && first <= number && number <= last
	})
}
