package replay

import (
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopstone/loopstone/internal/lab/agentlogs"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// The members of the JSON form. Events are numbered as people read them, from 1 and over all events of the run: a
// detector's own indices, which count from 0 what it was told, are left out of its verdict.
type (
	jsonRun struct {
		*agentlogs.Run

		Total         Cost           `json:"total"`
		Lanes         []jsonLane     `json:"lanes"`
		Disagreements []Disagreement `json:"disagreements"`
		Varying       []string       `json:"varying,omitempty"`
		Notes         []jsonNote     `json:"notes"`
	}
	jsonLane struct {
		Detector spec.DetectorID `json:"detector"`
		Reading  spec.Reading    `json:"reading"`
		Port     string          `json:"port,omitzero"`
		Profile  string          `json:"profile,omitzero"`
		Config   jsontext.Value  `json:"config,omitzero"`
		Judged   int             `json:"judged"`
		Marked   int             `json:"marked"`
		Spans    [][2]int        `json:"spans"`
		First    *jsonAlarm      `json:"first,omitzero"`
		Refused  string          `json:"refused,omitzero"`
	}
	jsonAlarm struct {
		Event    int            `json:"event"`
		Call     int            `json:"call"`
		Verdict  jsontext.Value `json:"verdict"`
		Evidence []int          `json:"evidence"`
		After    Cost           `json:"after"`
	}
	jsonNote struct {
		Place string `json:"place,omitzero"`
		Text  string `json:"text"`
	}
)

// JSON writes all runs as {"runs": […]}, with the notes about whole sources as "notes".
func JSON(w io.Writer, watched *Watcher) error {
	out := struct {
		Runs  []jsonRun `json:"runs"`
		Notes []string  `json:"notes,omitempty"`
	}{Runs: lists.Map(watched.Runs, jsonOf), Notes: lists.Map(watched.Notes, agentlogs.Note.String)}
	text, err := json.Marshal(out, jsontext.WithIndent("  "))
	if err != nil {
		return fmt.Errorf("write the replay as JSON: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s\n", wording.VisibleJSON(text))
	return err
}

func jsonOf(r *Replay) jsonRun {
	run := jsonRun{
		Run: r.Run, Total: r.Total, Disagreements: []Disagreement{}, Varying: r.Varying(),
		Lanes: lists.Map(r.Lanes, func(l *Lane) jsonLane { return jsonLaneOf(r, l) }),
		Notes: lists.Map(r.Notes, func(n agentlogs.Note) jsonNote { return jsonNote{n.Place.String(), n.Said()} }),
	}
	for _, d := range r.Disagreements() {
		d.Span = Span{d.From + 1, d.To + 1}
		run.Disagreements = append(run.Disagreements, d)
	}
	return run
}

func jsonLaneOf(r *Replay, l *Lane) jsonLane {
	lane := jsonLane{
		Detector: l.Detector, Reading: l.Reading, Port: l.Owner, Profile: l.Profile, Judged: l.Told, Marked: l.Marked,
		Spans:   lists.Map(l.Spans, func(s Span) [2]int { return [2]int{s.From + 1, s.To + 1} }),
		Refused: l.Refused,
	}
	if !l.Config.IsAbsent() {
		lane.Config = jsontext.Value(l.Config.String())
	}
	if l.First != nil {
		lane.First = &jsonAlarm{
			Event: l.First.At + 1, Call: r.Call(l), Verdict: said(l.First.Verdict),
			Evidence: l.First.Numbered().Evidence, After: r.After(l),
		}
	}
	return lane
}

// said returns a verdict without the detector's own indices of events.
func said(verdict spec.Value) jsontext.Value {
	return jsontext.Value(verdict.Without("evidence").String())
}
