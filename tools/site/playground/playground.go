// Package playground lets the reference judge a trace that a person edits, for the site: a text goes in, and the
// verdict of each detector after every event comes out, as JSON. It keeps what it has read, so that a moved slider
// reads nothing anew.
//
// It imports as little as it can: what it imports, browsers load.
package playground

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/internal/lab/agentlogs"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/strictyaml"
)

// MostShown is how many of the first events of a run are handed out; the others are judged all the same.
const MostShown = 2000

// Playground is one person's trace before a port. It is used by one goroutine at a time.
type Playground struct {
	port  spec.Port
	runs  []run
	notes []string
}

// run is what one agent did.
type run struct {
	name   string
	events []spec.Value
}

// New returns a playground without a trace.
func New(port spec.Port) *Playground { return &Playground{port: port} }

// Load reads a text: a log in one of the formats of package recording, or a list of events in YAML or JSON, whose items
// are events or steps of a case. An error says where the text is wrong, and leaves the playground without a trace. The
// result has the format, the names of the runs, and notes on what was left out.
func (p *Playground) Load(text string) (spec.Value, error) {
	p.runs, p.notes = nil, nil
	format := agentlogs.Detect([]byte(text[:min(len(text), beginning)]))
	if strings.HasPrefix(strings.TrimSpace(text), "- ") || strings.HasPrefix(strings.TrimSpace(text), "#") {
		format = "" // a list in YAML is none of the logs
	}
	var err error
	if format == "" {
		err = p.loadList(text)
	} else {
		err = p.loadLog(text, format)
	}
	if err == nil && len(p.runs) == 0 {
		err = errors.New("the log holds no event")
	}
	if err != nil {
		p.runs = nil
		return spec.Value{}, err
	}
	names := make([]string, len(p.runs))
	for i, r := range p.runs {
		names[i] = r.name
	}
	return spec.ObjectValue(
		spec.Member{Name: "format", Value: spec.StringValue(format)},
		spec.Member{Name: "runs", Value: spec.StringsValue(names)},
		spec.Member{Name: "notes", Value: spec.StringsValue(p.notes)},
	), nil
}

// beginning is how much of a text its format is recognised by.
const beginning = 1 << 20

func (p *Playground) loadLog(text, format string) error {
	places := map[*agentlogs.Run]int{}
	return agentlogs.Read("log", strings.NewReader(text), format, agentlogs.Sink{
		Event: func(e agentlogs.Event) error {
			i, known := places[e.Run]
			if !known {
				i = len(p.runs)
				places[e.Run], p.runs = i, append(p.runs, run{name: e.Run.Name})
			}
			p.runs[i].events = append(p.runs[i].events, e.Value)
			return nil
		},
		Note: func(n agentlogs.Note) { p.notes = append(p.notes, n.String()) },
	})
}

// loadList reads a list of events, or of steps.
func (p *Playground) loadList(text string) error {
	list, err := spec.ParseValue([]byte(text))
	if err != nil {
		node, yamlErr := strictyaml.Parse("trace", []byte(text))
		if yamlErr != nil {
			return yamlErr
		}
		list = node.Value()
	}
	if steps := list.Get("steps"); !steps.IsAbsent() {
		list = steps
	}
	if list.Kind() != spec.Array {
		return fmt.Errorf("want a list of events, got %s", list.Kind())
	}
	var events []spec.Value
	repeated := 0
	for i, item := range list.Items() {
		event, times, err := stepOf(item)
		if err != nil {
			return fmt.Errorf("event %d: %w", i+1, err)
		}
		if repeated += times - 1; repeated >= mostRepeated {
			return fmt.Errorf("event %d: the steps repeat more than %d events in all", i+1, mostRepeated)
		}
		events = append(events, slices.Repeat([]spec.Value{event}, times)...)
	}
	if len(events) == 0 {
		return errors.New("the list has no event")
	}
	p.runs = []run{{"trace", events}}
	return nil
}

// mostRepeated bounds how many events the `times` of all steps may add: a short text must not fill the memory.
const mostRepeated = 100_000

