// Package sourceclaims reads the ledger of claims, the files in spec/claims: each sentence of the five source documents
// (D1 to D5, in which detectors were published) that can be true or false, and for each reading of its detector (the
// example code, or the prose) whether it is true. Cases prove it. The tests of this package hold the ledger to its
// numbers, clauses, readings and reasons, and run the cases: they exist, they pass on the reference, and they decide
// what they are said to decide.
//
// The sentences are our own. Who wants to know what a document says word by word reads the section that a claim names.
package sourceclaims

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

// Document is one of the source documents, as the ledger sees it.
type Document struct {
	ID        string // D1 … D5
	Title     string // what it describes, in our words
	Advice    []string
	Omissions []Omission // the sections without a claim
	Claims    []Claim    // in the order of the document
}

// Omission is a section of a document in which nothing can be true or false of a detector, and why.
type Omission struct {
	Section string // its slug, as in the source of a clause
	Reason  string
}

// Claim is one thing that a document says and that can be true or false.
type Claim struct {
	ID        string // such as D1-7, numbered in the order of the document
	Section   string // the slug of the section that says it
	Kind      Kind
	Text      string // what it says, in one sentence
	Detectors []spec.DetectorID
	Clauses   []string  // those that say the same or the contrary; none where every finding is Ambiguous
	Findings  []Finding // one for each reading of the detectors, code before text

	Place strictyaml.Place
}

// Kind says in what form a document says something.
type Kind string

// The forms.
const (
	Sentence Kind = "sentence" // prose, headings and comments
	Table    Kind = "table"
	Diagram  Kind = "diagram"
	Listing  Kind = "listing" // a default, a branch, a format of its code
	Example  Kind = "example" // a trace, an output, a template
)

// Finding is what is so of a claim in one reading.
type Finding struct {
	Reading      spec.Reading
	Status       Status
	Reason       string   // Refuted: what is so instead; Ambiguous: why nobody can tell
	Cases        []string // the cases that prove it, the one that decides it first; Ambiguous needs none
	OtherReading string   // Refuted here and Holds in another reading: the case that shows the same trace there
	Says         *Says    // what the claim demands of the first case; always there where the claim is Refuted
}

// Status is the verdict on a claim.
type Status string

// The verdicts.
const (
	Holds     Status = "holds"
	Refuted   Status = "refuted"
	Ambiguous Status = "ambiguous" // the document says it twice, differently, or no detector can be asked
)

// Says puts a claim into terms of a case: what the case would have to expect if the claim were true. Put in place of
// what the case does expect, the reference satisfies it exactly where the claim holds.
type Says struct {
	Step   int        // the step of the case that the claim speaks of, from 1; 0 for a function call
	Expect spec.Value // the members that its verdict, state or snapshot would have
	Result spec.Value // what the function would return
}

// Document returns the id of the document that makes the claim.
func (c Claim) Document() string {
	id, _, _ := strings.Cut(c.ID, "-")
	return id
}

// Source returns the place of the claim as clauses and cases name it, such as D1#two-tier-detection.
func (c Claim) Source() string { return c.Document() + "#" + c.Section }

// Status returns the worst that is so of the claim in any reading: Refuted before Ambiguous before Holds.
func (c Claim) Status() Status {
	worst := Holds
	for _, f := range c.Findings {
		switch f.Status {
		case Refuted:
			return Refuted
		case Ambiguous:
			worst = Ambiguous
		}
	}
	return worst
}

// Summary returns what is so of the claim in a few words, such as "code refuted, text holds".
func (c Claim) Summary() string {
	words := make([]string, len(c.Findings))
	for i, f := range c.Findings {
		words[i] = string(f.Status)
		if len(c.Findings) > 1 || f.Reading != spec.Text {
			words[i] = string(f.Reading) + " " + words[i]
		}
	}
	return strings.Join(words, ", ")
}

// Documents returns the built-in ledger by document. Its error, which the tests of this package exclude, is that of
// [Load].
func Documents() ([]Document, error) { return builtIn() }

var builtIn = sync.OnceValues(func() ([]Document, error) { return Load(spec.ClaimFiles()) })

// All returns every claim of the built-in ledger, in the order of the documents.
func All() ([]Claim, error) {
	documents, err := Documents()
	if err != nil {
		return nil, err
	}
	var all []Claim
	for _, d := range documents {
		all = append(all, d.Claims...)
	}
	return all, nil
}

// ByID returns the built-in claim of that id and whether there is one. A ledger that cannot be read has none.
func ByID(id string) (Claim, bool) {
	all, _ := All()
	return lists.Find(all, func(c Claim) bool { return c.ID == id })
}

// OfClause returns the built-in claims that a clause confirms or denies. A ledger that cannot be read has none.
func OfClause(id string) []Claim {
	all, _ := All()
	return lists.Filter(all, func(c Claim) bool { return slices.Contains(c.Clauses, id) })
}

// Load reads every YAML file at the top of the file system, in the order of their names. Everything that is wrong with
// any of them is returned, joined, one problem a line with file, line and column; the documents are then nil. It is an
// error if there are no files.
func Load(files fs.FS) ([]Document, error) {
	all, err := strictyaml.Files(files, Parse)
	if err == nil && len(all) == 0 {
		err = errors.New("no claim files (*.yaml)")
	}
	if err != nil {
		return nil, err
	}
	return all, nil
}
