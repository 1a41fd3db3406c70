// Package mutation plants faults in Go source: it finds the places of a package where one small change makes a wrong
// program that still compiles, and writes copies of the files in which every such change is there to be turned on.
package mutation

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Mutant is one deliberate fault. File, Function, Change and Occurrence identify it as long as the code around it stays
// as it is, wherever that moves; ID only numbers the mutants of one [Program].
type Mutant struct {
	ID         int    // from 1
	Package    string // import path
	File       string // path below the module's root, with slashes
	Line       int
	Function   string   // "Type.Method", "function", or the variable's name at the top level
	Change     string   // "what is written → what the mutant has"
	Occurrence int      // from 1, among those that are equal in all of the above
	Clauses    []string // the clauses that the place names; it breaks one of them, at least
}

// Key identifies the mutant in lists that people keep.
func (m Mutant) Key() Key { return Key{m.File, m.Function, m.change()} }

// change is the change, with its occurrence where it is not the first.
func (m Mutant) change() string {
	if m.Occurrence > 1 {
		return fmt.Sprintf("%s #%d", m.Change, m.Occurrence)
	}
	return m.Change
}

// String returns file:line, function and change in one line.
func (m Mutant) String() string {
	return fmt.Sprintf("%s:%d: %s: %s", m.File, m.Line, m.Function, m.change())
}

// Key identifies a mutant: where it is and what it changes. Change ends in " #2" for the second of equal changes in a
// function, and so on.
type Key struct{ File, Function, Change string }

// String returns file, function and change in one line.
func (k Key) String() string { return k.File + ": " + k.Function + ": " + k.Change }

// dropped stands for a statement or a part that the mutant leaves out.
const dropped = "(dropped)"

// maxText is how many characters of code a change shows on each side.
const maxText = 90

// oneLine shortens code to what one line of a list bears.
func oneLine(code string) string {
	code = strings.Join(strings.Fields(code), " ")
	if utf8.RuneCountInString(code) > maxText {
		code = string([]rune(code)[:maxText-1]) + "…"
	}
	return code
}
