// Package loopstone embeds texts of the project: those at its root, which the tool hands out and checks, and those of
// the specification, which other packages read (clauses and cases: spec and cases; claims: internal/suite/sourceclaims;
// profiles: internal/suite/profile). It has no API to build on: the detectors are in reference, and conformance judges
// ports.
//
// The package has nothing but texts, and imports nothing. Go builds it and its importers again after an edit of a text.
//
// SPDX-License-Identifier: MIT
package loopstone

import "embed"

// License is the licence of everything here: of the tool, the specification, the cases and the kits.
//
//go:embed LICENSE
var License string

// ChangeLog tells what changed, version by version, the newest first.
//
//go:embed CHANGELOG.md
var ChangeLog string

// The files of packages spec and cases, in their folders. Each kind is a variable of its own, so that a program carries
// only those that it reads.
var (
	//go:embed spec/clauses/*.md
	ClauseFiles embed.FS

	//go:embed spec/claims/*.yaml
	ClaimFiles embed.FS

	//go:embed spec/profiles/*.yaml
	ProfileFiles embed.FS

	//go:embed spec/schema/*.schema.json
	SchemaFiles embed.FS

	//go:embed cases/README.md cases/*/*.yaml
	CaseFiles embed.FS
)
