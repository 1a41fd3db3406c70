package score

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/loopstone/loopstone/internal/lab/alarm"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
)

// The report as a program reads it. Names are stable; what is not known is null or not there.
type (
	jsonReport struct {
		Corpora   []jsonCorpus   `json:"corpora"`
		Rows      []Row          `json:"rows"`
		Agents    []jsonAgent    `json:"agents,omitempty"`
		PairRules []jsonPairRule `json:"pair_rules,omitempty"`
		Sweeps    []Curve        `json:"sweeps,omitempty"`
		Runs      []jsonRun      `json:"runs"`
		Disagree  []string       `json:"disagreements"` // names of runs, shortest first
	}
	jsonCorpus struct {
		Origin
		Counts
		Notes []string `json:"notes,omitempty"`
	}
	jsonRow struct {
		Contender

		Loops       int   `json:"loops"`
		Found       int   `json:"found"`
		Recall      Share `json:"recall"`
		Same        Share `json:"recall_same"`
		InVain      Share `json:"recall_in_vain"`
		Healthy     int   `json:"healthy"`
		FalseAlarms int   `json:"false_alarms"`
		FalseAlarm  Share `json:"false_alarm_rate"`

		Latency Spread        `json:"latency"`
		Saved   Share         `json:"steps_saved"`
		Lost    Share         `json:"steps_lost"`
		Pairs   jsonPairs     `json:"pairs"`
		Outcome *jsonOutcomes `json:"outcomes,omitempty"`
	}
	jsonAgent struct {
		Agent string `json:"agent"` // empty where the recordings do not name it
		Runs  int    `json:"runs"`  // that are labelled
		Rows  []Row  `json:"rows"`
	}
	jsonPairs struct {
		Agreement
		Precision Share `json:"precision"`
		Recall    Share `json:"recall"`
	}
	jsonPairRule struct {
		Rule string `json:"rule"`
		jsonPairs
	}
	jsonOutcomes struct {
		Solved         int `json:"solved"`
		SolvedAlarms   int `json:"solved_alarms"`
		Unsolved       int `json:"unsolved"`
		UnsolvedAlarms int `json:"unsolved_alarms"`
	}
	jsonRun struct {
		Corpus string      `json:"corpus"`
		Run    string      `json:"run"`
		Agent  string      `json:"agent,omitempty"`
		Steps  int         `json:"steps"`
		Loop   *bool       `json:"loop"`
		Solved *bool       `json:"solved,omitempty"`
		Weight float64     `json:"weight,omitempty"`
		Task   string      `json:"task,omitempty"`
		Alarms []jsonAlarm `json:"alarms"`
	}
	jsonAlarm struct {
		Row         int `json:"row"` // the place in rows, from 0
		alarm.Alarm     // with steps from 1, as in the text and in labels
	}
)

// WriteJSON writes the report for programs.
func (r *Report) WriteJSON(w io.Writer) error { return writeJSON(w, r.json()) }

// writeJSON writes a value for programs that people may look at.
func writeJSON(w io.Writer, v any) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(wording.VisibleJSON(text.Bytes()))
	return err
}

func (r *Report) json() jsonReport {
	report := jsonReport{
		Corpora: lists.Map(r.Corpora, func(c *Corpus) jsonCorpus { return jsonCorpus{c.Origin, c.Counts, c.Notes()} }),
		Rows:    append([]Row{}, r.Rows...), Sweeps: r.Curves, Runs: lists.Map(r.Runs, Result.json),
		Disagree: lists.Map(r.Disagreements(), func(result Result) string { return result.Run.Name }),
	}
	if r.hasPairs() {
		report.PairRules = lists.Map(r.PairRules, func(p PairRule) jsonPairRule { return jsonPairRule{p.Name, p.json()} })
	}
	if r.ByAgent {
		report.Agents = lists.Map(r.Agents(), func(a Group) jsonAgent { return jsonAgent{a.Name, a.Looping.Of, a.Rows} })
	}
	return report
}

// MarshalJSON implements [json.Marshaler].
func (r Row) MarshalJSON() ([]byte, error) {
	row := jsonRow{
		Contender: r.Contender,
		Loops:     r.Recall.Of, Found: r.Recall.Part, Recall: r.Recall, Same: r.Same, InVain: r.InVain,
		Healthy: r.FalseAlarms.Of, FalseAlarms: r.FalseAlarms.Part, FalseAlarm: r.FalseAlarms,
		Latency: r.Latency, Saved: r.Saved, Lost: r.Lost,
		Pairs: r.Pairs.json(),
	}
	if r.Solved.Of+r.Unsolved.Of > 0 {
		row.Outcome = &jsonOutcomes{r.Solved.Of, r.Solved.Part, r.Unsolved.Of, r.Unsolved.Part}
	}
	return json.Marshal(row)
}

// MarshalJSON implements [json.Marshaler]: null where there is no share.
func (s Share) MarshalJSON() ([]byte, error) {
	rate, ok := s.Rate()
	if !ok {
		return []byte("null"), nil
	}
	low, high := s.Interval()
	return json.Marshal(struct {
		Part int     `json:"part"`
		Of   int     `json:"of"`
		Rate float64 `json:"rate"`
		Low  float64 `json:"low"` // of the 95 % interval
		High float64 `json:"high"`
	}{s.Part, s.Of, rate, low, high})
}

// MarshalJSON implements [json.Marshaler]: null where no loop was found.
func (s Spread) MarshalJSON() ([]byte, error) {
	median, least, most, ok := s.Median()
	if !ok {
		return []byte("null"), nil
	}
	return json.Marshal(struct {
		Runs   int `json:"runs"`
		Median int `json:"median"`
		Least  int `json:"least"`
		Most   int `json:"most"`
	}{len(s.steps), median, least, most})
}

func (a Agreement) json() jsonPairs { return jsonPairs{a, a.Precision(), a.Recall()} }

func (r Result) json() jsonRun {
	run := jsonRun{
		Corpus: r.Run.Corpus, Run: r.Run.Name, Agent: r.Run.Agent, Steps: r.Steps,
		Loop: r.Run.Loop.json(), Solved: r.Run.Solved.json(),
		Weight: r.Run.Weight, Task: r.Run.Task, Alarms: []jsonAlarm{},
	}
	for i, first := range r.Alarms {
		if first != nil {
			run.Alarms = append(run.Alarms, jsonAlarm{i, first.Numbered()})
		}
	}
	return run
}

func (t Truth) json() *bool {
	if t == Unknown {
		return nil
	}
	known := t == Yes
	return &known
}
