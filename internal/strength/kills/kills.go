// Package kills holds what the kill matrix found: for every case, how many faults of the reference it notices, which only
// it notices, and of which clauses they are. `make strength` writes the list, and it is part of the program, so that the
// suite can be linted without planting every fault again.
package kills

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/loopstone/loopstone/cases"
)

// List is what is known of all cases.
type List struct {
	Clauses map[string]int    // by clause: how many of its mutants are killed by any case
	Cases   map[string]Record // by the case's id
}

// Record is what is known of one case.
type Record struct {
	Demand  string   `json:"demand"`            // what the case demanded when it was measured, see [Demand]
	Kills   int      `json:"kills"`             // how many mutants it kills, without those that most cases kill
	Alone   []string `json:"alone,omitempty"`   // the mutants that no other case kills
	Clauses []string `json:"clauses,omitempty"` // of the clauses that it cites, those of which it kills a mutant
	Steps   []int    `json:"steps,omitempty"`   // the steps, from 1, without which it fails the reference or kills less
}

//go:embed kills.json
var text []byte

// Measured returns the list that is part of the program. It panics where that is malformed, which the tests of this
// package exclude.
var Measured = sync.OnceValue(func() *List {
	list, err := Read(text)
	if err != nil {
		panic(err) // the file is part of the program
	}
	return list
})

// Read reads a list.
func Read(text []byte) (*List, error) {
	var list List
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&list); err != nil {
		return nil, fmt.Errorf("read the list of kills: %w", err)
	}
	return &list, nil
}

// Text writes the list as JSON, one clause and one case a line, in the order of their ids.
func (l *List) Text() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("{\n\"clauses\": ")
	if err := writeLines(&b, l.Clauses); err != nil {
		return nil, err
	}
	b.WriteString(",\n\"cases\": ")
	if err := writeLines(&b, l.Cases); err != nil {
		return nil, err
	}
	b.WriteString("\n}\n")
	return b.Bytes(), nil
}

func writeLines[T any](b *bytes.Buffer, members map[string]T) error {
	separator := "{\n"
	for _, name := range slices.Sorted(maps.Keys(members)) {
		var value bytes.Buffer
		enc := json.NewEncoder(&value)
		enc.SetEscapeHTML(false) // changes of code are full of < and &
		if err := enc.Encode(members[name]); err != nil {
			return fmt.Errorf("write the list of kills: %w", err)
		}
		fmt.Fprintf(b, "%s%q: %s", separator, name, bytes.TrimSpace(value.Bytes()))
		separator = ",\n"
	}
	b.WriteString("\n}")
	return nil
}

// Demand returns a short digest of what a case demands. A record with another one is about the case as it was.
func Demand(c cases.Case) string {
	sum := sha256.Sum256([]byte(c.Demand().String()))
	return hex.EncodeToString(sum[:4])
}

// Needs reports whether the case was found to need the step, counted from 0, for what it kills. It is false of a case
// that was not measured, or not as it is now.
func (l *List) Needs(c cases.Case, step int) bool {
	r, known := l.Cases[c.ID]
	return known && r.Demand == Demand(c) && slices.Contains(r.Steps, step+1)
}
