// Package cases holds the conformance suite: the YAML files, what they mean, and the strict loader that turns them into
// values. README.md in this folder describes the format for authors. compiled.jsonl and floor.json are computed from
// the YAML files: make accept writes them.
//
// The package knows nothing of how a case is run; that is package conformance.
package cases

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

// Protocol is what stands in place of a detector's name in the files whose cases test the adapter itself.
const Protocol spec.DetectorID = "protocol"

// Case is a trace with expected verdicts, a function call with its expected result, or an exchange of protocol
// lines. Exactly one of Steps, Call, Exchange and Refuse says what is to be done.
//
// The compiled suite (compiled.go) holds the fields by their names. If you add, move, rename or remove a field, here or
// in a type that a field has, run make accept; until then the test of the compiled suite fails.
type Case struct {
	ID         string // unique over all cases, never changed
	Title      string
	Detector   spec.DetectorID
	Clauses    []string // the first is the one that a failure names first
	Source     string   // where a document says it, or "silent"
	Example    bool     // it is an example, table row or listing of a document
	Readings   []spec.Reading
	Needs      []spec.Feature
	Tags       []string
	Why        string // what goes wrong for users of a port that fails it
	NoContrast string // why a silent case has no contrast
	Place      strictyaml.Place

	// What follows is the body of the case.

	Config   spec.Value // absent for the defaults
	Sessions spec.Value // the configurations of sessions that have another, by their names; absent for none

	// Instances is how many processes of the port the case asks, on one store; 0 where it asks one. The name of the swarm
	// in Config is then made one that nobody else has, for each run.
	Instances int

	Refuse   *Fault         // opening the session must be refused with this
	Steps    []Step         // the trace
	Call     *Call          // the function call
	Exchange []ExchangeStep // the protocol lines

	Contrast *Contrast // of a silent case, which a port passes only with its contrast
}

// Action is what a step does.
type Action string

// The actions of a step.
const (
	Observe  Action = "observe"
	Reset    Action = "reset"
	State    Action = "state"
	Snapshot Action = "snapshot"
	Restore  Action = "restore"
)

// MainSession is the name of the session that a step is for when it names none.
const MainSession = "main"

// Step is one step of a case.
type Step struct {
	Action  Action
	Session string
	Place   strictyaml.Place

	Events []spec.Value  // Observe: the events, observed in one request
	Times  int           // Observe: how often, at least 1
	Expect []Expectation // Observe: none, or one for each event; State, Snapshot: none or one

	Batch    bool       // Observe: the case demands that they travel in one request
	Pad      int        // Observe: how many letters x stand for PadPlaceholder in their texts
	Name     string     // Snapshot, Restore: the name that the snapshot is kept under
	State    spec.Value // Restore: a state as it stands, where Name is empty
	Fault    *Fault     // the step must be refused with this
	Instance int        // of the port, from 1; 0 where the case has one. Each has one session
}

// OfClause returns the cases that cite a clause, the one that decides it first: of those that cite the clause before
// all others, the one with the fewest settings and steps.
func OfClause(all []Case, clause string) []Case {
	of := lists.Filter(all, func(c Case) bool { return slices.Contains(c.Clauses, clause) })
	slices.SortStableFunc(of, func(a, b Case) int {
		return cmp.Or(cmp.Compare(slices.Index(a.Clauses, clause), slices.Index(b.Clauses, clause)),
			cmp.Compare(len(a.Config.Members()), len(b.Config.Members())), cmp.Compare(len(a.Steps), len(b.Steps)))
	})
	return of
}

// ConfigOf returns the configuration of a session of the case.
func (c Case) ConfigOf(session string) spec.Value {
	if config := c.Sessions.Get(session); !config.IsAbsent() {
		return config
	}
	return c.Config
}

// MostPadding is how many letters the pads of a request may add up to, so that its line has less than 1 MiB.
const MostPadding = 1_000_000

// Observed returns the events of a step in the order in which they are observed, as often as the step says, with what
// their texts leave open.
func (s Step) Observed() []spec.Value {
	if s.Times == 1 && s.Pad == 0 {
		return s.Events
	}
	events := slices.Repeat(s.Events, s.Times)
	for k, event := range s.Events {
		text := event.String()
		if s.Pad > 0 && strings.Contains(text, PadPlaceholder) {
			event = replaced(event, PadPlaceholder, strings.Repeat("x", s.Pad))
		}
		isNumbered := s.Times > 1 && strings.Contains(text, numberMark)
		for i := range s.Times {
			e := &events[i*len(s.Events)+k]
			if *e = event; isNumbered {
				*e = replaced(event, numberMark, strconv.Itoa(i+1))
			}
		}
	}
	return events
}

// numberMark stands, in the texts of an event that is observed several times, for the number of the time.
const numberMark = "${n}"

// replaced returns the value with another text in place of each mark in its texts.
func replaced(v spec.Value, mark, by string) spec.Value {
	if text, isText := v.Str(); isText {
		return spec.StringValue(strings.ReplaceAll(text, mark, by))
	}
	return v.Map(func(inner spec.Value) spec.Value { return replaced(inner, mark, by) })
}

// Call is a call of a pure function.
type Call struct {
	Function string
	Args     spec.Value
	Result   *Want  // what it must return, or
	Fault    *Fault // with what it must be refused
}

// Expectation is what is compared of an object: the members that it names.
type Expectation struct {
	Members []MemberWant
	Whole   bool // no other members may be there
	Place   strictyaml.Place
}

// Want returns what is expected of the member of that name, if anything is.
func (e Expectation) Want(name string) (Want, bool) {
	m, ok := lists.Find(e.Members, func(m MemberWant) bool { return m.Name == name })
	return m.Want, ok
}

// MemberWant is what one member must be.
type MemberWant struct {
	Name     string
	Want     Want
	Optional bool // the port may leave the member out
}

// Want is a demand on one value. Exactly one member is set, but for InWords.
type Want struct {
	Equal     spec.Value // it is this value
	InWords   bool       // Equal is a text, and any run of white space in it is like any other
	Absent    bool       // it is not there
	Contains  []string   // it is a text that contains each of these
	Lacks     []string   // it is a text that contains none of these
	Differs   spec.Value // it is there, and another value than this
	SameAs    spec.Value // it equals the function's value for these arguments
	NotSameAs spec.Value // it differs from the function's value for these arguments
}

// Fault is a refusal as a case expects it. Members that are empty are not compared.
type Fault struct {
	Kind    spec.FaultKind
	Field   string
	Feature string
}
