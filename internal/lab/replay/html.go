package replay

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loopstone/loopstone/internal/lab/agentlogs"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

//go:embed page.html.tmpl
var page string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"line": wording.Line,
	"join": func(names []string) string { return strings.Join(names, ", ") },
}).Parse(page))

// The parts of the page, as its template names them.
type (
	htmlPage struct {
		Title, Answer string
		Alarmed, Calm []htmlRun
	}
	htmlRun struct {
		*Replay

		ID, Headline, Answer string
		Alarms               []htmlAlarm
		NotKnown             []string
		Steps                []htmlStep
	}
	htmlAlarm struct {
		Say, Link, After string
		Evidence         []string
	}
	htmlStep struct {
		ID, Gap, Number, Title, Brief, Text, Thought, Where string
		Tags                                                []string
	}
)

// HTML writes runs as one page that needs nothing else: no network, no script. Those with an alarm come first.
func HTML(w io.Writer, runs []*Replay) error {
	var f folder // shared leaves nothing to leave out
	runs = shared(runs)
	alarmed, calm := byAlarm(runs)
	p := htmlPage{Title: "Replay of " + wording.Count(len(runs), "run"), Answer: shares(len(alarmed), len(calm)) + "."}
	if len(runs) == 1 {
		p.Title, p.Answer = "Replay of "+wording.Line(f.name(runs[0])), ""
	}
	for i, r := range slices.Concat(alarmed, calm) {
		h := f.html(r, fmt.Sprintf("run-%d", i+1))
		if len(runs) == 1 || i < len(alarmed) {
			p.Alarmed = append(p.Alarmed, h)
		} else {
			p.Calm = append(p.Calm, h)
		}
	}
	if err := pageTemplate.Execute(w, p); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

// shared returns the runs with sources below their common folder, however they were named; with file names alone if
// they have no folder in common. A page may be shared, and a path says where on a machine a log is, and whose it is.
func shared(runs []*Replay) []*Replay {
	list := make([]*Replay, len(runs))
	for i, r := range runs {
		run, replay := *r.Run, *r
		run.Source, replay.Run = agentlogs.Absolute(run.Source), &run
		list[i] = &replay
	}
	common := folderOf(list)
	for _, r := range list {
		r.Source = common.below(r.Source)
		r.Notes = slices.Clone(r.Notes)
		for k := range r.Notes {
			n := &r.Notes[k]
			if n.Run != nil {
				n.Run = r.Run
			}
			if n.Source != "" {
				n.Source = common.below(agentlogs.Absolute(n.Source))
			}
		}
	}
	return list
}

// below returns a path below the folder; the name of the file if the folder is a root, or does not hold the path.
func (f folder) below(path string) string {
	if short := f.short(path); short != path && filepath.Dir(string(f)) != string(f) {
		return short
	}
	return filepath.Base(path)
}

func (f folder) html(r *Replay, id string) htmlRun {
	h := htmlRun{
		Replay: r, ID: id, Headline: wording.Line(f.headline(r)), Answer: wording.Line(answer(r)),
		NotKnown: lists.Map(r.Notes, func(n agentlogs.Note) string { return f.short(n.String()) }),
		Steps:    f.steps(r, id),
	}
	for _, group := range alarmsOf(r) {
		first := group[0].First
		h.Alarms = append(h.Alarms, htmlAlarm{
			Say: sayAlarm(r, group), Link: fmt.Sprintf("%s-event-%d", id, first.At+1), After: sayAfter(r.After(group[0])),
			Evidence: evidenceLines(r, first),
		})
	}
	return h
}

func names(lanes []*Lane) []string { return lists.Map(lanes, func(l *Lane) string { return l.Name() }) }

// Say says of a lane what its bars show.
func (l *Lane) Say() string {
	if l.First == nil {
		return l.Name() + ": no alarm"
	}
	return fmt.Sprintf("%s: first alarm after event %d, reports a loop after %s in all",
		l.Name(), l.First.At+1, wording.Count(l.Marked, "event"))
}

// Events returns how many events there are from the first to the last.
func (s Span) Events() int { return s.To - s.From + 1 }

const briefText = 160

// steps returns the events that are kept, in their order, with a remark where others lie between them. A reply has no
// text of its own and is left out, unless a detector spoke there.
func (f folder) steps(r *Replay, id string) []htmlStep {
	var steps []htmlStep
	next, gap := 0, ""
	for _, event := range slices.Sorted(maps.Keys(r.Moments)) {
		m := r.Moments[event]
		step := htmlStep{
			ID: fmt.Sprintf("%s-event-%d", id, event+1), Number: fmt.Sprint(event + 1), Title: wording.Line(m.Title),
			Brief: wording.Cut(wording.Line(m.Text), briefText), Text: wording.Visible(m.Text),
			Thought: wording.Visible(m.Thought),
			Where:   wording.Line(f.short(r.Source + ":" + m.Where.String())),
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
