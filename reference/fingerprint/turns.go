package fingerprint

import "github.com/loopstone/loopstone/spec"

// summaryMessage is the text for an agent that talks instead of working. D1 names such a prompt without giving it;
// what it must tell, FP-38 says.
const summaryMessage = `[System] You have been writing text without calling a tool. Do not summarize again:
pick the next task and use your tools to work on it immediately.`

// observeTestRun counts failures of the tests; what the agent does between them does not matter, for changing the
// code and running the tests again is the very cycle. [FP-29]
func (d *Detector) observeTestRun(e spec.Event) spec.Verdict {
	r := &d.tests
	if e.Passed {
		d.log.Apply("FP-28")
		r.end()
		return spec.Verdict{}
	}
	d.log.Apply("FP-29")
	r.add(e.Index)
	if r.count < d.testFailures {
		return spec.Verdict{}
	}
	d.log.Apply("FP-30")
	verdict := r.verdict(spec.KindTestFix)
	verdict.Message = fill(rethinkTemplate, "", r.count)
	return verdict
}

// observeMessage counts the assistant's messages without tool calls. What others say is neutral, and leaves the
// verdict as it is. [FP-36]
func (d *Detector) observeMessage(e spec.Event) spec.Verdict {
	r := &d.text
	switch {
	case e.Role != spec.Assistant:
		d.log.Apply("FP-39")
	case len(e.ToolCalls.Items()) > 0:
		d.endTextTurns()
	default:
		d.log.Apply("FP-36")
		r.add(e.Index)
	}
	if r.count < d.textTurns {
		return spec.Verdict{}
	}
	d.log.Apply("FP-38")
	verdict := r.verdict(spec.KindSummary)
	verdict.Message = summaryMessage
	return verdict
}

// endTextTurns notes that the agent used a tool. [FP-37]
func (d *Detector) endTextTurns() {
	d.log.Apply("FP-37")
	d.text.end()
}
