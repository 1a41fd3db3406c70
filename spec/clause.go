package spec

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/loopstone/loopstone"
)

// Level says how binding a clause is.
type Level string

// The levels: those of RFC 2119, and one for explanations.
const (
	Must   Level = "MUST"
	Should Level = "SHOULD"
	May    Level = "MAY"
	Note   Level = "NOTE" // explains what other clauses demand, and demands nothing itself
)

// Mark says whether the documents state a clause.
type Mark string

// The marks.
const (
	Stated       Mark = "stated"       // a document says so
	Silent       Mark = "silent"       // no document says; the specification settles it
	Contradicted Mark = "contradicted" // a document says so, and says something else elsewhere
)

// Clause is one numbered, testable sentence of the specification, or a note to others.
type Clause struct {
	ID       string    `json:"id"` // such as FP-7
	Level    Level     `json:"level"`
	Mark     Mark      `json:"mark"`
	Readings []Reading `json:"readings,omitempty"` // that it binds; none if the detector has only one
	Feature  Feature   `json:"feature,omitempty"`  // if it binds only ports with this feature
	Source   string    `json:"source"`             // such as D1#two-tier-detection
	Text     string    `json:"text"`               // the sentence, on one line
	Literal  string    `json:"literal,omitempty"`  // the block of literal text that follows it, line by line
	File     string    `json:"file"`               // such as fingerprint.md
	Line     int       `json:"line"`
}

// ClaimFiles returns the ledger of claims: one YAML file for each document, with its sentences and whether they hold.
func ClaimFiles() fs.FS { return folder(loopstone.ClaimFiles, "spec/claims") }

// ProfileFiles returns the profiles: configurations of [Composed] or [Stream] that are detectors of the field, a YAML
// file each.
func ProfileFiles() fs.FS { return folder(loopstone.ProfileFiles, "spec/profiles") }

// ClauseFiles returns the Markdown files of the clauses.
func ClauseFiles() fs.FS { return folder(loopstone.ClauseFiles, "spec/clauses") }

// Schemas returns the JSON Schemas (2020-12) of what the suite reads and writes: event, verdict, protocol (a line of
// the stdio protocol), recording (a line of a recorded run), cases (a case file), claims (a file of the ledger of
// claims) and report (a line of a report), each in NAME.schema.json. They are for editors and for programs in other
// languages; a Go program uses [DecodeEvent], [CheckVerdict] and similar functions, which say more precisely what is
// wrong.
func Schemas() fs.FS { return folder(loopstone.SchemaFiles, "spec/schema") }

// folder returns a folder of embedded files.
func folder(files embed.FS, name string) fs.FS {
	sub, err := fs.Sub(files, name)
	if err != nil {
		panic(err) // the name is a constant
	}
	return sub
}

// Clauses returns the specification: every clause, by file and then in the order of the file. It panics if an embedded
// file is malformed, which the tests of this package exclude.
func Clauses() []Clause {
	builtIn.once.Do(func() {
		clauses, err := ReadClauses(ClauseFiles())
		if err != nil {
			panic(err)
		}
		builtIn.clauses, builtIn.byID = clauses, make(map[string]Clause, len(clauses))
		for _, c := range clauses {
			builtIn.byID[c.ID] = c
		}
	})
	return builtIn.clauses
}

// builtIn is the specification, once it was read. It begins empty, not with a call, so that a program that asks for no
// clause, such as the playground in a browser, does not carry their files.
var builtIn struct {
	once    sync.Once
	clauses []Clause
	byID    map[string]Clause
}

// ClauseByID returns the clause of that id and whether there is one.
func ClauseByID(id string) (Clause, bool) {
	Clauses() // fills byID
	c, ok := builtIn.byID[id]
	return c, ok
}

// LastClause returns the clause with the highest number and the prefix of an id, such as HI of "hi-99", and whether
// there is one. Upper and lower case do not matter.
func LastClause(id string) (last Clause, ok bool) {
	prefix, _, numbered := strings.Cut(id, "-")
	for _, c := range Clauses() {
		if of, _, _ := strings.Cut(c.ID, "-"); numbered && strings.EqualFold(of, prefix) && c.number() > last.number() {
			last, ok = c, true
		}
	}
	return last, ok
}

// number returns the number of a clause's id; 0 of the zero Clause.
func (c Clause) number() int {
	_, digits, _ := strings.Cut(c.ID, "-")
	n, _ := strconv.Atoi(digits) // the label has digits
	return n
}

// clauseHead matches the first line of a clause: "**FP-7** (MUST, stated) The text …". Before the parenthesis closes, a
// reading, a feature and a source may follow.
var clauseHead = regexp.MustCompile(
	`^\*\*([A-Z]+-\d+)\*\* \((MUST|SHOULD|MAY|NOTE)(?:, (stated|silent|contradicted))?` +
		`(?:, (text|code) reading)?(?:, feature ([a-z-]+))?(?:, ([\w-]+#[^), ]+))?\) (.*)$`)

// What a line says of the sources of the clauses below it.
const (
	sourceLine = "Source: "
	thisPage   = "this page" // a clause's source is then its own section
)

