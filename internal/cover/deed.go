package cover

import (
	"slices"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/spec"
)

// deed is something that a case does, and the clauses that it comes to by doing so: those that decide before or beside
// the events, where no detector can write them down.
type deed struct {
	name    string // for a message: "the case …"
	done    func(cases.Case) bool
	clauses []string
}

// deeds lists them. A clause may stand at several; one of them is enough.
var deeds = []deed{
	{"opens a session", opens, []string{
		"FP-3", "SG-2", "SG-3", "HI-2", "HI-4", "HI-17", "CR-6", "CR-7", "CR-9", "CR-11",
		"SW-12", "SW-14", "RA-2", "GU-12", "GU-14",
	}},
	{"opens a session with a configuration", configures, []string{"FP-4", "HI-3", "CR-10", "SW-13", "GU-13"}},
	{"is refused a configuration", func(c cases.Case) bool { return c.Refuse != nil }, []string{
		"FP-4", "SG-2", "HI-3", "HI-17", "CR-9", "CR-10", "SW-13", "RA-2", "GU-13", "GU-14", "PR-30", "PR-31",
	}},
	{"restores a state", has(func(s cases.Step) bool { return s.Action == cases.Restore }), []string{
		"SW-20", "SW-21", "SW-22",
	}},
	{"is refused an event", func(c cases.Case) bool { return faulty(c, cases.Observe) }, []string{
		"PR-26", "PR-28", "PR-29",
	}},
	{"observes several events in one request", has(func(s cases.Step) bool { return s.Batch }), []string{
		"PR-14", "PR-15", "PR-26",
	}},
	{"resets a session", has(func(s cases.Step) bool { return s.Action == cases.Reset }), []string{"PR-16"}},
	{"has several sessions", severalSessions, []string{"PR-18"}},
	{"observes an event of a type that is ignored", ignores, []string{"PR-33"}},
	{"expects evidence", expects("evidence"), []string{"PR-34", "PR-35"}},
	{"calls fingerprint.compute", calls("fingerprint.compute"), []string{
		"FP-7", "FP-8", "FP-9", "FP-10", "FP-11", "FP-12", "FP-13", "FP-14", "FP-15", "FP-45", "FP-47",
	}},
	{"calls fingerprint.nudge", calls("fingerprint.nudge"), []string{
		"FP-24", "FP-25", "FP-26", "FP-27", "FP-46", "FP-47",
	}},
	{"calls signature.extract", calls("signature.extract"), []string{"SG-35"}},
	{"calls signature.report", calls("signature.report"), []string{"SG-36"}},
	{"calls history.hash", calls("history.hash"), []string{"HI-6", "HI-7", "HI-8", "HI-9", "HI-27", "HI-28"}},
	{"calls crow.recovery", calls("crow.recovery"), []string{"CR-46", "CR-47", "CR-48", "CR-56", "CR-57"}},
	{"calls crow.ai_prompt", calls("crow.ai_prompt"), []string{
		"CR-49", "CR-50", "CR-51", "CR-52", "CR-56", "CR-57",
	}},
	{"calls crow.ai_parse", calls("crow.ai_parse"), []string{"CR-53", "CR-54", "CR-55", "CR-56", "CR-57"}},
	{"calls swarm.merge", calls("swarm.merge"), []string{
		"SW-16", "SW-17", "SW-19", "SW-20", "SW-21", "SW-22", "SW-24", "SW-25", "SW-26", "SW-27", "SW-28", "SW-29",
		"SW-30", "SW-31",
	}},
	{"calls ralph.ratio", calls("ralph.ratio"), []string{"RA-7", "RA-12"}},
}

// byDeeds returns the clauses that a case comes to by what it does.
func byDeeds(c cases.Case) map[string]bool {
	clauses := map[string]bool{}
	for _, d := range deeds {
		if !d.done(c) {
			continue
		}
		for _, id := range d.clauses {
			clauses[id] = true
		}
	}
	return clauses
}

// deedsOf returns what a case would have to do to come to a clause; none where only the log can tell.
func deedsOf(clause string) []string {
	var names []string
	for _, d := range deeds {
		if slices.Contains(d.clauses, clause) {
			names = append(names, d.name)
		}
	}
	return names
}

func opens(c cases.Case) bool { return len(c.Steps) > 0 }

func configures(c cases.Case) bool { return opens(c) && !c.Config.IsAbsent() }

// has returns whether a case has such a step.
func has(is func(cases.Step) bool) func(cases.Case) bool {
	return func(c cases.Case) bool { return slices.ContainsFunc(c.Steps, is) }
}

// faulty reports whether a step of that action is refused.
func faulty(c cases.Case, action cases.Action) bool {
	return has(func(s cases.Step) bool { return s.Action == action && s.Fault != nil })(c)
}

// expects returns whether a case compares the member of a verdict.
func expects(member string) func(cases.Case) bool {
	return has(func(s cases.Step) bool {
		return slices.ContainsFunc(s.Expect, func(e cases.Expectation) bool {
			return slices.ContainsFunc(e.Members, func(m cases.MemberWant) bool { return m.Name == member })
		})
	})
}

// calls returns whether a case calls the function.
func calls(function string) func(cases.Case) bool {
	return func(c cases.Case) bool { return c.Call != nil && c.Call.Function == function }
}

// observedTypes lists the types of events that each detector's clauses mention; it ignores all others.
var observedTypes = map[spec.DetectorID][]spec.EventType{
	spec.Fingerprint: {spec.ToolCall, spec.ToolResult, spec.Message, spec.TestRun},
	spec.Signature:   {spec.Output},
	spec.History:     {spec.ToolCall},
	spec.Crow:        {spec.ToolCall, spec.ToolResult, spec.ErrorEvent, spec.Message},
	spec.Swarm:       {spec.ToolCall},
	spec.Ralph:       {spec.Output},
	spec.Guards:      {spec.Iteration},
}

// ignores reports whether the case observes an event of a type that its detector ignores.
func ignores(c cases.Case) bool {
	return has(func(s cases.Step) bool {
		return s.Fault == nil && slices.ContainsFunc(s.Events, func(event spec.Value) bool {
			typ, _ := event.Get("type").Str()
			return !slices.Contains(observedTypes[c.Detector], spec.EventType(typ))
		})
	})(c)
}

func severalSessions(c cases.Case) bool {
	return has(func(s cases.Step) bool { return s.Session != c.Steps[0].Session })(c)
}

// comesTo adds up the clauses that a case exercises: those that were observed and those of its deeds.
func comesTo(c cases.Case, observed map[string]bool) map[string]bool {
	clauses := byDeeds(c)
	for id := range observed {
		clauses[id] = true
	}
	return clauses
}
