// Package docs embeds the guides, and the pictures that the site shows; it passes on the licence and the change log,
// too. The command export decides which of them it writes. results.md and most pages of dev are computed: whoever
// wants another figure or word there edits what computes them. The tests of this package follow the links of all pages.
package docs

import (
	"embed"

	"github.com/loopstone/loopstone"
)

// Files has the guides by their names.
//
//go:embed *.md dev/*.md
var Files embed.FS

// Pictures has what the site shows: the demonstration, for light and for dark pages, and the curve of a guide.
//
//go:embed demo-light.svg demo-dark.svg dev/best-light.svg
var Pictures embed.FS

// License returns the licence of everything here. The tool asks this package for the texts at the root: whoever imports
// those is built again with each edit of a case or clause.
func License() string { return loopstone.License }

// ChangeLog returns what changed, version by version, the newest first.
func ChangeLog() string { return loopstone.ChangeLog }