// stepOf returns the event of an item and how often it stands there. The item is an event, or a step such as
// {tool_call: {…}, times: 3}.
func stepOf(item spec.Value) (event spec.Value, times int, err error) {
	event, times = item, 1
	for _, member := range item.Members() {
		if spec.EventMembers(spec.EventType(member.Name)) != nil && member.Value.Kind() == spec.Object {
			event = typed(member.Name, member.Value)
		}
	}
	if whole := item.Get("event"); whole.Kind() == spec.Object {
		event = whole
	}
	if given := item.Get("times"); !given.IsAbsent() {
		n, isInt := given.Int()
		if !isInt || n < 1 || n > mostRepeated {
			return event, 0, fmt.Errorf("times: want an integer from 1 to %d, got %s", mostRepeated, given)
		}
		times = n
	}
	if nests(event, mostNested) {
		return event, 0, fmt.Errorf("the event is nested more than %d levels deep", mostNested)
	}
	_, err = spec.DecodeEvent(event)
	return event, times, err
}

// mostNested is how deep a value of an event may be nested, as in a log.
const mostNested = 100

// nests says whether a value has more than so many levels of arrays and objects.
func nests(v spec.Value, levels int) bool {
	if v.Kind() != spec.Array && v.Kind() != spec.Object {
		return false
	}
	if levels == 0 {
		return true
	}
	within := v.Items()
	for _, member := range v.Members() {
		within = append(within, member.Value)
	}
	return slices.ContainsFunc(within, func(v spec.Value) bool { return nests(v, levels-1) })
}

// typed returns an event whose type stands first.
func typed(name string, rest spec.Value) spec.Value {
	members := []spec.Member{{Name: "type", Value: spec.StringValue(name)}}
	return spec.ObjectValue(append(members, rest.Members()...)...)
}

// Judge returns what lanes say of a run: {total, events: […], lanes: [{verdicts: […], loops, first, alarm,
// refused}]}, where alarm is the verdict after the event first. Events and verdicts are texts, so that JavaScript
// does not spell their numbers anew.
func (p *Playground) Judge(ctx context.Context, number int, lanes spec.Value) (spec.Value, error) {
	if number < 0 || number >= len(p.runs) {
		return spec.Value{}, fmt.Errorf("there is no run %d", number+1)
	}
	events := p.runs[number].events
	var said []spec.Value
	for _, lane := range lanes.Items() {
		said = append(said, p.lane(ctx, lane, events))
	}
	return spec.ObjectValue(
		spec.Member{Name: "total", Value: spec.IntValue(len(events))},
		spec.Member{Name: "events", Value: texts(events)},
		spec.Member{Name: "lanes", Value: spec.ArrayValue(said...)},
	), nil
}

func texts(values []spec.Value) spec.Value {
	shown := values[:min(len(values), MostShown)]
	all := make([]string, len(shown))
	for i, v := range shown {
		all[i] = v.String()
	}
	return spec.StringsValue(all)
}

// lane returns what one detector says. A lane that is refused an event has said what it said before.
func (p *Playground) lane(ctx context.Context, lane spec.Value, events []spec.Value) spec.Value {
	verdicts, err := p.observe(ctx, lane, events)
	loops, first, alarm := 0, -1, ""
	for i, v := range verdicts {
		if !v.Get("loop").IsTrue() {
			continue
		}
		if loops++; first < 0 {
			first, alarm = i, v.String()
		}
	}
	refused := ""
	if err != nil {
		refused = err.Error()
	}
	return spec.ObjectValue(
		spec.Member{Name: "verdicts", Value: texts(verdicts)},
		spec.Member{Name: "loops", Value: spec.IntValue(loops)},
		spec.Member{Name: "first", Value: spec.IntValue(first)},
		spec.Member{Name: "alarm", Value: spec.StringValue(alarm)},
		spec.Member{Name: "refused", Value: spec.StringValue(refused)},
	)
}

func (p *Playground) observe(ctx context.Context, lane spec.Value, events []spec.Value) ([]spec.Value, error) {
	detector, _ := lane.Get("detector").Str()
	reading, _ := lane.Get("reading").Str()
	session, err := p.port.Open(ctx, spec.DetectorID(detector), spec.Reading(reading), lane.Get("config"))
	if err != nil {
		return nil, err
	}
	verdicts := make([]spec.Value, 0, len(events))
	for i := range events {
		said, err := session.Observe(ctx, events[i:i+1])
		if err != nil {
			return verdicts, errors.Join(fmt.Errorf("event %d: %w", i+1, err), session.Close(ctx))
		}
		verdicts = append(verdicts, said...)
	}
	return verdicts, session.Close(ctx)
}
