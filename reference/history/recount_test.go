package history_test

import (
	"strings"

	"github.com/loopstone/loopstone/reference/history"
	"github.com/loopstone/loopstone/spec"
)

// recount is the detector in a few lines: it looks at the whole trace after each event, and counts anew.
func recount(config setting, trace []spec.Event) spec.Verdict {
	last := trace[len(trace)-1]
	if last.Type != spec.ToolCall {
		return spec.Verdict{}
	}
	window := calls(trace)
	window = window[max(0, len(window)-config.size):]

	most, copies := mostFrequent(window, 1, func(e spec.Event) string {
		if config.normalize[e.Tool] {
			return "any call of " + e.Tool
		}
		return history.Hash(e.Tool, e.Args)
	})
	if most >= config.threshold {
		return spec.Verdict{Loop: true, Kind: spec.KindRepeat, Count: most, Evidence: copies}
	}
	overLimit := func(e spec.Event) string {
		n := 0
		for _, other := range window {
			if other.Tool == e.Tool {
				n++
			}
		}
		if limit, has := config.limits[e.Tool]; has && n > limit {
			return "limited " + e.Tool
		}
		return ""
	}
	if n, indices := mostFrequent(window, 1, overLimit); n > 0 {
		return spec.Verdict{Loop: true, Kind: spec.KindToolLimit, Count: n, Evidence: indices}
	}
	if n, indices := mostFrequent(window, config.words, toolAndWord); config.words > 0 && n > 0 {
		return spec.Verdict{Loop: true, Kind: spec.KindFirstWord, Count: n, Evidence: indices}
	}
	return spec.Verdict{Count: most}
}

func toolAndWord(e spec.Event) string {
	command, _ := e.Args.Get("command").Str()
	words := strings.Fields(command)
	if len(words) == 0 {
		return ""
	}
	return words[0] + " of " + e.Tool
}

// mostFrequent returns the highest count of a key that is at least least, and the indices of the calls that have it;
// of several, the one that was seen last. Calls with an empty key do not count.
func mostFrequent(window []spec.Event, least int, key func(spec.Event) string) (count int, indices []int) {
	byKey := map[string][]int{}
	for _, e := range window {
		byKey[key(e)] = append(byKey[key(e)], e.Index)
	}
	delete(byKey, "")
	for _, list := range byKey {
		newer := len(indices) > 0 && len(list) == count && list[len(list)-1] > indices[len(indices)-1]
		if len(list) >= least && (len(list) > count || newer) {
			count, indices = len(list), list
		}
	}
	return count, indices
}

// calls returns the tool calls of a trace.
func calls(trace []spec.Event) []spec.Event {
	var list []spec.Event
	for _, e := range trace {
		if e.Type == spec.ToolCall {
			list = append(list, e)
		}
	}
	return list
}
