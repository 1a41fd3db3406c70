package history

import (
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// The evidence of a rule is the calls that it counted. Where several hashes, tools or words share the highest count,
// the one of the latest call among theirs speaks. [HI-23] [HI-24]

func (d *Detector) repeatEvidence() []int {
	return d.evidence(
		func(c call) bool { return d.repeats.leads(c.hash) },
		func(a, b call) bool { return a.hash == b.hash })
}

// limitEvidence assumes that count is the highest one above its limit.
func (d *Detector) limitEvidence(count int) []int {
	return d.evidence(
		func(c call) bool {
			return c.limit != noLimit && d.limited[c.limit] == count && count > d.limits[c.limit]
		},
		func(a, b call) bool { return a.limit == b.limit })
}

func (d *Detector) wordEvidence() []int {
	return d.evidence(
		func(c call) bool { return c.hasWord && d.words.leads(c.word) },
		func(a, b call) bool { return b.hasWord && a.word == b.word })
}

// evidence returns the indices, ascending, of the latest call that leads and of all calls like it: the latest
// [spec.MaxEvidence] of them, without those from before a restore; nil where none is left.
func (d *Detector) evidence(leads func(call) bool, same func(leader, c call) bool) []int {
	var leader call
	indices := make([]int, 0, min(len(d.window.calls), spec.MaxEvidence))
	found := 0
	for c := range d.window.latestFirst() {
		if found == 0 && leads(c) {
			leader = c
		} else if found == 0 || !same(leader, c) {
			continue
		}
		found++
		if c.index != restored {
			indices = append(indices, c.index)
		}
		if found == spec.MaxEvidence {
			break
		}
	}
	if len(indices) == 0 {
		return nil
	}
	slices.Reverse(indices)
	return indices
}
