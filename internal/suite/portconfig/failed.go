package portconfig

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/internal/suite/userfiles"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// RecordFolder holds the record of what failed. It is hidden, and says itself that it belongs to no repository.
const RecordFolder = ".loopstone"

// Test is a case in a reading.
type Test struct {
	Case    string       `json:"case"`
	Reading spec.Reading `json:"reading,omitempty"`
}

type record struct {
	Failed []Test `json:"failed"`
}

func recordPath(folder string) string { return filepath.Join(folder, RecordFolder, "last-failed.json") }

// ReadFailed returns the tests that failed, none where no run has left a record.
func ReadFailed(ctx context.Context, folder string) ([]Test, error) {
	text, err := userfiles.Read(ctx, recordPath(folder), userfiles.MostText)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var r record
	if err := wording.ReadJSON(text, &r); err != nil {
		return nil, userfiles.Wrong(fmt.Errorf("%s: %w; delete it, a run writes it again", recordPath(folder), err))
	}
	return r.Failed, nil
}

// WriteFailed keeps what failed in a run, and of what failed before what the run did not ask.
func WriteFailed(ctx context.Context, folder string, results []conformance.Result) error {
	before, err := ReadFailed(ctx, folder)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(folder, RecordFolder), 0o755); err != nil {
		return err
	}
	text, err := json.MarshalIndent(record{merged(before, results)}, "", "  ")
	if err != nil {
		return err
	}
	if err := userfiles.Write(ctx, filepath.Join(folder, RecordFolder, ".gitignore"), []byte("*\n")); err != nil {
		return err
	}
	return userfiles.Write(ctx, recordPath(folder), append(text, '\n'))
}

func merged(before []Test, results []conformance.Result) []Test {
	failed, asked := []Test{}, map[Test]bool{}
	for _, r := range results {
		test := Test{r.Case, r.Reading}
		asked[test] = true
		if IsFailure(r.Status) {
			failed = append(failed, test)
		}
	}
	return append(failed, slices.DeleteFunc(before, func(t Test) bool { return asked[t] })...)
}

// IsFailure reports whether a status is one to look at again: neither a pass, nor excused, nor left out.
func IsFailure(s conformance.Status) bool {
	switch s {
	case conformance.Passed, conformance.Known, conformance.Skipped:
		return false
	default:
		return true
	}
}

// CasesOf returns the ids of the tests' cases, each once, of those that the suite still has.
func CasesOf(tests []Test, suite []string) []string {
	var ids []string
	for _, t := range tests {
		if slices.Contains(suite, t.Case) && !slices.Contains(ids, t.Case) {
			ids = append(ids, t.Case)
		}
	}
	return ids
}
