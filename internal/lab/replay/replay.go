// Package replay lets detectors watch a recorded run of an agent, and tells who would have noticed what: which events
// each of them marks, its first alarm with the calls that prove it, what came after it, and where they disagree.
//
// A run may be larger than memory: it keeps a bounded number of events, and of the verdicts only from which event to
// which a detector reports a loop. A [Follower] does the same while agents write their logs.
package replay

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/loopstone/loopstone/internal/lab/agentlogs"
	"github.com/loopstone/loopstone/internal/lab/alarm"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/spec"
)

// Moment is one event of a run as it is shown. Its texts are cut.
type Moment struct {
	Event   int // its place in the run, from 0
	Type    spec.EventType
	Title   string // the tool of a call, the role of a message, the channel of a piece; of a result, whether it failed
	Text    string // what is called, returned or said
	Where   agentlogs.Place
	Thought string
	upTo    Cost // what the run had taken when it was over
}

// Cost is what part of a run took, as far as the recording says it.
type Cost struct {
	Events  int     `json:"events"`
	Calls   int     `json:"calls"`
	Tokens  int     `json:"tokens"`   // those read and those written
	Dollars float64 `json:"cost_usd"` // 0 where the recording does not say

	Streamed int `json:"streamed_characters,omitzero"` // of the text that the model was heard writing
}

func (c Cost) minus(d Cost) Cost {
	return Cost{
		Events: c.Events - d.Events, Calls: c.Calls - d.Calls, Tokens: c.Tokens - d.Tokens,
		Dollars: c.Dollars - d.Dollars, Streamed: c.Streamed - d.Streamed,
	}
}

// Replay is a run with all that its detectors say of it.
type Replay struct {
	*agentlogs.Run
	Total   Cost
	Lanes   []*Lane
	Notes   []agentlogs.Note
	Moments map[int]Moment // by event; the first ones, and those that first alarms are about
	keep    int            // how many of the first ones
	recent  []Moment       // the latest events, in a ring: alarms are heard up to a batch later
	usual   bool           // nobody chose the detectors
	varying varying

	live     bool // each stretch is news
	news     []News
	recorded []spec.Value // the events up to the first alarm, and the rest of its batch, where a case is made of them
}

// What a replay keeps of a run is bounded.
const (
	keptRecent = 512
	keptText   = 1500 // characters
)

// Open starts to watch a run. Of its first events, so many are kept to be shown, beside those that alarms are about.
func Open(run *agentlogs.Run, observers []alarm.Observer, keep int) *Replay {
	r := &Replay{Run: run, Moments: map[int]Moment{}, keep: keep}
	for _, o := range observers {
		r.Lanes = append(r.Lanes, newLane(o, r.begins))
	}
	return r
}

// Observe takes in the run's next event.
func (r *Replay) Observe(ctx context.Context, e agentlogs.Event) error {
	place := r.Total.Events
	r.count(e)
	m := momentOf(e, place)
	m.upTo = r.Total
	if place < r.keep {
		r.Moments[place] = m
	}
	if place < keptRecent { // most runs are short, and thousands may be open at a time
		r.recent = append(r.recent, m)
	} else {
		r.recent[place%keptRecent] = m
	}
	r.varying.observe(e.Value, m)
	var failed error
	for _, lane := range r.Lanes { // all of them: where a port is gone, the others' alarms count
		failed = cmp.Or(failed, lane.tell(ctx, place, e.Value))
	}
	if failed != nil {
		return fmt.Errorf("%s, event %d: %w", r.Name, place+1, failed)
	}
	return nil
}

// flush tells all lanes what is pending, and returns the error of the first that could not be told.
func (r *Replay) flush(ctx context.Context) error {
	var failed error
	for _, lane := range r.Lanes {
		failed = cmp.Or(failed, lane.flush(ctx))
	}
	if failed != nil {
		return fmt.Errorf("%s: %w", r.Name, failed)
	}
	return nil
}

// Close ends the watch: what is pending is told, and the sessions are closed.
func (r *Replay) Close(ctx context.Context) error {
	if err := r.flush(ctx); err != nil {
		return err
	}
	for _, lane := range r.Lanes {
		if err := lane.close(ctx); err != nil {
			return fmt.Errorf("%s: %w", r.Name, err)
		}
	}
	r.recent = nil
	return nil
}

