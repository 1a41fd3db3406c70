package generate

import "github.com/loopstone/loopstone/spec"

// world is what one detector sees in one reading.
type world struct {
	settings []setting // of its configuration
	window   string    // the setting that bounds what is remembered; empty where there is none
	letter   func(*draft) letter
	derived  func(settings func(string) int) []int // further marks, from the settings; may be nil
	swaps    func(settings func(string) int) int   // how often two letters must take turns to be a loop; may be nil
}

// worldOf returns the world of a detector of the specification.
func worldOf(detector spec.DetectorID, reading spec.Reading) world {
	switch detector {
	case spec.Fingerprint:
		return fingerprintWorld
	case spec.Signature:
		return signatureWorld
	case spec.History:
		return historyWorld
	case spec.Swarm:
		return swarmWorld
	case spec.Ralph:
		return ralphWorld
	case spec.Guards:
		return guardsWorld
	}
	if reading == spec.Code {
		return crowCodeWorld
	}
	return crowTextWorld
}

var fingerprintWorld = world{
	settings: []setting{
		{name: "threshold", least: 1, most: 6, usual: 3},
		{name: "fuzzy_threshold", least: 1, most: 6, usual: 4},
		{name: "window", least: 1, most: 12, usual: 10},
		{name: "test_failures", least: 1, most: 6, usual: 3},
		{name: "bash_failures", least: 1, most: 6, usual: 3},
		{name: "text_turns", least: 1, most: 6, usual: 2},
	},
	window: "window",
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
}

var signatureWorld = world{
	settings: []setting{
		{name: "threshold", least: 1, most: 6, usual: 3},
		{name: "window", least: 1, most: 12, usual: 5},
	},
	window: "window",
	letter: (*draft).outputLetter,
}

var historyWorld = world{
	settings: []setting{
		{name: "repeat_threshold", least: 1, most: 6, usual: 3},
		{name: "history_size", least: 1, most: 12, usual: 20},
		{name: "normalize", draw: (*draft).normalize},
		{name: "tool_limits", draw: (*draft).toolLimits},
		{name: "first_word_threshold", least: 1, most: 6, mitigation: true},
	},
	window: "history_size",
	letter: (*draft).callLetter,
}

var swarmWorld = world{
	settings: []setting{
		{name: "threshold", least: 1, most: 6, usual: 10},
		{name: "min_workers", least: 1, most: 5, usual: 2},
	},
	letter: (*draft).callLetter,
}

var ralphWorld = world{
	settings: []setting{
		{name: "window", least: 1, most: 6, usual: 5},
		{name: "similarity", draw: (*draft).similarity},
	},
	window: "window",
	letter: (*draft).similarLetter,
}

var guardsWorld = world{
	settings: []setting{
		{name: "max_iterations", least: 1, most: 12},
		{name: "max_runtime_s", least: 1, most: 12},
		{name: "max_consecutive_errors", least: 1, most: 6, usual: 3},
		{name: "signature", draw: (*draft).signatureSettings},
	},
	letter: (*draft).iterationLetter,
}

var crowCodeWorld = world{
	settings: []setting{
		{name: "recent", usual: 20, draw: (*draft).recent},
		{name: "check_every", least: 1, most: 4},
		{name: "threshold_cycles", least: 1, most: 6, usual: 3},
	},
	window: "recent",
	letter: (*draft).crowLetter,
	derived: func(of func(string) int) []int {
		n := of("threshold_cycles")
		return []int{n, 2 * n, n + 3, 2 * (n + 3)}
	},
	swaps: func(of func(string) int) int { return of("threshold_cycles") + 3 },
}

var crowTextWorld = world{
	settings: []setting{
		{name: "recent", usual: 50, draw: (*draft).recent},
		{name: "check_every", least: 1, most: 4},
	},
	window:  "recent",
	letter:  (*draft).crowLetter,
	derived: func(func(string) int) []int { return []int{3, 4, 6, 12, 24} },
	swaps:   func(func(string) int) int { return 6 },
}
