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

// templates are the texts of D1#escalating-nudge-prompts by severity.
var templates = map[string]string{ // FP-49: the lines are broken as printed
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

// rethinkTemplate is the text of D1#test-fix-cycle.
const rethinkTemplate = `[System] You've had {N} consecutive test failures. Step back and rethink:
1. Re-read the error messages carefully
2. Consider whether your approach is fundamentally wrong
3. Try a DIFFERENT fix strategy instead of iterating on the same one`

// severity grows with the count.
func severity(count int) string { // FP-24
	switch {
	case count < 4:
		return notice
	case count < 6:
		return warning
	default:
		return critical
	}
}

// nudge returns the text for an agent that called the tool count times. The tool is inserted last, so that its name is
// never read as a part of the template.
func nudge(tool string, count int) string { // FP-24
	return strings.ReplaceAll(withCount(templates[severity(count)], count), "{tool}", tool)
}

// rethink returns the text for an agent whose tests failed count times.
func rethink(count int) string { return withCount(rethinkTemplate, count) } // FP-30

func withCount(template string, count int) string {
	return strings.ReplaceAll(template, "{N}", strconv.Itoa(count))
}

// cascadeMessage returns the text for an agent whose bash commands failed count times. D1 describes it without quoting
// it; FP-35 says what it must contain.
func cascadeMessage(count int, onFile bool) string {
	text := "[System] " + strconv.Itoa(count) + " bash commands in a row have failed. " +
		"Do not run variations of the same command; find out why they fail first."
	if onFile {
		text += "\nUse the proper tools for files instead of bash: write_file, edit_file and read_file."
	}
	return text
}

// summaryMessage returns the text for an agent that talks instead of working. D1 names such a prompt without quoting
// it; FP-38 says what it must contain.
const summaryMessage = `[System] You have been writing text without calling a tool. Do not summarize again:
pick the next task and use your tools to work on it immediately.`
