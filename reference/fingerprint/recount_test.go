package fingerprint_test

import (
	"regexp"
	"slices"

	"github.com/loopstone/loopstone/spec"
)

// recount is the detector in a few lines: it looks at the whole trace after each event, and counts anew. It leaves the
// messages out.
func recount(config setting, trace []spec.Event) spec.Verdict {
	last := trace[len(trace)-1]
	switch last.Type {
	case spec.ToolCall:
		return recountCalls(config, trace)
	case spec.TestRun:
		failed := tail(trace, func(i int) (bool, bool) { return trace[i].Type == spec.TestRun, !trace[i].Passed })
		return special(spec.KindTestFix, failed, config[testFailures])
	case spec.ToolResult:
		failed := tail(trace, func(i int) (bool, bool) {
			return trace[i].Type == spec.ToolResult && toolOf(trace, i) == "bash", !trace[i].OK
		})
		return special(spec.KindBashCascade, failed, config[bashFailures])
	case spec.Message:
		turns := tail(trace, func(i int) (bool, bool) {
			e := trace[i]
			speech := e.Type == spec.Message && e.Role == spec.Assistant
			return speech || e.Type == spec.ToolCall, speech && len(e.ToolCalls.Items()) == 0
		})
		return special(spec.KindSummary, turns, config[textTurns])
	}
	return spec.Verdict{}
}

func special(kind spec.VerdictKind, run []int, least int) spec.Verdict {
	if len(run) < least {
		return spec.Verdict{}
	}
	return spec.Verdict{Loop: true, Kind: kind, Count: len(run), Evidence: run}
}

func recountCalls(config setting, trace []spec.Event) spec.Verdict {
	calls := slices.DeleteFunc(slices.Clone(trace), func(e spec.Event) bool { return e.Type != spec.ToolCall })
	calls = calls[max(0, len(calls)-config[window]):]
	last := calls[len(calls)-1]
	exact := tail(calls, func(i int) (bool, bool) { return true, identical(calls[i], last) })
	fuzzy := tail(calls, func(i int) (bool, bool) { return true, alike(calls[i], last) })
	for _, tier := range []struct {
		kind  spec.VerdictKind
		run   []int
		least int
	}{{spec.KindExact, exact, config[threshold]}, {spec.KindFuzzy, fuzzy, config[fuzzyThreshold]}} {
		if n := len(tier.run); n >= tier.least {
			severity := []string{"notice", "warning", "critical"}[min(max(n-2, 0)/2, 2)]
			return spec.Verdict{
				Loop: true, Kind: tier.kind, Count: n, Tool: last.Tool, Severity: severity, Evidence: tier.run,
			}
		}
	}
	return spec.Verdict{Count: len(exact)}
}

// tail returns the indices of the events that count, backwards from the end up to the first that does not; those that
// do not concern the rule are passed over.
func tail(trace []spec.Event, judge func(i int) (concerned, counts bool)) []int {
	var indices []int
	for i := len(trace) - 1; i >= 0; i-- {
		concerned, counts := judge(i)
		if concerned && !counts {
			break
		}
		if concerned {
			indices = append(indices, trace[i].Index)
		}
	}
	slices.Reverse(indices)
	return indices
}

// toolOf looks for the tool of the result at i.
func toolOf(trace []spec.Event, i int) string {
	if trace[i].HasTool {
		return trace[i].Tool
	}
	for j := i - 1; j >= 0 && trace[i].HasCall; j-- {
		if trace[j].Type == spec.ToolCall && trace[j].HasID && trace[j].ID == trace[i].Call {
			return trace[j].Tool
		}
	}
	return ""
}

func identical(a, b spec.Event) bool { return a.Tool == b.Tool && a.Args.Equal(b.Args) }

var (
	simpleRead = regexp.MustCompile(`^\s*(?:cat|head|tail)(?:\s+-\S*)*\s+([^-\s]\S*)(?:\s+-\S*)*\s*$`)
	joined     = regexp.MustCompile(`[|<>;&\n]`)
	isPrimary  = regexp.MustCompile(`^(path|file_path|command|pattern|query|url|content|filename|offset|limit)$`)
)

// alike says when two calls have one fingerprint, without computing it.
func alike(a, b spec.Event) bool {
	if a.Tool != b.Tool {
		return false
	}
	if a.Tool == "bash" {
		x, _ := a.Args.Get("command").Str()
		y, _ := b.Args.Get("command").Str()
		if joined.MatchString(x) || joined.MatchString(y) {
			return a.Args.Equal(b.Args)
		}
		readX, readY := simpleRead.FindStringSubmatch(x), simpleRead.FindStringSubmatch(y)
		if readX != nil || readY != nil {
			return readX != nil && readY != nil && readX[1] == readY[1]
		}
	}
	return kept(a.Args).Equal(kept(b.Args))
}

// kept drops the members that do not count; all count where none is primary.
func kept(args spec.Value) spec.Value {
	only := args
	for _, m := range args.Members() {
		if !isPrimary.MatchString(m.Name) {
			only = only.Without(m.Name)
		}
	}
	if len(only.Members()) == 0 {
		return args
	}
	return only
}
