package claims

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/loopstone/loopstone/internal/strictyaml"
	"github.com/loopstone/loopstone/spec"
)

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
	all, err := All()
	if err != nil {
		return Claim{}, false
	}
	for _, c := range all {
		if c.ID == id {
			return c, true
		}
	}
	return Claim{}, false
}

// Load reads every YAML file at the top of the file system, in the order of their names. Everything that is wrong with
// any of them is returned, joined, one problem a line with file, line and column; the documents are then nil.
func Load(files fs.FS) ([]Document, error) {
	paths, err := fs.Glob(files, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("list claim files: %w", err)
	}
	if len(paths) == 0 {
		return nil, errors.New("no claim files (*.yaml)")
	}
	var all []Document
	var problems []error
	for _, path := range paths {
		text, err := fs.ReadFile(files, path)
		if err != nil {
			return nil, fmt.Errorf("read claims: %w", err)
		}
		d, err := Parse(path, text)
		all, problems = append(all, d), append(problems, err)
	}
	problems = append(problems, uniqueTexts(all))
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return all, nil
}

// uniqueTexts finds claims that were copied.
func uniqueTexts(documents []Document) error {
	first := map[string]Claim{}
	var problems []error
	for _, d := range documents {
		for _, c := range d.Claims {
			if other, twice := first[d.ID+c.Text]; twice {
				problems = append(problems, problemAt(c.Place, "%s says what %s says", c.ID, other.ID))
				continue
			}
			first[d.ID+c.Text] = c
		}
	}
	return errors.Join(problems...)
}

func problemAt(place strictyaml.Place, format string, args ...any) error {
	return &strictyaml.Problem{Place: place, Message: fmt.Sprintf(format, args...)}
}
