// Package docs holds the guides, so that the tool can hand out those that belong to the specification.
package docs

import "embed"

// Files has the guides by their names.
//
//go:embed *.md
var Files embed.FS
