package replay

import (
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopstone/loopstone/internal/lab/recording"
	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/words"
)

// The members of the JSON form. Places of events are from 0, as in the protocol.
type (
	jsonRun struct {
		Name          string         `json:"name"`
		Source        string         `json:"source"`
		Format        string         `json:"format"`
		Agent         string         `json:"agent,omitzero"`
		Total         Cost           `json:"total"`
		Lanes         []jsonLane     `json:"lanes"`
		Disagreements []Disagreement `json:"disagreements"`
		Notes         []jsonNote     `json:"notes"`
	}
	jsonLane struct {
		Detector spec.DetectorID `json:"detector"`
		Reading  spec.Reading    `json:"reading"`
		Port     string          `json:"port,omitzero"`
		Profile  string          `json:"profile,omitzero"`
		Config   jsontext.Value  `json:"config,omitzero"`
		Told     int             `json:"told"`
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
	}{Runs: []jsonRun{}, Notes: words.By(watched.Notes, recording.Note.String)}
	for _, r := range watched.Runs {
		out.Runs = append(out.Runs, jsonOf(r))
	}
	text, err := json.Marshal(out, jsontext.WithIndent("  "))
	if err != nil {
		return fmt.Errorf("write the replay as JSON: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s\n", words.VisibleJSON(text))
	return err
}

func jsonOf(r *Replay) jsonRun {
	run := jsonRun{
		Name: r.Name, Source: r.Source, Format: r.Format, Agent: r.Agent, Total: r.Total,
		Lanes: []jsonLane{}, Disagreements: append([]Disagreement{}, r.Disagreements()...), Notes: []jsonNote{},
	}
	for _, l := range r.Lanes {
		run.Lanes = append(run.Lanes, jsonLaneOf(r, l))
	}
	for _, n := range r.Notes {
		run.Notes = append(run.Notes, jsonNote{n.Place.String(), n.Said()})
	}
	return run
}

func jsonLaneOf(r *Replay, l *Lane) jsonLane {
	lane := jsonLane{
		Detector: l.Detector, Reading: l.Reading, Port: l.PortName, Profile: l.Profile, Told: l.Told, Marked: l.Marked,
		Spans: [][2]int{}, Refused: l.Refused,
	}
	if !l.Config.IsAbsent() {
		lane.Config = jsontext.Value(l.Config.String())
	}
	for _, s := range l.Spans {
		lane.Spans = append(lane.Spans, [2]int{s.From, s.To})
	}
	if l.First != nil {
		lane.First = &jsonAlarm{
			Event: l.First.Event, Call: r.Call(l), Verdict: jsontext.Value(l.First.Verdict.String()),
			Evidence: append([]int{}, l.First.Evidence...), After: r.After(l),
		}
	}
	return lane
}
