package spec

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/loopstone/loopstone"
)

// SchemaBase is what the $id of every schema begins with; the rest is the name of its file. The schemas refer to one
// another by these ids, so a program that compiles them registers all of them first and fetches nothing.
const SchemaBase = "https://loopstone.dev/schema/1/"

// Schemas returns the JSON Schemas (2020-12) of what the suite reads and writes: event, verdict, protocol (a line of
// the stdio protocol), recording (a line of a recorded run), cases (a case file), claims (a file of the ledger of
// claims) and report (a line of a report), each in NAME.schema.json.
//
// They are for editors and for programs in other languages. This module itself uses [DecodeEvent], [CheckVerdict] and
// similar functions, which say more precisely what is wrong; package internal/guard/source writes the schemas from the
// same tables.
func Schemas() fs.FS {
	return folder(loopstone.SchemaFiles, "spec/schema")
}

// SchemaNames lists the schemas, sorted.
func SchemaNames() []string {
	paths, err := fs.Glob(Schemas(), "*.schema.json")
	if err != nil {
		panic(err) // the pattern is a constant
	}
	for i, path := range paths {
		paths[i] = strings.TrimSuffix(path, ".schema.json")
	}
	return paths
}

// Schema returns the text of the schema of that name, such as "event".
func Schema(name string) ([]byte, error) {
	text, err := fs.ReadFile(Schemas(), name+".schema.json")
	if err != nil {
		return nil, fmt.Errorf("no schema %q; known are %v", name, SchemaNames())
	}
	return text, nil
}
