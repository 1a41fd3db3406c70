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
	"github.com/loopstone/loopstone/internal/lab/recording/formats"
)

// recordings reads all runs below a folder, or of a file. No person has labelled them; of some formats, the outcome is
// known. What is wrong with one file is kept for [Corpus.Problem], and the rest goes on.
func (c *Corpus) recordings(ctx context.Context, each func(*Run) error) error {
	outcomes, source := map[string]Truth{}, ""
	refused := error(nil)
	err := c.read(ctx, c.Path, "", func(from *recording.Run, first recording.Place, run *Run) error {
		if from.Source != source {
			source, outcomes = from.Source, nil
			if outcomes, refused = outcomesOf(from); refused != nil {
				return refused
			}
		}
		run.Solved = outcomes[strings.SplitN(first.Pointer+"/", "/", 3)[1]]
		refused = each(run)
		return refused
	})
	if refused != nil {
		return refused
	}
	c.Problem = err
	return ctx.Err()
}

// read hands on the runs of a file or folder, one after the other, with the place of the first event of each. Runs of one
// file may be mixed, so they are held until the file is read.
func (c *Corpus) read(
	ctx context.Context, path, format string, each func(*recording.Run, recording.Place, *Run) error,
) error {
	h := &held{each: each}
	err := formats.Walk(ctx, []string{path}, format, recording.Sink{Event: h.event, Note: c.noter()})
	if h.refused != nil {
		return h.refused
	}
	return errors.Join(err, h.flush())
}

// held are the runs of the file that is being read.
type held struct {
	each    func(*recording.Run, recording.Place, *Run) error
	order   []*recording.Run
	runs    map[*recording.Run]*Run
	first   map[*recording.Run]recording.Place
	refused error
}

func (h *held) event(e recording.Event) error {
	if len(h.order) > 0 && h.order[0].Source != e.Run.Source {
		if h.refused = h.flush(); h.refused != nil {
			return h.refused
		}
	}
	run := h.runs[e.Run]
	if run == nil {
		if h.runs == nil {
			h.runs, h.first = map[*recording.Run]*Run{}, map[*recording.Run]recording.Place{}
		}
		run = &Run{Name: e.Run.Name, Agent: e.Run.Agent}
		h.runs[e.Run], h.first[e.Run] = run, e.Place
		h.order = append(h.order, e.Run)
	}
	run.Events = append(run.Events, e.Value)
	return nil
}

func (h *held) flush() error {
	order, runs, first := h.order, h.runs, h.first
	h.order, h.runs, h.first = nil, nil, nil
	for _, from := range order {
		if err := h.each(from, first[from], runs[from]); err != nil {
			return err
		}
	}
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

// withOutcomes are the formats whose runs may say whether they solved their task. All runs stand in one JSON text, a list
// or an object.
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
