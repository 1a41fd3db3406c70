package replay

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopstone/loopstone/internal/lab/alarm"
	"github.com/loopstone/loopstone/internal/lists"
	"github.com/loopstone/loopstone/internal/wording"
	"github.com/loopstone/loopstone/spec"
)

// News is that a detector began to report a loop, told while the run goes on.
type News struct {
	Run   *Replay
	Lane  *Lane
	Alarm alarm.Alarm

	calls int      // up to the alarm
	lines []string // the evidence, as a person reads it
}

func (r *Replay) newsOf(lane *Lane, reported alarm.Alarm) News {
	m, _ := r.moment(reported.At)
	return News{r, lane, reported, m.upTo.Calls, evidenceLines(r, &reported)}
}

// News tells the detectors all events that they were not told yet, and returns what began since it was asked last, in
// the order of each run; where one cannot be told, what the others report, and the error.
func (w *Watcher) News(ctx context.Context) ([]News, error) {
	var all []News
	var failed error
	for _, r := range w.Runs {
		if w.open[r.Run] != r {
			continue
		}
		failed = cmp.Or(failed, r.flush(ctx))
		slices.SortStableFunc(r.news, func(a, b News) int { return cmp.Compare(a.Alarm.At, b.Alarm.At) })
		all, r.news = append(all, r.news...), nil
	}
	return all, failed
}

// Print writes the news as a person reads them: detectors that rest on the same evidence together.
func Print(w io.Writer, news []News, page Page) error {
	for len(news) > 0 {
		group := []News{news[0]}
		rest := news[1:]
		for len(rest) > 0 && rest[0].isAbout(group[0]) {
			group, rest = append(group, rest[0]), rest[1:]
		}
		p := newPrinter(w, []*Replay{group[0].Run}, page)
		p.line("")
		p.wrapped(fmt.Sprintf("%s: alarm after event %d, %s: %s", p.folder.name(group[0].Run), group[0].Alarm.At+1,
			callNumber(group[0].calls), wording.Join(lists.Map(group, News.who), ", ")))
		p.evidence(group[0].lines)
		if p.err != nil {
			return p.err
		}
		news = rest
	}
	return nil
}

func (n News) isAbout(other News) bool {
	return n.Run == other.Run && n.Alarm.At == other.Alarm.At && slices.Equal(n.Alarm.Evidence, other.Alarm.Evidence)
}

func (n News) who() string { return fmt.Sprintf("%s (%s)", n.Lane.Name(), rule(n.Alarm.Verdict)) }

// JSON returns the news as one line for a program: who reports a loop, in which run, and the verdict. Events are
// numbered from 1, as in the text.
func (n News) JSON() ([]byte, error) {
	text, err := json.Marshal(struct {
		Source   string          `json:"source"`
		Run      string          `json:"run"`
		Detector spec.DetectorID `json:"detector"`
		Reading  spec.Reading    `json:"reading"`
		Profile  string          `json:"profile,omitzero"`
		Port     string          `json:"port,omitzero"`
		Event    int             `json:"event"`
		Call     int             `json:"call"`
		Verdict  jsontext.Value  `json:"verdict"`
		Evidence []int           `json:"evidence"`
		Text     []string        `json:"text"`
	}{
		n.Run.Source, n.Run.Name, n.Lane.Detector, n.Lane.Reading, n.Lane.Profile, n.Lane.Owner, n.Alarm.At + 1,
		n.calls, said(n.Alarm.Verdict), n.Alarm.Numbered().Evidence, n.lines,
	}, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("write an alarm as JSON: %w", err)
	}
	return append(wording.VisibleJSON(text), '\n'), nil
}
