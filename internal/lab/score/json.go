package score

import (
	"bytes"
	"encoding/json"
	"io"

	"github.com/loopstone/loopstone/spec"
	"github.com/loopstone/loopstone/spec/words"
)

// The report as a program reads it. Names are stable; what is not known is null or not there.
type (
	jsonReport struct {
		Corpora   []jsonCorpus   `json:"corpora"`
		Rows      []jsonRow      `json:"rows"`
		PairRules []jsonPairRule `json:"pair_rules,omitempty"`
		Sweeps    []jsonSweep    `json:"sweeps,omitempty"`
		Runs      []jsonRun      `json:"runs"`
		Disagree  []string       `json:"disagreements"` // names of runs, shortest first
	}
	jsonCorpus struct {
		Path       string   `json:"path"`
		Source     string   `json:"source,omitempty"`
		Commit     string   `json:"commit,omitempty"`
		Licence    string   `json:"licence,omitempty"`
		Runs       int      `json:"runs"`
		Steps      int      `json:"steps"`
		Loops      int      `json:"loops"`
		Healthy    int      `json:"healthy"`
		Pairs      int      `json:"pairs"`
		Solved     int      `json:"solved"`
		Unsolved   int      `json:"unsolved"`
		Unlabelled int      `json:"unlabelled"`
		Notes      []string `json:"notes,omitempty"`
	}
	jsonRow struct {
		Detector string     `json:"detector"`
		Reading  string     `json:"reading"`
		Profile  string     `json:"profile,omitempty"`
		Config   spec.Value `json:"config"`
		Port     string     `json:"port,omitempty"` // the command, where it is not the reference

		Loops       int       `json:"loops"`
		Found       int       `json:"found"`
		Recall      *jsonRate `json:"recall"`
		Healthy     int       `json:"healthy"`
		FalseAlarms int       `json:"false_alarms"`
		FalseAlarm  *jsonRate `json:"false_alarm_rate"`

		Latency   *jsonLatency  `json:"latency"`
		Saved     *jsonRate     `json:"steps_saved"`
		Lost      *jsonRate     `json:"steps_lost"`
		SavedCost *jsonCost     `json:"cost_saved,omitempty"` // where recordings name a cost
		LostCost  *jsonCost     `json:"cost_lost,omitempty"`
		Pairs     *jsonPairs    `json:"pairs"`
		Outcome   *jsonOutcomes `json:"outcomes,omitempty"`
	}
	jsonRate struct {
		Part int     `json:"part"`
		Of   int     `json:"of"`
		Rate float64 `json:"rate"`
		Low  float64 `json:"low"` // of the 95 % interval
		High float64 `json:"high"`
	}
	jsonCost struct {
		Part float64 `json:"part_usd"`
		Of   float64 `json:"of_usd"`
		Rate float64 `json:"rate"`
	}
	jsonLatency struct {
		Runs   int `json:"runs"`
		Median int `json:"median"`
		Least  int `json:"least"`
		Most   int `json:"most"`
	}
	jsonPairs struct {
		Said      int       `json:"said"`
		Right     int       `json:"right"`
		Repeated  int       `json:"repeated"`
		Precision *jsonRate `json:"precision"`
		Recall    *jsonRate `json:"recall"`
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
	jsonSweep struct {
		Setting string    `json:"setting"`
		Rows    []jsonRow `json:"rows"`
	}
	jsonRun struct {
		Corpus string      `json:"corpus"`
		Run    string      `json:"run"`
		Agent  string      `json:"agent,omitempty"`
		Steps  int         `json:"steps"`
		Loop   *bool       `json:"loop"`
		Solved *bool       `json:"solved,omitempty"`
		Alarms []jsonAlarm `json:"alarms"`
	}
	jsonAlarm struct {
		Row      int    `json:"row"`  // the place in rows, from 0
		Step     int    `json:"step"` // from 0
		Kind     string `json:"kind,omitempty"`
		Evidence []int  `json:"evidence,omitempty"` // steps, from 0
	}
)

// WriteJSON writes the report for programs.
func (r *Report) WriteJSON(w io.Writer) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(r.json()); err != nil {
		return err
	}
	_, err := w.Write(words.VisibleJSON(text.Bytes()))
	return err
}

func (r *Report) json() jsonReport {
	report := jsonReport{Rows: jsonRows(r.Rows), Disagree: []string{}}
	for _, c := range r.Corpora {
		report.Corpora = append(report.Corpora, jsonCorpus{
			c.Path, c.Source, c.Commit, c.Licence, c.Runs, c.Steps, c.Loops, c.Healthy, c.Pairs, c.Solved, c.Unsolved,
			c.Unlabelled, c.Notes(),
		})
	}
	if r.HasPairs() {
		for _, rule := range r.PairRules {
			report.PairRules = append(report.PairRules, jsonPairRule{rule.Name, *rule.json()})
		}
	}
	for _, c := range r.Curves {
		report.Sweeps = append(report.Sweeps, jsonSweep{c.Setting, jsonRows(c.Points)})
	}
	for _, result := range r.Runs {
		report.Runs = append(report.Runs, result.json())
	}
	for _, result := range r.Disagreements() {
		report.Disagree = append(report.Disagree, result.Run.Name)
	}
	return report
}

func jsonRows(rows []Row) []jsonRow {
	list := []jsonRow{}
	for _, r := range rows {
		list = append(list, r.json())
	}
	return list
}

func (r Row) json() jsonRow {
	row := jsonRow{
		Detector: string(r.Detector), Reading: string(r.Reading), Profile: r.Profile, Config: r.Shown, Port: r.Owner,
		Loops: r.Recall.Of, Found: r.Recall.Part, Recall: r.Recall.json(),
		Healthy: r.FalseAlarms.Of, FalseAlarms: r.FalseAlarms.Part, FalseAlarm: r.FalseAlarms.json(),
		Saved: r.Saved.json(), Lost: r.Lost.json(),
		SavedCost: r.SavedCost.json(), LostCost: r.LostCost.json(), Pairs: r.Pairs.json(),
	}
	if row.Config.IsAbsent() {
		row.Config = spec.ObjectValue()
	}
	if median, least, most, ok := r.Latency.Median(); ok {
		row.Latency = &jsonLatency{len(r.Latency.steps), median, least, most}
	}
	if r.Solved.Of+r.Unsolved.Of > 0 {
		row.Outcome = &jsonOutcomes{r.Solved.Of, r.Solved.Part, r.Unsolved.Of, r.Unsolved.Part}
	}
	return row
}

func (s Share) json() *jsonRate {
	rate, ok := s.Rate()
	if !ok {
		return nil
	}
	low, high := s.Wilson()
	return &jsonRate{s.Part, s.Of, rate, low, high}
}

func (a Amount) json() *jsonCost {
	rate, ok := a.Rate()
	if !ok {
		return nil
	}
	return &jsonCost{a.Part, a.Of, rate}
}

func (a Agreement) json() *jsonPairs {
	return &jsonPairs{a.Said, a.Right, a.Repeated, a.Precision().json(), a.Recall().json()}
}

func (r Result) json() jsonRun {
	run := jsonRun{
		Corpus: r.Run.Corpus, Run: r.Run.Name, Agent: r.Run.Agent, Steps: r.Steps,
		Loop: r.Run.Loop.json(), Solved: r.Run.Solved.json(), Alarms: []jsonAlarm{},
	}
	for i, alarm := range r.Alarms {
		if alarm != nil {
			run.Alarms = append(run.Alarms, jsonAlarm{i, alarm.Step, alarm.Kind, alarm.Evidence})
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