// mostCost bounds the cost of an event in dollars, so that no sum of them is infinite; mostTokens bounds its tokens.
const (
	mostCost   = 1e15
	mostTokens = 1e12
)

func (r *Replay) count(e agentlogs.Event) {
	event := e.Value
	r.Total.Events++
	switch spec.TypeOf(event) {
	case spec.ToolCall:
		r.Total.Calls++
	case spec.Delta:
		r.Total.Streamed += utf8.RuneCountInString(event.Get("text").Text())
	}
	for _, name := range []string{"input_tokens", "output_tokens"} {
		switch n, isWhole := event.Get(name).Whole(); {
		case event.Get(name).IsAbsent():
		case isWhole && 0 <= n && n <= mostTokens:
			r.Total.Tokens += n
		default:
			r.note(e.Place, "a number of tokens that is negative, no integer or more than 1e12 was left out")
		}
	}
	if cost, _ := event.Get("cost_usd").Float(); 0 <= cost && cost <= mostCost {
		r.Total.Dollars += cost
	} else {
		r.note(e.Place, "a cost that is negative or more than 1e15 dollars was left out")
	}
}

// note notes what is so at a place, once for all places.
func (r *Replay) note(place agentlogs.Place, text string) {
	i := slices.IndexFunc(r.Notes, func(n agentlogs.Note) bool { return n.Text == text })
	if i < 0 {
		i, r.Notes = len(r.Notes), append(r.Notes, agentlogs.Note{Run: r.Run, Place: place, Text: text})
	}
	r.Notes[i].Times++
}

// begins keeps what a lane's first alarm is about, as long as it is there.
func (r *Replay) begins(lane *Lane, reported alarm.Alarm) {
	if reported.At == lane.First.At {
		for _, event := range append(slices.Clone(reported.Evidence), reported.At) {
			if m, kept := r.moment(event); kept {
				r.Moments[event] = m
			}
		}
	}
	if r.live {
		r.news = append(r.news, r.newsOf(lane, reported))
	}
}

// moment returns an event of the run, if it is kept.
func (r *Replay) moment(event int) (Moment, bool) {
	if m, kept := r.Moments[event]; kept {
		return m, true
	}
	if event%keptRecent >= len(r.recent) {
		return Moment{}, false
	}
	m := r.recent[event%keptRecent]
	return m, m.Event == event
}

// After returns what the run took after a lane's first alarm.
func (r *Replay) After(l *Lane) Cost { return r.Total.minus(r.Moments[l.First.At].upTo) }

// Call returns how many calls were made up to a lane's first alarm.
func (r *Replay) Call(l *Lane) int { return r.Moments[l.First.At].upTo.Calls }

// Speaking returns the lanes that said that there is a loop.
func (r *Replay) Speaking() []*Lane { return lists.Filter(r.Lanes, (*Lane).hasAlarm) }

func momentOf(e agentlogs.Event, place int) Moment {
	text := func(name string) string { s, _ := e.Value.Get(name).Str(); return s }
	m := Moment{Event: place, Type: spec.EventType(text("type")), Where: e.Place, Thought: short(text("thought"))}
	switch m.Type {
	case spec.ToolCall:
		m.Title, m.Text = text("tool"), short(argumentsOf(e.Value))
	case spec.ToolResult:
		m.Title, m.Text = "returned", short(text("content"))
		if ok := e.Value.Get("ok"); ok.Kind() == spec.Bool && !ok.IsTrue() {
			m.Title = "failed"
		}
	case spec.ErrorEvent:
		m.Title, m.Text = "error", short(text("message"))
	case spec.Message:
		m.Title, m.Text = text("role"), short(text("content"))
	case spec.Delta:
		m.Title, m.Text = cmp.Or(text("channel"), string(spec.Answer)), short(text("text"))
	default:
		m.Title, m.Text = string(m.Type), short(text("output"))
	}
	return m
}

// argumentsOf returns the arguments of a call as a person reads them: where there is one text alone, the text.
func argumentsOf(event spec.Value) string {
	args := event.Get("args")
	if args.IsAbsent() {
		return "{}"
	}
	if members := args.Members(); len(members) == 1 {
		if text, ok := members[0].Value.Str(); ok {
			return text
		}
	}
	return args.String()
}

// short cuts a text to what is kept of it, at a whole character.
func short(text string) string {
	characters := 0
	for i := range text {
		if characters == keptText {
			return text[:i] + "…"
		}
		characters++
	}
	return text
}
