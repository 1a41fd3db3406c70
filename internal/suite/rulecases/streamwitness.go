package rulecases

import (
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/conformance/laws"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/suite/profile"
	"github.com/loopstone/loopstone/reference/stream"
	"github.com/loopstone/loopstone/spec"
)

// largestSize is the largest number of a configuration that the specification covers.
const largestSize = 65_536 // ST-3

// streamWitnesses returns for each rule copies of one text, of which the last character makes it report.
func streamWitnesses(config spec.Value, b *budget) (list []Witness) {
	c := profile.StreamOf(config)
	for _, kind := range c.Rules {
		w := Witness{Rule: string(kind)}
		size, n := copied(c, kind)
		switch most := largest(config, kind); {
		case len(c.Channels) == 0:
			w.Never = "no channel is judged"
		case kind == spec.KindTail && c.TailFrom > c.TailTo:
			w.Never = fmt.Sprintf("the shortest period, %d, is above the longest, %d", c.TailFrom, c.TailTo)
		case most > largestSize:
			w.Beyond = fmt.Sprintf("the number %d is above %d and outside the specification (ST-3)", most, largestSize)
		case size*n > MostCharacters:
			w.Beyond = fmt.Sprintf("it needs a text of %d characters, and a trace has at most %d", size*n, MostCharacters)
		case b.isSpent():
			w.Beyond = ended
		default:
			w.searchText(config, c, b)
		}
		list = append(list, w)
	}
	return list
}

// searchText plays copies of one text, and then texts that other rules may not see.
func (w *Witness) searchText(config spec.Value, c stream.Config, b *budget) {
	kind := spec.VerdictKind(w.Rule)
	traces := [][]spec.Value{copies(c, kind)}
	for _, pieces := range lists.Filter(textsOf(c, kind), isShort) {
		traces = append(traces, deltas(pieces, c.Channels[0]))
	}
	for _, trace := range traces {
		if b.isSpent() {
			w.Beyond = ended
			return
		}
		b.spend(charactersOf(trace), streamWeight(c))
		verdicts := play(spec.Stream, config, laws.Observing(trace))
		if loop := slices.IndexFunc(verdicts, reportsLoop); loop >= 0 && verdicts[loop].Kind == kind {
			w.Trace = trace[:loop+1]
			return
		}
	}
}

// largest returns the largest number among the settings of a rule.
func largest(config spec.Value, kind spec.VerdictKind) int {
	row, _ := spec.DefinitionOf(spec.Stream)
	most := 0
	for _, p := range row.Settings {
		if n, isNumber := p.Number(spec.Code, config); isNumber && len(p.Rules) > 0 && p.BearsOn(kind) {
			most = max(most, n)
		}
	}
	return most
}
