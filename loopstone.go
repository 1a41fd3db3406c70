// Package loopstone holds the texts that stand at the root of the project, so that the tool can hand them out and check
// them. The specification is in spec, the detectors are in reference, and conformance judges ports.
//
// SPDX-License-Identifier: MIT
package loopstone

import _ "embed"

// License is the licence of everything here: of the tool, the specification, the cases and the kits.
//
//go:embed LICENSE
var License string

// ChangeLog tells what changed, version by version, the newest first.
//
//go:embed CHANGELOG.md
var ChangeLog string
