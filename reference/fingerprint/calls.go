package fingerprint

import "github.com/loopstone/loopstone/spec"

// calls holds the two runs that the last tool call ends.
type calls struct {
	any         bool // whether there was a call yet; else the rest is zero
	tool        string
	args        spec.Value
	canonical   string     // args as RFC 8785 writes them
	fingerprint string     // empty until it was needed; no call has an empty one
	exact       int        // identical calls at the end of the window, 1 to its size
	fuzzy       int        // calls with one fingerprint at the end of the window, exact to its size
	trail       spec.Trail // all calls; the counts say how many of the latest ones are a run
}

// observeCall takes in a tool call, which also ends a run of messages without one.
func (d *Detector) observeCall(e spec.Event) spec.Verdict {
	d.endTextTurns()
	d.bash.remember(e)
	d.extendRuns(e)
	verdict := d.judgeCall()
	if verdict.Loop {
		d.log.Apply("FP-22")
		d.log.Apply("FP-24")
		verdict.Severity = severity(verdict.Count)
		verdict.Message = nudge(verdict.Tool, verdict.Count)
		d.log.Apply(severityClauses[verdict.Severity])
	}
	return verdict
}

// judgeCall decides on the run that the last call ended: the stricter tier first.
func (d *Detector) judgeCall() spec.Verdict {
	c := &d.calls
	switch {
	case c.exact >= d.threshold: // FP-18
		d.log.Apply("FP-18")
		if c.fuzzy >= d.fuzzyThreshold {
			d.log.Apply("FP-20")
		}
		return c.verdict(spec.KindExact, c.exact)
	case c.fuzzy >= d.fuzzyThreshold: // FP-19, FP-20
		d.log.Apply("FP-19")
		return c.verdict(spec.KindFuzzy, c.fuzzy)
	default:
		d.log.Apply("FP-19")
		d.log.Apply("FP-21")
		return spec.Verdict{Count: c.exact} // FP-21
	}
}

func (c *calls) verdict(kind spec.VerdictKind, count int) spec.Verdict {
	return spec.Verdict{Loop: true, Kind: kind, Count: count, Tool: c.tool, Evidence: c.trail.Last(count)} // FP-22, FP-42
}

// extendRuns makes the call the last one: each run goes on, or the call begins a new one.
func (d *Detector) extendRuns(e spec.Event) {
	c := &d.calls
	canonical := e.Args.Canonical()
	d.log.Apply("FP-6")
	d.log.Apply("FP-7")
	d.log.Apply("FP-16")
	d.log.Apply("FP-17")
	if c.any && c.tool == e.Tool && c.canonical == canonical { // FP-6; identical calls have one fingerprint
		c.exact, c.fuzzy = d.extended(c.exact), d.extended(c.fuzzy)
		c.trail.Add(e.Index)
		return
	}
	d.log.Apply("FP-23")
	next := calls{any: true, tool: e.Tool, args: e.Args, canonical: canonical, exact: 1, fuzzy: 1, trail: c.trail}
	if d.isLikeTheLast(&next) {
		next.fuzzy = d.extended(c.fuzzy)
	}
	next.trail.Add(e.Index)
	*c = next
}

// isLikeTheLast reports whether the next call has the last one's fingerprint. Fingerprints are computed only where the
// tools are the same: those of different tools never are. [FP-15]
func (d *Detector) isLikeTheLast(next *calls) bool {
	last := &d.calls
	if !last.any {
		return false
	}
	if last.tool != next.tool {
		d.log.Apply("FP-15")
		return false
	}
	if last.fingerprint == "" {
		last.fingerprint = compute(last.tool, last.args, d.log)
	}
	next.fingerprint = compute(next.tool, next.args, d.log)
	return next.fingerprint == last.fingerprint
}

// extended returns the length of a run after one more call; the window cuts it off.
func (d *Detector) extended(length int) int { return min(length+1, d.window) } // FP-16
