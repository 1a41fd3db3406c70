package cases

import (
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

// Parse reads one case file. The name is only used for places.
func Parse(name string, text []byte) ([]Case, error) {
	doc, err := strictyaml.Parse(name, text)
	if err != nil {
		return nil, err
	}
	var detector spec.DetectorID
	var list *strictyaml.Node
	err = doc.Read(map[string]strictyaml.Reader{
		"detector": strictyaml.Str(&detector),
		"cases":    func(n *strictyaml.Node) error { list = n; return nil },
	}, "detector", "cases")
	if err != nil {
		return nil, err
	}
	definition, known := spec.DefinitionOf(detector)
	if err := spec.CheckID(detector); detector.IsProfile() && err != nil {
		return nil, doc.Get("detector").Problemf("%v", err)
	}
	if !known && detector != Protocol {
		return nil, doc.Get("detector").Problemf("unknown detector %q; %s", detector, wording.Hint(detector, detectorNames()))
	}
	if len(list.Items) == 0 {
		return nil, list.Problemf("cases: want a list that is not empty")
	}
	definition.ID = detector
	var all []Case
	var problems []error
	for _, item := range list.Items {
		c, err := readCase(item, definition)
		all, problems = append(all, c), append(problems, err)
	}
	return all, errors.Join(problems...)
}

func readCase(n *strictyaml.Node, definition spec.Definition) (Case, error) {
	c := Case{Detector: definition.ID, Place: n.Place}
	var result *Want
	var fault *Fault
	isClause := func(id string) bool { _, known := spec.ClauseByID(id); return known }
	hasReading := func(r spec.Reading) bool { return slices.Contains(definition.Readings, r) }
	err := n.Read(map[string]strictyaml.Reader{
		"id":          readID(&c.ID, definition.ID),
		"title":       strictyaml.Str(&c.Title),
		"clauses":     readNames(&c.Clauses, isClause, "unknown clause %s"),
		"source":      strictyaml.By(&c.Source, readSource),
		"example":     strictyaml.Bool(&c.Example),
		"readings":    readNames(&c.Readings, hasReading, string(definition.ID)+" has no reading %q"),
		"needs":       readNames(&c.Needs, definition.Has, string(definition.ID)+" has no feature %q"),
		"tags":        strictyaml.Strs(&c.Tags),
		"why":         strictyaml.Str(&c.Why),
		"no_contrast": strictyaml.Str(&c.NoContrast),
		"contrast":    strictyaml.By(&c.Contrast, readContrast),
		"config":      strictyaml.Any(&c.Config),
		"sessions":    strictyaml.Any(&c.Sessions),
		"instances":   strictyaml.Int(2, &c.Instances),
		"refuse":      strictyaml.By(&c.Refuse, readFault),
		"steps":       strictyaml.By(&c.Steps, readSteps),
		"call":        readCall(&c.Call, definition),
		"result":      strictyaml.By(&result, readResult),
		"fault":       strictyaml.By(&fault, readFault),
		"exchange":    strictyaml.Each(&c.Exchange, readExchangeStep),
	}, "id", "title", "clauses", "source", "why")
	if err != nil {
		return c, err
	}
	if c.Call != nil {
		c.Call.Result, c.Call.Fault = result, fault
	}
	c.complete(definition)
	return c, errors.Join(
		checkBody(n, c), checkReplies(n, c), checkSessions(n, c), checkInstances(n, c), checkContrast(n, c),
	)
}

// complete adds what a case means without saying it.
func (c *Case) complete(definition spec.Definition) {
	c.Why, c.NoContrast = strings.TrimSpace(c.Why), strings.TrimSpace(c.NoContrast)
	if len(c.Readings) == 0 {
		c.Readings = definition.Readings
	}
	if !slices.Contains(c.Needs, spec.Layout) {
		c.ignoreLayout(definition)
	}
}

// checkSessions checks that each configuration of a session is one, and that a step is for that session.
func checkSessions(n *strictyaml.Node, c Case) error {
	if !c.Sessions.IsAbsent() && c.Sessions.Kind() != spec.Object {
		return n.Problemf("sessions: want a mapping, got %s", c.Sessions.Kind())
	}
	for _, m := range c.Sessions.Members() {
		isFor := func(s Step) bool { return s.Session == m.Name }
		if m.Value.Kind() != spec.Object || m.Name == MainSession || !slices.ContainsFunc(c.Steps, isFor) {
			return n.Problemf("sessions: want the configuration of a session other than %s that a step names, got %s: %s",
				MainSession, m.Name, m.Value)
		}
	}
	return nil
}

// checkInstances checks that a case of several instances demands the feature, names its swarm, and asks only those.
func checkInstances(n *strictyaml.Node, c Case) error {
	if c.Instances > 0 && (!slices.Contains(c.Needs, spec.Shared) || c.Config.Get("swarm").Kind() != spec.String) {
		return n.Problemf("several instances need the feature shared, and a swarm in the config")
	}
	for i, step := range c.Steps {
		if (step.Instance > 0) != (c.Instances > 0) || step.Instance > c.Instances {
			return n.Problemf("step %d: want an instance from 1 to the %d of the case", i+1, c.Instances)
		}
	}
	return nil
}

// checkReplies checks that a case which needs the feature replies demands it.
func checkReplies(n *strictyaml.Node, c Case) error {
	if what := c.needsReplies(); what != "" && !slices.Contains(c.Needs, spec.Replies) {
		return n.Problemf("%s needs the feature replies", what)
	}
	return nil
}

// HasReplies reports whether the case has a reply, or a refused event with one of the members which came with it: a
// port without the feature may refuse the one, and take the other (PR-43).
func (c Case) HasReplies() bool { return c.needsReplies() != "" }

// needsReplies returns the first thing of a case that needs the feature replies; empty if there is none.
func (c Case) needsReplies() string {
	for _, step := range c.Steps {
		for _, event := range step.Events {
			if spec.TypeOf(event) == spec.Reply {
				return "a reply"
			}
			for _, m := range event.Members() {
				if step.Fault != nil && spec.NeedsReplies(m.Name) {
					return "a wrong " + m.Name
				}
			}
		}
	}
	return ""
}

// ignoreLayout makes the texts that an agent is told count by their words: messages, and what the functions of a
// detector that knows the feature layout return.
func (c *Case) ignoreLayout(definition spec.Definition) {
	inWords := func(w *Want) { w.InWords = w.Equal.Kind() == spec.String }
	for _, step := range c.Steps {
		for _, e := range step.Expect {
			for i, m := range e.Members {
				if step.Action == Observe && m.Name == "message" {
					inWords(&e.Members[i].Want)
				}
			}
		}
	}
	if c.Call != nil && c.Call.Result != nil && definition.Has(spec.Layout) {
		inWords(c.Call.Result)
	}
}

// checkBody checks that the case does exactly one thing, and that what stands beside it belongs to it.
func checkBody(n *strictyaml.Node, c Case) error {
	bodies := n.Count("refuse", "steps", "call", "exchange")
	hasOutcome := n.Count("result", "fault") > 0
	switch {
	case bodies != 1:
		return n.Problemf("a case has one of refuse, steps, call, exchange; this has %d of them", bodies)
	case (c.Detector == Protocol) != (c.Exchange != nil):
		return n.Problemf("exchanges are for the protocol, and the protocol has nothing else")
	case c.Call == nil && hasOutcome:
		return n.Problemf("result and fault need a call beside them")
	case c.Call != nil && (c.Call.Result == nil) == (c.Call.Fault == nil):
		return n.Problemf("a call has either a result or a fault")
	}
	return nil
}

// IsID reports whether a word may be the id of a case: lower-case words joined by -. The first of them must be the
// case's detector.
func IsID(word string) bool { return slug.MatchString(word) }

var slug = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func readID(into *string, detector spec.DetectorID) strictyaml.Reader {
	return func(n *strictyaml.Node) error {
		rest, isOurs := strings.CutPrefix(n.Text, string(detector)+"-")
		if !isOurs || !IsID(rest) {
			return n.Problemf("the id %q: want lower-case words joined by -, the first of them %s", n.Text, detector)
		}
		*into = n.Text
		return nil
	}
}

var source = regexp.MustCompile(`^(silent|D[1-5]#[a-z0-9-]+)$`)

func readSource(n *strictyaml.Node) (string, error) {
	if !source.MatchString(n.Text) {
		return "", n.Problemf("the source %q: want a document's section such as D3#implementation, or silent", n.Text)
	}
	return n.Text, nil
}

// readNames returns the Reader of a list of texts, each of which must be known.
func readNames[T ~string](into *[]T, known func(T) bool, unknown string) strictyaml.Reader {
	return func(n *strictyaml.Node) error {
		if err := strictyaml.Strs(into)(n); err != nil {
			return err
		}
		for i, name := range *into {
			if !known(name) {
				return n.Items[i].Problemf(unknown, name)
			}
		}
		return nil
	}
}

// detectorNames returns the names that a case file can have for its detector, without profiles.
func detectorNames() []spec.DetectorID {
	return lists.Map(spec.Detectors(), func(d spec.Definition) spec.DetectorID { return d.ID })
}
