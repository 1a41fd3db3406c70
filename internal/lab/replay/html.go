package replay

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/words"
)

//go:embed page.html.tmpl
var page string

var pageTemplate = template.Must(template.New("page").Parse(page))

// The parts of the page, as its template names them.
type (
	htmlPage struct {
		Title, Answer string
		Loops, Calm   []htmlRun
	}
	htmlRun struct {
		ID, Headline, Answer string
		Events               int
		Lanes                []htmlLane
		Alarms               []htmlAlarm
		Disagreements        []htmlDisagreement
		Blind, Notes         []string
		Steps                []htmlStep
	}
	htmlLane struct {
		Name, Say string
		Bars      []htmlBar
		First     *htmlBar
	}
	htmlBar   struct{ X, Width int }
	htmlAlarm struct {
		Say, Link, After string
		Evidence         []string
	}
	htmlDisagreement struct{ Events, Yes, No string }
	htmlStep         struct {
		ID, Gap, Number, Title, Brief, Text, Thought, Where string
		Tags                                                []string
	}
)

// HTML writes runs as one page that needs nothing else: no network, no script. Those with a loop come first.
func HTML(w io.Writer, runs []*Replay) error {
	f := folderOf(runs)
	loops, calm := byLoop(runs)
	p := htmlPage{Title: "Replay of " + count(len(runs), "run"), Answer: sayHowMany(len(loops), len(calm)) + "."}
	if len(runs) == 1 {
		p.Title, p.Answer = "Replay of "+words.Line(f.name(runs[0])), ""
	}
	for i, r := range slices.Concat(loops, calm) {
		h := f.html(r, fmt.Sprintf("run-%d", i+1))
		if len(runs) == 1 || i < len(loops) {
			p.Loops = append(p.Loops, h)
		} else {
			p.Calm = append(p.Calm, h)
		}
	}
	if err := pageTemplate.Execute(w, p); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

func (f folder) html(r *Replay, id string) htmlRun {
	h := htmlRun{
		ID: id, Headline: words.Line(f.headline(r)), Answer: words.Line(answer(r)), Events: max(r.Total.Events, 1),
		Blind: shown(Blind(r)), Steps: f.steps(r, id),
	}
	for _, l := range seeing(r) {
		h.Lanes = append(h.Lanes, htmlLaneOf(l))
	}
	for _, group := range alarmsOf(r) {
		first := group[0].First
		h.Alarms = append(h.Alarms, htmlAlarm{
			Say: words.Line(sayAlarm(r, group)), Link: fmt.Sprintf("%s-event-%d", id, first.Event+1),
			After: sayAfter(r.After(group[0])), Evidence: shown(evidenceLines(r, first)),
		})
	}
	for _, d := range r.Disagreements() {
		h.Disagreements = append(h.Disagreements, htmlDisagreement{
			d.Span.String(), strings.Join(d.Yes, ", "), strings.Join(d.No, ", "),
		})
	}
	for _, n := range r.Notes {
		h.Notes = append(h.Notes, words.Line(f.short(n.String())))
	}
	return h
}

func names(lanes []*Lane) []string {
	list := make([]string, len(lanes))
	for i, l := range lanes {
		list[i] = l.Name()
	}
	return list
}

func shown(lines []string) []string {
	list := make([]string, len(lines))
	for i, line := range lines {
		list[i] = words.Line(line)
	}
	return list
}

func htmlLaneOf(l *Lane) htmlLane {
	lane := htmlLane{Name: l.Name(), Say: l.Name() + ": no alarm"}
	for _, s := range l.Spans {
		lane.Bars = append(lane.Bars, htmlBar{s.From, s.To - s.From + 1})
	}
	if l.First != nil {
		lane.First = &htmlBar{l.First.Event, 1}
		lane.Say = fmt.Sprintf("%s: first alarm after event %d, a loop after %s in all",
			l.Name(), l.First.Event+1, count(l.Marked, "event"))
	}
	return lane
}

const briefText = 160

// steps returns the events that are kept, in their order, with a remark where others lie between them. A reply has no
// text of its own and is left out, unless a detector spoke there.
func (f folder) steps(r *Replay, id string) []htmlStep {
	var steps []htmlStep
	next, gap := 0, ""
	for _, event := range slices.Sorted(maps.Keys(r.Moments)) {
		m := r.Moments[event]
		step := htmlStep{
			ID: fmt.Sprintf("%s-event-%d", id, event+1), Number: fmt.Sprint(event + 1), Title: words.Line(m.Title),
			Brief: words.Cut(words.Line(m.Text), briefText), Text: words.Visible(m.Text), Thought: words.Visible(m.Thought),
			Where: words.Line(f.short(r.Source + ":" + m.Where.String())),
		}
		if event > next {
			gap = fmt.Sprintf("Events %d to %d are not kept: the run is long.", next+1, event)
		}
		next = event + 1
		for _, l := range r.Lanes {
			if l.speaksAt(event) {
				step.Tags = append(step.Tags, l.Name())
			}
		}
		if m.Type != spec.Reply || m.Text != "" || len(step.Tags) > 0 {
			step.Gap, gap = gap, ""
			steps = append(steps, step)
		}
	}
	return steps
}
