package fuzz

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/cases"
	"github.com/loopstone/loopstone/internal/laws"
	"github.com/loopstone/loopstone/spec"
)

// CaseOf makes a counterexample a case of the suite: the trace, with what the oracle says of it, and the clauses that
// the oracle applied. The case passes on the oracle and, where the port does not only break a law between two traces
// that are each as they should be, fails on the port.
func CaseOf(ctx context.Context, oracle spec.Port, c Counterexample) (cases.Case, error) {
	made := cases.Case{
		Detector: c.Subject.Detector,
		Readings: []spec.Reading{c.Subject.Reading},
		Source:   "silent",
		Tags:     []string{"found"},
		Config:   c.Subject.Config,
	}
	var err error
	if c.Subject.IsCall() {
		err = fillCall(ctx, oracle, c.Subject, &made)
	} else {
		err = fillTrace(ctx, oracle, c, &made)
	}
	if err != nil {
		return made, fmt.Errorf("make a case of a counterexample: %w", err)
	}
	name(&made, c)
	return made, nil
}

// name gives a written case its id, title and reason: the same for the same counterexample.
func name(made *cases.Case, c Counterexample) {
	sum := sha256.Sum256([]byte(c.Key()))
	short := hex.EncodeToString(sum[:4])
	made.ID = fmt.Sprintf("%s-found-%s", made.Detector, short)
	made.Title = fmt.Sprintf("Found by generated traces, %s", short)
	made.Why = fmt.Sprintf("A port broke this (%s). Say here what that does to its users before the case joins a suite.",
		oneLine(c.Finding.Error()))
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func fillCall(ctx context.Context, oracle spec.Port, s Subject, made *cases.Case) error {
	definition, _ := spec.DefinitionOf(s.Detector)
	made.Call = &cases.Call{Function: s.Function, Args: s.Args}
	made.Needs = []spec.Feature{definition.Functions[s.Function]}
	made.Clauses = []string{clauseAbout(definition, s.Function)}
	made.Config = spec.Value{}
	value, err := oracle.Call(ctx, s.Function, s.Reading, s.Args)
	var fault *spec.Fault
	if errors.As(err, &fault) {
		made.Call.Fault = &cases.Fault{Kind: fault.Kind, Field: fault.Field, Feature: fault.Feature}
		return nil
	}
	made.Call.Result = &cases.Want{Equal: value}
	return err
}

// clauseAbout returns the first clause of the detector whose text names the word, else the detector's first.
func clauseAbout(definition spec.Definition, word string) string {
	first := ""
	for _, c := range spec.Clauses() {
		if !strings.HasPrefix(c.ID, definition.Prefix+"-") {
			continue
		}
		if strings.Contains(c.Text, word) {
			return c.ID
		}
		if first == "" {
			first = c.ID
		}
	}
	return first
}

// fillTrace writes the steps of a trace with what the oracle says of each.
func fillTrace(ctx context.Context, oracle spec.Port, c Counterexample, made *cases.Case) error {
	s := c.Subject
	sessions := map[int]spec.Session{}
	for _, step := range s.Steps {
		session, open := sessions[step.Session]
		if !open {
			var err error
			session, err = oracle.Open(ctx, s.Detector, s.Reading, s.Config)
			if refused(err, made) {
				return nil
			}
			if err != nil {
				return err
			}
			sessions[step.Session] = session
		}
		written, err := writeStep(ctx, session, step)
		if err != nil {
			return err
		}
		made.Steps = append(made.Steps, written)
	}
	if len(made.Steps) == 0 { // only the configuration is at stake
		_, err := oracle.Open(ctx, s.Detector, s.Reading, s.Config)
		if !refused(err, made) {
			return fmt.Errorf("the counterexample has no steps and the oracle accepts its configuration")
		}
		return nil
	}
	made.Needs = needs(s)
	made.Clauses = clausesOf(*made)
	return nil
}

// clausesOf returns the clause that is about the last verdict that the case expects: its kind, else the count.
func clausesOf(made cases.Case) []string {
	definition, _ := spec.DefinitionOf(made.Detector)
	about := "count"
	for _, step := range made.Steps {
		for _, e := range step.Expect {
			about = "count"
			for _, m := range e.Members {
				if kind, isText := m.Want.Equal.Str(); m.Name == "kind" && isText {
					about = kind
				}
			}
		}
	}
	return []string{clauseAbout(definition, about)}
}

// refused makes the case one of a configuration that must be refused, where the oracle refused it.
func refused(err error, made *cases.Case) bool {
	var fault *spec.Fault
	if !errors.As(err, &fault) {
		return false
	}
	definition, _ := spec.DefinitionOf(made.Detector)
	made.Refuse = &cases.Fault{Kind: fault.Kind, Field: fault.Field, Feature: fault.Feature}
	made.Steps = nil
	made.Clauses = []string{clauseAbout(definition, "configuration")}
	return true
}

func writeStep(ctx context.Context, session spec.Session, step laws.Step) (cases.Step, error) {
	written := cases.Step{Action: cases.Observe, Session: cases.MainSession, Times: 1}
	if step.Session > 0 {
		written.Session = fmt.Sprintf("s%d", step.Session+1)
	}
	if step.IsReset() {
		written.Action = cases.Reset
		return written, session.Reset(ctx)
	}
	written.Events = []spec.Value{step.Event}
	verdicts, err := session.Observe(ctx, written.Events)
	var fault *spec.Fault
	if errors.As(err, &fault) {
		written.Fault = &cases.Fault{Kind: fault.Kind, Field: fault.Field, Feature: fault.Feature}
		return written, nil
	}
	if err != nil {
		return written, err
	}
	written.Expect = []cases.Expectation{expectation(verdicts[0])}
	return written, nil
}

// expectation demands all members of a verdict that every port must agree on without an optional feature.
func expectation(verdict spec.Value) cases.Expectation {
	var e cases.Expectation
	for _, m := range verdict.Members() {
		if m.Name != "message" && m.Name != "evidence" {
			e.Members = append(e.Members, cases.MemberWant{Name: m.Name, Want: cases.Want{Equal: m.Value}})
		}
	}
	return e
}

// needs returns the features without which a port could not have been asked.
func needs(s Subject) []spec.Feature {
	var list []spec.Feature
	definition, _ := spec.DefinitionOf(s.Detector)
	for _, p := range definition.Settings {
		if p.Needs != "" && !s.Config.Get(p.Name).IsAbsent() && !slices.Contains(list, p.Needs) {
			list = append(list, p.Needs)
		}
	}
	inFloats := func(step laws.Step) bool { return hasFloat(step.Event.Get("args")) }
	if definition.Has(spec.IntFloat) && slices.ContainsFunc(s.Steps, inFloats) {
		list = append(list, spec.IntFloat)
	}
	return list
}

// hasFloat reports whether a number in the value is spelled as a float whose value is whole, which some languages
// cannot tell from an integer.
func hasFloat(v spec.Value) bool {
	if v.Kind() == spec.Number && !v.IsIntegerLiteral() {
		return true
	}
	return slices.ContainsFunc(v.Items(), hasFloat) ||
		slices.ContainsFunc(v.Members(), func(m spec.Member) bool { return hasFloat(m.Value) })
}
