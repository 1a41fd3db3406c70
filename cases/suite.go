package cases

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/loopstone/loopstone"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

// All returns the suite that is built in. Its error, which the tests of this package exclude, is that of [Load].
func All() ([]Case, error) { return builtIn() }

var builtIn = sync.OnceValues(func() ([]Case, error) { return load(Files(), builtInCompiled().over(Parse)) })

// Files returns the built-in case files.
func Files() fs.FS {
	sub, err := fs.Sub(loopstone.CaseFiles, "cases")
	if err != nil {
		panic(err) // the name is a constant
	}
	return sub
}

// Load reads every YAML file below the root of the file system, in the order of their paths. Everything that is
// wrong with any of them is returned, joined, one problem a line with file, line and column; the cases are then nil.
func Load(files fs.FS) ([]Case, error) { return load(files, Parse) }

// parser returns the cases of a file of that name and text.
type parser func(name string, text []byte) ([]Case, error)

func load(files fs.FS, parse parser) ([]Case, error) {
	paths, err := casePaths(files)
	if err != nil {
		return nil, err
	}
	read := make([]caseFile, len(paths))
	next := make(chan int)
	var readers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(paths)) { // reading YAML takes a runner longer than all else
		readers.Go(func() {
			for i := range next {
				read[i].load(files, paths[i], parse)
			}
		})
	}
	for i := range paths {
		next <- i
	}
	close(next)
	readers.Wait()
	var all []Case
	var problems []error
	for _, file := range read {
		if file.unread != nil {
			return nil, fmt.Errorf("read cases: %w", file.unread)
		}
		all, problems = append(all, file.cases...), append(problems, file.problems)
	}
	problems = append(problems, uniqueIDs(all))
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return all, nil
}

// caseFile is what was read of a case file.
type caseFile struct {
	cases    []Case
	problems error // what is wrong with its text
	unread   error // why it could not be read
}

func (f *caseFile) load(files fs.FS, path string, parse parser) {
	text, err := readFile(files, path)
	if f.unread = err; err == nil {
		f.cases, f.problems = parse(path, text)
	}
}

// mostBytes bounds a case file; the largest that people read and write have a fortieth of it.
const mostBytes = 4 << 20

// readFile reads a regular file: from a pipe that nobody writes to, reading would never return.
func readFile(files fs.FS, path string) ([]byte, error) {
	info, err := fs.Stat(files, path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file", path)
	case info.Size() > mostBytes:
		return nil, fmt.Errorf("%s has %d MB; a case file has at most %d", path, info.Size()>>20, mostBytes>>20)
	default:
		return fs.ReadFile(files, path)
	}
}

