package fingerprint

import (
	"strconv"
	"strings"
)

// The severities of a nudge (D1#escalating-nudge-prompts).
const (
	notice   = "notice"
	warning  = "warning"
	critical = "critical"
)

// severityClauses are the clauses whose template each severity speaks.
var severityClauses = map[string]string{notice: "FP-25", warning: "FP-26", critical: "FP-27"}

// templates are the texts of D1#escalating-nudge-prompts by severity, and of D1#test-fix-cycle.
var templates = map[string]string{
	// FP-25
	notice: `[System] You've called {tool} with the same arguments {N} times.
This indicates a stuck state. Either:
1. Try a DIFFERENT approach or tool
2. If blocked, explain what's preventing progress
3. If the task is complete, say so explicitly`,

	// FP-26
	warning: `[System] WARNING: You've called {tool} {N} times with identical arguments.
This is a stuck state.
1. Try a DIFFERENT approach or tool
2. If blocked, explain the blocker`,

	// FP-27
	critical: `[System] CRITICAL: You've called {tool} with the same arguments {N} times.
You are in a doom loop. You MUST:
1. STOP calling {tool} immediately
2. Explain what you're stuck on
3. Try a completely different approach
Further identical calls will be rejected.`,
}

// rethinkTemplate is the text of D1#test-fix-cycle. [FP-30]
const rethinkTemplate = `[System] You've had {N} consecutive test failures. Step back and rethink:
1. Re-read the error messages carefully
2. Consider whether your approach is fundamentally wrong
3. Try a DIFFERENT fix strategy instead of iterating on the same one`

// severity grows with the count. [FP-24]
func severity(count int) string {
	switch {
	case count < 4:
		return notice
	case count < 6:
		return warning
	default:
		return critical
	}
}

// nudge returns the text for an agent that called the tool count times. [FP-24]
func nudge(tool string, count int) string { return fill(templates[severity(count)], tool, count) }

// fill puts count and tool into a template: the tool last, so that nothing in its name is taken for a part of it.
func fill(template, tool string, count int) string {
	return strings.ReplaceAll(strings.ReplaceAll(template, "{N}", strconv.Itoa(count)), "{tool}", tool)
}
