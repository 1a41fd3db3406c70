// Package recordings holds small recordings of agents, for examples and tests. No recording is edited: make.py makes
// them all. Its agents follow known rules and run real commands; so the labels in corpus.yaml are true by construction.
// They are no measure of a detector: they are few, and whoever wrote them knew the detectors.
package recordings

import "embed"

// Files has the recordings, a run each, and their labels.
//
//go:embed *.jsonl corpus.yaml
var Files embed.FS