// ReadClauses parses every Markdown file at the top of the file system. A clause is a paragraph whose first line is
//
//	**FP-7** (MUST, stated) The sentence, which may go on over further lines.
//
// A clause without a mark is silent. Its source is in its label, behind everything else, or in the last line above it
// that begins with "Source: "; "Source: this page" gives each clause the section of the file that it stands in, and
// "Source: D1#a, text reading" a reading, too. Other paragraphs are prose for the reader. Blocks between lines of three
// backquotes are literal text of the clause before them; several are kept one after the other, each with the paragraph
// above it. A paragraph that begins with ** but is no clause, a clause without a source, an id that occurs twice and a
// file without clauses are errors with their place.
func ReadClauses(files fs.FS) ([]Clause, error) {
	paths, err := fs.Glob(files, "*.md")
	if err != nil {
		return nil, fmt.Errorf("list clause files: %w", err)
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("no clause files (*.md)")
	}
	var all []Clause
	for _, path := range paths {
		text, err := fs.ReadFile(files, path)
		if err != nil {
			return nil, fmt.Errorf("read clauses: %w", err)
		}
		clauses, err := parseClauses(path, string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, clauses...)
	}
	return all, uniqueIDs(all)
}

// clauseFile is what was read of a file of clauses.
type clauseFile struct {
	path    string
	clauses []Clause
	source  string // of a clause whose label has none
	reading string // the same
	section string // the heading above, as a fragment
	above   string // the last line of prose since the clause
	open    bool   // whether the next line may continue a clause
	fenced  bool   // within a block of literal text
}

func parseClauses(path, text string) ([]Clause, error) {
	f := clauseFile{path: path}
	for i, line := range strings.Split(text, "\n") {
		if err := f.take(line, i+1); err != nil {
			return nil, fmt.Errorf("%s:%d:1: %w", path, i+1, err)
		}
	}
	if len(f.clauses) == 0 {
		return nil, fmt.Errorf("%s:1:1: the file has no clauses", path)
	}
	for i := range f.clauses {
		f.clauses[i].Literal = strings.TrimSuffix(f.clauses[i].Literal, "\n")
	}
	return f.clauses, nil
}

// take reads the next line of the file.
func (f *clauseFile) take(line string, number int) error {
	source, isSource := strings.CutPrefix(line, sourceLine)
	title, isHeading := strings.CutPrefix(line, "## ")
	switch {
	case strings.HasPrefix(line, "```"):
		f.fenced, f.open = !f.fenced, false
		if f.fenced && len(f.clauses) > 0 {
			f.clauses[len(f.clauses)-1].beginLiteral(f.above)
		}
	case f.fenced && len(f.clauses) > 0:
		f.clauses[len(f.clauses)-1].Literal += line + "\n"
	case strings.HasPrefix(line, "**"):
		return f.begin(line, number)
	case strings.TrimSpace(line) == "":
		f.open = false
	case f.open:
		f.clauses[len(f.clauses)-1].Text += " " + strings.TrimSpace(line)
	case isSource:
		f.source, f.reading, _ = strings.Cut(source, ", ")
	case isHeading:
		f.section, f.above = fragment(title), line
	default:
		f.above = line
	}
	return nil
}

// begin reads the first line of a clause.
func (f *clauseFile) begin(line string, number int) error {
	m := clauseHead.FindStringSubmatch(line)
	if m == nil {
		return errors.New("not a clause; want **ID** (LEVEL[, mark][, reading][, feature][, source]) sentence")
	}
	c := Clause{
		ID: m[1], Level: Level(m[2]), Mark: cmp.Or(Mark(m[3]), Silent), Feature: Feature(m[5]),
		Source: cmp.Or(m[6], f.source), Text: m[7], File: f.path, Line: number,
	}
	if c.Source == thisPage {
		c.Source = strings.TrimSuffix(f.path, ".md") + "#" + f.section
	}
	if c.Source == "" {
		return fmt.Errorf("%s has no source: want it in the label, or a line %q above", c.ID, sourceLine+"D1#section")
	}
	if reading := cmp.Or(m[4], strings.TrimSuffix(f.reading, " reading")); reading != "" {
		c.Readings = []Reading{Reading(reading)}
	}
	f.clauses = append(f.clauses, c)
	f.open, f.above = true, ""
	return nil
}

// fragment returns what addresses the section of a heading.
func fragment(title string) string {
	kept := func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		default:
			return -1
		}
	}
	return strings.Map(kept, title)
}

// beginLiteral makes room for a block of literal text, below the paragraph that names it if the clause has several.
func (c *Clause) beginLiteral(name string) {
	if c.Literal != "" {
		c.Literal += "\n"
	}
	if name != "" {
		c.Literal += name + "\n\n"
	}
}

func uniqueIDs(clauses []Clause) error {
	seen := map[string]Clause{}
	for _, c := range clauses {
		if first, twice := seen[c.ID]; twice {
			return fmt.Errorf("%s:%d:1: clause %s is already at %s:%d", c.File, c.Line, c.ID, first.File, first.Line)
		}
		seen[c.ID] = c
	}
	return nil
}

// Binds reports whether the clause applies to a reading.
func (c Clause) Binds(r Reading) bool { return len(c.Readings) == 0 || slices.Contains(c.Readings, r) }
