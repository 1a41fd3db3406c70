package generate

import (
	"fmt"
	"slices"

	"github.com/loopstone/loopstone/internal/laws"
	"github.com/loopstone/loopstone/spec"
)

// world is what must be known to draw for a detector, beyond its row in the table of the specification.
type world struct {
	letter   func(*draft) letter
	settings map[string]drawing // those that are not drawn as small numbers

	// numbers may stand in arguments of calls, beyond those that mean the same in every language. Where the detector
	// knows the feature int-float, they need it.
	numbers []spec.Value

	cast    func(*draft)                                            // draws what all letters have in common; may be nil
	prelude func() []laws.Step                                      // seldom stands before the others; may be nil
	derived func(r spec.Reading, of func(setting string) int) []int // further marks; may be nil
	swaps   func(r spec.Reading, of func(setting string) int) int   // how often two letters must take turns to be a loop; may be nil
}

// drawing is how a setting is drawn. A number needs no wrong ones.
type drawing struct {
	draw  func(*draft) spec.Value
	wrong []spec.Value // that must be refused
}

var worlds = map[spec.DetectorID]world{
	spec.Fingerprint: {
		letter: func(d *draft) letter {
			switch d.below(8) {
			case 0, 1, 2, 3:
				return d.callLetter()
			case 4:
				return d.workLetter()
			case 5:
				return d.resultLetter()
			case 6:
				return d.testRunLetter()
			default:
				return d.messageLetter()
			}
		},
		numbers: doubles,
		prelude: callsWithIDs, // no step asks for what a port may have forgotten then
	},
	spec.Signature: {letter: (*draft).outputLetter},
	spec.History: {
		letter: (*draft).callLetter,
		settings: map[string]drawing{
			"normalize":   {(*draft).normalize, wrongNormalize},
			"tool_limits": {(*draft).toolLimits, wrongLimits},
		},
		numbers: slices.Concat(pythons, infinities),
	},
	spec.Crow: {
		letter:   (*draft).crowLetter,
		settings: map[string]drawing{"recent": {draw: (*draft).recent}},
		numbers:  pythons,
		cast:     (*draft).castCrow,
		derived: func(r spec.Reading, of func(string) int) []int {
			if r == spec.Text {
				return []int{3, 4, 6, 12, 24}
			}
			n := of("threshold_cycles")
			return []int{n, 2 * n, n + 3, 2 * (n + 3)}
		},
		swaps: func(r spec.Reading, of func(string) int) int {
			if r == spec.Text {
				return 6
			}
			return of("threshold_cycles") + 3
		},
	},
	spec.Swarm: {letter: (*draft).callLetter, numbers: doubles},
	spec.Ralph: {
		letter:   (*draft).similarLetter,
		settings: map[string]drawing{"similarity": {draw: (*draft).similarity}},
	},
	spec.Guards: {
		letter:   (*draft).iterationLetter,
		settings: map[string]drawing{"signature": {(*draft).signatureSettings, wrongSignatures}},
	},
}

// worldOf returns the world of a detector of the specification. It panics with the name of what is missing.
func worldOf(d spec.Definition) world {
	w, known := worlds[d.ID]
	if !known {
		panic(fmt.Sprintf("internal/generate/world.go has no world of the detector %q", d.ID))
	}
	for _, p := range d.Settings {
		if s := w.settings[p.Name]; p.Kind != spec.Number && (s.draw == nil || s.wrong == nil) {
			panic(fmt.Sprintf("internal/generate/world.go does not say how to draw the setting %s of %s", p.Name, d.ID))
		}
	}
	for name := range d.Functions {
		if functionArguments[name] == nil {
			panic(fmt.Sprintf("internal/generate/arguments.go does not say how to call %s", name))
		}
	}
	return w
}
