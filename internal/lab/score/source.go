package score

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/loopstone/loopstone/internal/lab/recording"
)

// recordings lists all logs below a folder, or a file. No person has labelled them; of some formats, the outcome is
// known.
func (c *Corpus) recordings() ([]unit, error) {
	sources, err := recording.Sources([]string{c.Path}, "")
	units := make([]unit, len(sources))
	for i, source := range sources {
		units[i] = unit{rest: true, read: func(ctx context.Context, in intake) error {
			outcomes, known := map[string]Truth{}, false
			err := readRuns(ctx, source, in, func(from *recording.Run, first recording.Place, run *Run) error {
				if !known {
					var err error
					if outcomes, err = outcomesOf(from); err != nil {
						return err
					}
					known = true
				}
				run.Solved = outcomes[strings.SplitN(first.Pointer+"/", "/", 3)[1]]
				return in.each(run)
			})
			if source.LeavesOut(err, in.sink(nil)) {
				return nil
			}
			return err
		}}
	}
	return units, err
}

// readRuns hands on the runs of a source, one after the other, with the place of the first event of each. They may be
// mixed, so they are held until the source is read. What could be read of a broken source is handed on, too.
func readRuns(
	ctx context.Context, source recording.Source, in intake, each func(*recording.Run, recording.Place, *Run) error,
) error {
	h := &held{runs: map[*recording.Run]*Run{}, first: map[*recording.Run]recording.Place{}}
	err := source.Read(in.sink(func(e recording.Event) error { return errors.Join(ctx.Err(), h.event(e)) }))
	for _, from := range h.order {
		if refused := each(from, h.first[from], h.runs[from]); refused != nil {
			return refused
		}
	}
	return err
}

// held are the runs of the source that is being read.
type held struct {
	order []*recording.Run
	runs  map[*recording.Run]*Run
	first map[*recording.Run]recording.Place
}

func (h *held) event(e recording.Event) error {
	run := h.runs[e.Run]
	if run == nil {
		run = &Run{Name: e.Run.Name, Agent: e.Run.Agent}
		h.runs[e.Run], h.first[e.Run] = run, e.Place
		h.order = append(h.order, e.Run)
	}
	run.Events = append(run.Events, e.Value)
	return nil
}

// outcome is what a run of tau-bench or InterCode says of its end.
type outcome struct {
	Reward  *float64 `json:"reward"`
	History struct {
		Rewards []float64 `json:"rewards"`
	} `json:"turn_history"`
}

// solvedReward is what both give to a run that solved its task.
const solvedReward = 1

func (o outcome) truth() Truth {
	switch rewards := o.History.Rewards; {
	case o.Reward != nil:
		return truthOf(*o.Reward == solvedReward)
	case len(rewards) > 0:
		return truthOf(rewards[len(rewards)-1] == solvedReward)
	default:
		return Unknown
	}
}

// withOutcomes are the formats whose runs may say whether they solved their task. All runs stand in one JSON text, a
// list or an object.
var withOutcomes = map[string]bool{"openai-chat": true, "intercode": true}

// outcomesOf returns the outcomes that a file tells, by the index or the name of the run in it.
func outcomesOf(run *recording.Run) (map[string]Truth, error) {
	if !withOutcomes[run.Format] {
		return nil, nil
	}
	file, err := os.Open(run.Source)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	decoder := json.NewDecoder(file)
	begin, err := decoder.Token()
	if err != nil {
		return nil, fmt.Errorf("%s: read the outcomes: %w", run.Source, err)
	}
	outcomes := map[string]Truth{}
	for i := 0; decoder.More(); i++ {
		key := strconv.Itoa(i)
		if begin == json.Delim('{') {
			name, err := decoder.Token()
			if err != nil {
				return nil, fmt.Errorf("%s: read the outcomes: %w", run.Source, err)
			}
			key = fmt.Sprint(name)
		}
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err != nil {
			return nil, fmt.Errorf("%s: read the outcomes: %w", run.Source, err)
		}
		var o outcome
		if json.Unmarshal(raw, &o) == nil { // what is no run of these has no outcome
			outcomes[key] = o.truth()
		}
	}
	return outcomes, nil
}
