// Package known lets go test accept the failures of a port that its authors know of: it reads the list of known
// failures that loopstone test reads. Only ports with such failures need it. What a list means is in
// internal/suite/knownfailures.
package known

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance"
	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/suite/knownfailures"
	"github.com/loopstone/loopstone/internal/suite/userfiles"
	"github.com/loopstone/loopstone/spec"
)

// Failures is an option of [conformance.Test] and [conformance.TestDetector]. It reads a file of known failures, as
// loopstone test --write-known writes it; the path starts at the folder of the package under test.
//
// A failure that an entry describes is skipped, and the skip gives the entry's reason. As in loopstone test, an entry
// fails the test if its case passes now, fails in another way or does not exist, or if the entry has expired. With
// [conformance.Strict], so does a placeholder for a reason.
//
// go test plays no generated traces and does not check the protocol. It ignores entries about the protocol and about
// agreement on generated traces, unless they have expired. An entry about a law excuses the law however it fails, and
// holds where the law passes.
func Failures(path string) conformance.TestOption {
	return conformance.Excuse(func(r *conformance.Report, suite []cases.Case) error {
		text, err := userfiles.Read(context.Background(), path, userfiles.MostText)
		if err != nil {
			return fmt.Errorf("known failures: %w", err)
		}
		list, err := knownfailures.Read(path, text)
		if err != nil {
			return fmt.Errorf("known failures: the file is wrong:\n%w", err)
		}
		list.ApplyWithoutGenerated(r, withAgreement(suite), time.Now())
		return nil
	})
}

// withAgreement adds to the suite the checks that only loopstone test makes, so that entries about them match a case.
func withAgreement(suite []cases.Case) []cases.Case {
	all, seen := slices.Clone(suite), map[spec.DetectorID]bool{}
	for _, c := range suite {
		definition, isDetector := spec.DefinitionOf(c.Detector)
		if isDetector && !seen[c.Detector] {
			seen[c.Detector] = true
			all = append(all, laws.AgreementOf(definition))
		}
	}
	return all
}
