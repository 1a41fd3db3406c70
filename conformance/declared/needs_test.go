package declared_test

import (
	"slices"
	"testing"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/conformance/declared"
	"github.com/loopstone/loopstone/reference"
	"github.com/loopstone/loopstone/spec"
)

// What a case needs is read off the case. Here the reference says which rules really speak where a case compares;
// beside them it needs those that its configuration asks for.
func TestACaseNeedsExactlyTheRulesThatSpeak(t *testing.T) {
	t.Parallel()
	all, err := cases.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		definition, _ := spec.DefinitionOf(c.Detector)
		if c.Steps == nil || hasState(c) || len(definition.Rules) == 1 {
			continue // a state may tell of any verdict
		}
		spoke := map[spec.VerdictKind]bool{}
		for _, reading := range c.Readings {
			for _, half := range c.Halves() {
				kindsThatSpeak(t, half.Case, reading, spoke)
			}
		}
		needs := declared.NeedsOf(c.Halves()).Rules
		for kind := range spoke {
			if !slices.Contains(needs, kind) {
				t.Errorf("%s compares a verdict of the rule %s, and does not need it", c.ID, kind)
			}
		}
		for _, kind := range needs {
			if !spoke[kind] && !slices.Contains(definition.Asked(c.Config), kind) {
				t.Errorf("%s needs the rule %s, which never speaks where it compares: name the kind of its loops", c.ID, kind)
			}
		}
	}
}

func hasState(c cases.Case) bool {
	return slices.ContainsFunc(c.Steps, func(s cases.Step) bool { return s.Action != cases.Observe && len(s.Expect) > 0 })
}

// kindsThatSpeak plays a case to the reference and notes the kinds of the verdicts that the case compares.
func kindsThatSpeak(t *testing.T, c cases.Case, reading spec.Reading, spoke map[spec.VerdictKind]bool) {
	t.Helper()
	sessions, snapshots := map[string]spec.Session{}, map[string]spec.Value{}
	for _, step := range c.Steps {
		session := sessions[step.Session]
		if session == nil {
			session, _ = reference.Port().Open(t.Context(), c.Detector, reading, c.ConfigOf(step.Session))
			sessions[step.Session] = session
		}
		switch step.Action {
		case cases.Reset:
			_ = session.Reset(t.Context())
		case cases.Snapshot:
			snapshots[step.Name], _ = session.Snapshot(t.Context())
		case cases.Restore:
			state := step.State
			if step.Name != "" {
				state = snapshots[step.Name]
			}
			_ = session.Restore(t.Context(), state) // the case may want it to be refused
		case cases.Observe:
			verdicts, _ := session.Observe(t.Context(), step.Observed())
			for i, v := range verdicts {
				kind, loop := v.Get("kind").Str()
				if loop && len(step.Expect) > 0 && len(step.Expect[i%len(step.Events)%len(step.Expect)].Members) > 0 {
					spoke[spec.VerdictKind(kind)] = true
				}
			}
		}
	}
}