func casePaths(files fs.FS) ([]string, error) {
	var paths []string
	err := fs.WalkDir(files, ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && slices.Contains([]string{".yaml", ".yml"}, path.Ext(p)) {
			paths = append(paths, p)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list case files: %w", err)
	}
	if len(paths) == 0 {
		return nil, errors.New("no case files (*.yaml)")
	}
	return paths, nil
}

func uniqueIDs(all []Case) error {
	first := map[string]strictyaml.Place{}
	var problems []error
	for _, c := range all {
		if place, twice := first[c.ID]; twice && c.ID != "" { // else another problem is told
			problems = append(problems, c.Place.Problemf("the id %s is already at %s", c.ID, place))
			continue
		}
		first[c.ID] = c.Place
	}
	return errors.Join(problems...)
}

// Lint checks what makes a list of cases a suite: each clause with the level MUST or SHOULD is cited by a case, and by
// one that is run in a reading that the clause binds; no case is run only in readings that a clause it cites does not
// bind; no title and no reason is used twice. What shared swarms must do, no session can show; histories of several
// instances prove it. A clause is about a feature exactly if each of its cases needs the feature, so that no clause
// binds a port without it. All problems are returned, joined, one a line.
func Lint(all []Case) error {
	return errors.Join(LintClauses(all, spec.Clauses()), lintTexts(all), LintContrasts(all))
}

// LintClauses is the part of [Lint] that is about clauses, be they those that are built in or others. A case that cites
// a clause which is none of them is a problem, too.
func LintClauses(all []Case, clauses []spec.Clause) error {
	citing := map[string][]Case{}
	for _, c := range all {
		for _, id := range c.Clauses {
			citing[id] = append(citing[id], c)
		}
	}
	var problems []error
	for _, clause := range clauses {
		for _, problem := range lintClause(clause, citing[clause.ID]) {
			problems = append(problems, fmt.Errorf("clauses/%s:%d:1: %s", clause.File, clause.Line, problem))
		}
	}
	return errors.Join(append(problems, lintCitations(all, clauses))...)
}

// untested are the clauses with the level SHOULD that no case cites, each with the reason.
var untested = map[string]string{
	"CO-40": "the words of a message are for people, and are not compared",
	"PR-36": "loopstone bench measures it: a case has no clock",
	"SW-21": "a port of a later version may know further members",
}

// lintClause returns what is wrong with the cases that cite a clause: that there are none, and, of the feature that the
// clause is about, which of them do not need it.
func lintClause(clause spec.Clause, citing []Case) (problems []string) {
	say := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	demands := clause.Level == spec.Must || clause.Level == spec.Should
	_, excused := untested[clause.ID]
	switch {
	case len(citing) == 0 && demands && !excused && clause.Feature != spec.Shared:
		say("no case cites %s, which is a %s", clause.ID, clause.Level)
	case len(citing) > 0 && excused:
		say("a case cites %s, which is said to have none", clause.ID)
	}
	lacks, isLacking := lists.Find(citing, func(c Case) bool { return !slices.Contains(c.Needs, clause.Feature) })
	switch needed := neededByAll(citing); {
	case clause.Feature == "" && len(needed) > 0:
		say("%s names no feature, and each of its cases needs %s", clause.ID, wording.Join(needed, ", "))
	case clause.Feature != "" && isLacking:
		say("%s is about the feature %s, which %s does not need", clause.ID, clause.Feature, lacks.ID)
	}
	return problems
}

// neededByAll returns the features that each of the cases needs.
func neededByAll(those []Case) []spec.Feature {
	if len(those) == 0 {
		return nil
	}
	return lists.Filter(those[0].Needs, func(f spec.Feature) bool {
		return !slices.ContainsFunc(those, func(c Case) bool { return !slices.Contains(c.Needs, f) })
	})
}

func lintCitations(all []Case, clauses []spec.Clause) error {
	byID := map[string]spec.Clause{}
	for _, clause := range clauses {
		byID[clause.ID] = clause
	}
	var problems []error
	for _, c := range all {
		for _, id := range c.Clauses {
			clause, ok := byID[id]
			switch {
			case !ok:
				problems = append(problems, c.Place.Problemf("%s cites %s, which is no clause", c.ID, id))
			case len(c.Readings) > 0 && !slices.ContainsFunc(c.Readings, clause.Binds):
				problems = append(problems, c.Place.Problemf("%s cites %s, which binds none of its readings", c.ID, id))
			}
		}
	}
	return errors.Join(problems...)
}

// lintTexts finds titles and reasons that were copied.
func lintTexts(all []Case) error {
	titles, whys := map[string]string{}, map[string]string{}
	var problems []error
	for _, c := range all {
		if other, twice := titles[c.Title]; twice {
			problems = append(problems, c.Place.Problemf("%s has the title of %s", c.ID, other))
		}
		if other, twice := whys[c.Why]; twice {
			problems = append(problems, c.Place.Problemf("%s gives the reason of %s", c.ID, other))
		}
		titles[c.Title], whys[c.Why] = c.ID, c.ID
	}
	return errors.Join(problems...)
}

// Digest returns a short fingerprint of the specification that the cases test: the clauses, and everything that the
// cases demand, in the order of their ids. Comments and the places of the cases in their files do not count.
func Digest(all []Case) string {
	h := sha256.New()
	for _, c := range spec.Clauses() {
		fmt.Fprintf(h, "%s %s %v %q\n", c.ID, c.Level, c.Readings, c.Text)
	}
	sorted := slices.Clone(all)
	slices.SortFunc(sorted, func(a, b Case) int { return strings.Compare(a.ID, b.ID) })
	var line []byte
	for _, c := range sorted {
		if c.hasBody() {
			line = append(c.Demand().AppendJSON(line[:0]), '\n')
			h.Write(line)
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// lawTag marks what stands for a law.
const lawTag = "law"

// IsLaw reports whether the case stands for a law or another check on generated traces, and for no entry of a file.
func (c Case) IsLaw() bool { return slices.Contains(c.Tags, lawTag) && !c.hasBody() }

// LongTag marks cases of long sessions and large events.
const LongTag = "long"

// IsLong reports whether the case is only to be carried out as it stands: its trace has thousands of events, or events
// of a million characters.
func (c Case) IsLong() bool { return slices.Contains(c.Tags, LongTag) }

// IsOfProtocol reports whether the case is about how an adapter speaks, and about no detector.
func (c Case) IsOfProtocol() bool { return c.Detector == Protocol }

// CountLaws returns how many of the cases stand for laws.
func CountLaws(suite []Case) int { return lists.Count(suite, Case.IsLaw) }

// hasBody reports whether the case demands something by itself. One that does not stands for a check that is made
// without a trace of its own, and is no part of the specification.
func (c Case) hasBody() bool {
	return c.Refuse != nil || c.Call != nil || len(c.Steps) > 0 || len(c.Exchange) > 0
}
