package replay

import (
	"context"

	"github.com/loopstone/loopstone/internal/lab/agentlogs"
	"github.com/loopstone/loopstone/internal/lab/alarm"
	"github.com/loopstone/loopstone/spec"
)

// Watcher replays all runs that a reader finds.
type Watcher struct {
	Observers []alarm.Observer
	Keep      int  // how many of the first events of a run are kept to be shown
	Record    bool // whether the events up to the first alarm are kept, for a case
	Live      bool // whether [Watcher.News] tells each stretch as it begins
	Usual     bool // whether nobody chose the detectors

	Runs  []*Replay        // in the order in which they began
	Notes []agentlogs.Note // those about whole sources

	open   map[*agentlogs.Run]*Replay
	source string
}

// Sink returns what takes the events of all runs.
func (w *Watcher) Sink(ctx context.Context) agentlogs.Sink {
	return agentlogs.Sink{
		Event: func(e agentlogs.Event) error { return w.observe(ctx, e) },
		Note:  w.note,
	}
}

// observe tells an event to its run. Runs of one source may be interleaved; with the next source, they are over.
func (w *Watcher) observe(ctx context.Context, e agentlogs.Event) error {
	if e.Run.Source != w.source {
		if err := w.Close(ctx); err != nil {
			return err
		}
		w.source = e.Run.Source
	}
	r := w.replay(e.Run)
	if w.Record && len(r.Speaking()) == 0 && len(r.recorded) < mostForCase {
		r.recorded = append(r.recorded, e.Value)
	}
	return r.Observe(ctx, e)
}

func (w *Watcher) replay(run *agentlogs.Run) *Replay {
	if r, open := w.open[run]; open {
		return r
	}
	r := Open(run, w.Observers, w.Keep)
	if w.open == nil {
		w.open = map[*agentlogs.Run]*Replay{}
	}
	r.usual, r.live = w.Usual, w.Live
	w.open[run] = r
	w.Runs = append(w.Runs, r)
	return r
}

func (w *Watcher) note(n agentlogs.Note) {
	if r, open := w.open[n.Run]; open {
		r.Notes = append(r.Notes, n)
		return
	}
	w.Notes = append(w.Notes, n)
}

// Close ends the runs that are open.
func (w *Watcher) Close(ctx context.Context) error {
	for run, r := range w.open {
		if err := r.Close(ctx); err != nil {
			return err
		}
		delete(w.open, run)
	}
	return nil
}

// Recorded returns the events of the run up to a lane's first alarm, where they were kept.
func (r *Replay) Recorded(l *Lane) []spec.Value {
	return r.recorded[:min(len(r.recorded), l.First.At+1)]
}
