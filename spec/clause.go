package spec

import (
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/loopstone/loopstone"
)

// Level says how binding a clause is.
type Level string

// The levels, as in RFC 2119.
const (
	Must   Level = "MUST"
	Should Level = "SHOULD"
	May    Level = "MAY"
)

// Mark says whether the documents state a clause.
type Mark string

// The marks.
const (
	Stated       Mark = "stated"       // a document says so
	Silent       Mark = "silent"       // no document says; the specification settles it
	Contradicted Mark = "contradicted" // a document says so, and says something else elsewhere
)

// Clause is one numbered, testable sentence of the specification.
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
func ClaimFiles() fs.FS {
	return folder(loopstone.ClaimFiles, "spec/claims")
}

// ProfileFiles returns the profiles: configurations of [Composed] or [Stream] that are detectors of the field, a YAML
// file each.
func ProfileFiles() fs.FS {
	return folder(loopstone.ProfileFiles, "spec/profiles")
}

// ClauseFiles returns the Markdown files of the clauses.
func ClauseFiles() fs.FS {
	return folder(loopstone.ClauseFiles, "spec/clauses")
}

// Schemas returns the JSON Schemas (2020-12) of what the suite reads and writes: event, verdict, protocol (a line of
// the stdio protocol), recording (a line of a recorded run), cases (a case file), claims (a file of the ledger of
// claims) and report (a line of a report), each in NAME.schema.json. They are for editors and for programs in other
// languages; a Go program uses [DecodeEvent], [CheckVerdict] and similar functions, which say more precisely what is
// wrong.
func Schemas() fs.FS {
	return folder(loopstone.SchemaFiles, "spec/schema")
}

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
		builtIn.clauses = clauses
	})
	return builtIn.clauses
}

// builtIn is the specification, once it was read. It begins empty, not with a call, so that a program that asks for no
// clause, such as the playground in a browser, does not carry their files.
var builtIn struct {
	once    sync.Once
	clauses []Clause
}

// ClauseByID returns the clause of that id and whether there is one.
func ClauseByID(id string) (Clause, bool) {
	for _, c := range Clauses() {
		if c.ID == id {
			return c, true
		}
	}
	return Clause{}, false
}

// LastClause returns the last clause with the prefix of an id, such as HI of "hi-99", and whether there is one. Upper
// and lower case do not matter.
func LastClause(id string) (last Clause, ok bool) {
	prefix, _, numbered := strings.Cut(id, "-")
	for _, c := range Clauses() {
		if of, _, _ := strings.Cut(c.ID, "-"); numbered && strings.EqualFold(of, prefix) {
			last, ok = c, true
		}
	}
	return last, ok
}

// clauseHead matches the first line of a clause: "**FP-7** (MUST, stated, D1#two-tier-detection) The text …", with an
// optional reading, and an optional feature, before the source.
var clauseHead = regexp.MustCompile(
	`^\*\*([A-Z]+-\d+)\*\* \((MUST|SHOULD|MAY), (stated|silent|contradicted), ` +
		`(?:(text|code) reading, )?(?:feature ([a-z-]+), )?([^)]+)\) (.*)$`)

// ReadClauses parses every Markdown file at the top of the file system. A clause is a paragraph whose first line is
//
//	**FP-7** (MUST, stated, D1#two-tier-detection) The sentence, which may go on over further lines.
//
// Other paragraphs are prose for the reader. Blocks between lines of three backquotes are literal text of the clause
// before them; several are kept one after the other, each with the paragraph above it. A paragraph that begins with **
// but is no clause, an id that occurs twice, an id out of order and a file without clauses are errors with their place.
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

func parseClauses(path, text string) ([]Clause, error) {
	var clauses []Clause
	open := false   // whether the next line may continue a clause
	fenced := false // within a block of literal text
	above := ""     // the last line of prose since the clause
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "```"):
			fenced, open = !fenced, false
			if fenced && len(clauses) > 0 {
				clauses[len(clauses)-1].beginLiteral(above)
			}
		case fenced && len(clauses) > 0:
			clauses[len(clauses)-1].Literal += line + "\n"
		case strings.HasPrefix(line, "**"):
			c, err := parseClauseHead(line)
			if err != nil {
				return nil, fmt.Errorf("%s:%d:1: %w", path, i+1, err)
			}
			c.File, c.Line = path, i+1
			clauses = append(clauses, c)
			open, above = true, ""
		case strings.TrimSpace(line) == "":
			open = false
		case open:
			last := &clauses[len(clauses)-1]
			last.Text += " " + strings.TrimSpace(line)
		default:
			above = line
		}
	}
	if len(clauses) == 0 {
		return nil, fmt.Errorf("%s:1:1: the file has no clauses", path)
	}
	for i := range clauses {
		clauses[i].Literal = strings.TrimSuffix(clauses[i].Literal, "\n")
	}
	return clauses, nil
}

// beginLiteral makes room for a block of literal text, below the paragraph that names it if the clause has several.
func (c *Clause) beginLiteral(name string) {
	if c.Literal != "" {
		c.Literal += "\n"
	}
	if name != "" {
		c.Literal += name + "\n"
	}
}

func parseClauseHead(line string) (Clause, error) {
	m := clauseHead.FindStringSubmatch(line)
	if m == nil {
		return Clause{}, fmt.Errorf("not a clause; want **ID** (LEVEL, mark, [reading,] [feature,] source) sentence")
	}
	c := Clause{ID: m[1], Level: Level(m[2]), Mark: Mark(m[3]), Feature: Feature(m[5]), Source: m[6], Text: m[7]}
	if m[4] != "" {
		c.Readings = []Reading{Reading(m[4])}
	}
	return c, nil
}

func uniqueIDs(clauses []Clause) error {
	seen := map[string]Clause{}
	for _, c := range clauses {
		if first, twice := seen[c.ID]; twice {
			return fmt.Errorf("%s:%d:1: clause %s stands already at %s:%d", c.File, c.Line, c.ID, first.File, first.Line)
		}
		seen[c.ID] = c
	}
	return nil
}

// Binds reports whether the clause applies to a reading.
func (c Clause) Binds(r Reading) bool { return len(c.Readings) == 0 || slices.Contains(c.Readings, r) }
